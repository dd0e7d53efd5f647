import type { ListPage } from '../api/page.ts';
import type { Clock } from '../clock.ts';
import { formatDuration } from '../parsing/duration.ts';

/** How far the reading of a long list has come, in words. */
export interface ReadingProgress {
  /** The same pages, counted as they go by. */
  countPages(pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage>;
  /** `reading members: 1200 of 50000, 2 min 5 s to go` */
  formatText(): string;
}

/** @param noun what the rows are: `members` */
export const createReadingProgress = (noun: string, clock: Pick<Clock, 'now'>): ReadingProgress => {
  const since = clock.now();
  let rows = 0;
  let total: number | undefined;
  return {
    async *countPages(pages) {
      for await (const page of pages) {
        rows += page.rows.length;
        total = page.total ?? total;
        yield page;
      }
    },
    formatText() {
      if (rows === 0) return `reading ${noun}`;
      if (total === undefined || total <= rows) return `reading ${noun}: ${rows}`;
      const seconds = ((clock.now() - since) / 1000) * ((total - rows) / rows);
      return `reading ${noun}: ${rows} of ${total}, ${formatDuration(seconds)} to go`;
    },
  };
};
