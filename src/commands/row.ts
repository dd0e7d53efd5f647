import type { ListPage, Row } from '../api/page.ts';
import { toText } from '../json/text.ts';

/** One record of a list, by the list's own filter; a service that does not know the filter gives others too. */
export const findRow = async (pages: AsyncIterable<ListPage>, id: string): Promise<Row | undefined> => {
  for await (const page of pages) return page.rows.find((row) => toText(row.id) === id);
  return undefined;
};
