/** A record as it came, seen as fields. */
export type Row = Readonly<Record<string, unknown>>;

/** One page of a list, in order. */
export interface ListPage<T = Row> {
  readonly rows: readonly T[];
  /** Rows of the whole list, where the service tells. */
  readonly total: number | undefined;
  /** Whether the list goes on after the rows that were asked for (`--limit`, `--page`). */
  readonly shortened?: boolean;
  /** At the end of a list that came short, on a page without rows: how many came of the total. */
  readonly came?: number;
}

/** @param noun plural, for people @param page the last of a list that came short */
export const formatShortfall = (noun: string, { came, total }: Pick<ListPage, 'came' | 'total'>): string =>
  `the list of ${noun} is incomplete: got ${came} of ${total}`;

export const SHORTFALL_REASON = 'The service left some out, or they changed while they were read.';

export const formatShortfallWarning: typeof formatShortfall = (noun, page) =>
  `${formatShortfall(noun, page)}. ${SHORTFALL_REASON}`;

/** The rows of all pages that fit; by default all. Of a page as long as a service likes: no argument list holds it. */
export const collectRows = async <T>(
  pages: AsyncIterable<{ readonly rows: readonly T[] }>,
  fits: (row: T) => boolean = () => true,
): Promise<T[]> => {
  const found: T[] = [];
  for await (const { rows } of pages) for (const row of rows) if (fits(row)) found.push(row);
  return found;
};

/** Rows that are there already, as a list of one page. */
export async function* toPages(rows: readonly Row[]): AsyncGenerator<ListPage> {
  yield { rows, total: rows.length };
}
