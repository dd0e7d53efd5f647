import type { ListPage, Row } from '../api/page.ts';
import { type JsonNumber, toNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { Cancelled, Failure } from '../outcome.ts';

/** Reads what is known of some people in as few requests as can be. */

interface RelatedLists {
  readonly people: readonly unknown[];
  /** The list of everybody. */
  readonly listAll: () => AsyncIterable<ListPage>;
  /** The list of one. */
  readonly listOne: (userId: number | JsonNumber) => AsyncIterable<ListPage>;
  /** The most requests that it may take; default `MAX_REQUESTS`. */
  readonly most?: number | undefined;
}

/** Most requests that are made for information that nobody has asked for. */
const MAX_REQUESTS = 10;
/** Up to this many people are read one by one. */
const FEW_PEOPLE = 2;

const fetchRows = async (pages: AsyncIterable<ListPage>): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page.rows);
  return rows;
};

const fetchEach = async ({ people, listOne }: RelatedLists): Promise<readonly Row[]> =>
  (await Promise.all(people.map((person) => fetchRows(listOne(toNumber(person)))))).flat();

/** Undefined when it is too long: then nothing beyond the first page is read, where the service tells. */
const fetchAll = async ({
  listAll,
  most = MAX_REQUESTS,
}: RelatedLists): Promise<readonly Row[] | undefined> => {
  const rows: Row[] = [];
  let pages = 0;
  for await (const page of listAll()) {
    pages += 1;
    rows.push(...page.rows);
    const pageCount =
      page.total === undefined ? pages : Math.ceil(page.total / Math.max(1, page.rows.length));
    if (pages > most || (pages === 1 && pageCount > most)) return undefined;
  }
  return rows;
};

/**
 * Rows about these people, perhaps about others too. Undefined: it would take too many requests, or the service
 * refuses: whoever may decide may still not see everything.
 */
export const fetchRelated = async (lists: RelatedLists): Promise<readonly Row[] | undefined> => {
  const { people } = lists;
  if (people.length === 0) return [];
  try {
    if (people.length <= FEW_PEOPLE) return await fetchEach(lists);
    return (await fetchAll(lists)) ?? (people.length <= MAX_REQUESTS ? await fetchEach(lists) : undefined);
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
    return undefined;
  }
};

export const groupBy = <T>(
  rows: readonly T[],
  getId: (row: T) => unknown,
): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(toText(getId(row)));
    if (group === undefined) groups.set(toText(getId(row)), [row]);
    else group.push(row);
  }
  return groups;
};
