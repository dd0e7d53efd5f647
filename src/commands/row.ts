import type { Page, Row } from '../api/page.ts';
import { textOf } from '../json/text.ts';

/** One record of a list, by the list's own filter; a service that does not know the filter gives others too. */
export const rowOf = async (pages: AsyncIterable<Page>, id: string): Promise<Row | undefined> => {
  for await (const page of pages) return page.rows.find((row) => textOf(row.id) === id);
  return undefined;
};
