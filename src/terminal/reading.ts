import type { Page } from '../api/page.ts';
import type { Clock } from '../clock.ts';
import { spanText } from '../notation/span.ts';

/** How far the reading of a long list has come, in words. */
export interface Reading {
  /** The same pages, counted as they go by. */
  counted(pages: AsyncIterable<Page>): AsyncGenerator<Page>;
  /** `reading members: 1200 of 50000, 2 min 5 s to go` */
  words(): string;
}

/** @param noun what the rows are: `members` */
export const openReading = (noun: string, clock: Pick<Clock, 'now'>): Reading => {
  const since = clock.now();
  let rows = 0;
  let total: number | undefined;
  return {
    async *counted(pages) {
      for await (const page of pages) {
        rows += page.rows.length;
        total = page.total ?? total;
        yield page;
      }
    },
    words() {
      if (rows === 0) return `reading ${noun}`;
      if (total === undefined || total <= rows) return `reading ${noun}: ${rows}`;
      const seconds = ((clock.now() - since) / 1000) * ((total - rows) / rows);
      return `reading ${noun}: ${rows} of ${total}, ${spanText(seconds)} to go`;
    },
  };
};
