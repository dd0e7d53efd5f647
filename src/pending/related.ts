import type { ApiCall } from '../api/client.ts';
import type { Lists } from '../api/lists.ts';
import type { ListPage, Row } from '../api/page.ts';
import { toNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { Cancelled, Failure } from '../outcome.ts';

/** Reads what is known of some people in as few requests as can be. */

export interface RowList {
  readonly rows: readonly Row[];
  /** Why there are none, for people: they may not be read, or are too many. */
  readonly problem?: string;
}

export interface RelatedRows extends RowList {
  /** Whether the rows are about everybody. */
  readonly ofEverybody: boolean;
}

interface RelatedLists {
  readonly lists: Lists;
  readonly people: readonly unknown[];
  /** The list of everybody. */
  readonly all: ApiCall<Row>;
  /** The list of one. */
  readonly one: (userId: number) => ApiCall<Row>;
  /** The most requests that one list may take; default `MAX_REQUESTS`. */
  readonly most?: number | undefined;
}

/** Most requests that are made for information that nobody has asked for. */
const MAX_REQUESTS = 10;
/** Up to this many people are read one by one. */
const FEW_PEOPLE = 2;

const fetchEach = async ({ lists, people, one }: RelatedLists): Promise<readonly Row[]> =>
  (await Promise.all(people.map((person) => lists.rows(one(toNumber(person)))))).flat();

/**
 * All pages of a list. One that is too long is given up after its first page, where the service tells how long it is.
 * @param isWanted asked before each further page
 */
export const fetchAll = async (
  list: AsyncIterable<ListPage>,
  maxRequests = MAX_REQUESTS,
  isWanted = () => true,
): Promise<RowList> => {
  const rows: Row[] = [];
  let pages = 0;
  for await (const page of list) {
    if (!isWanted()) break;
    pages += 1;
    for (const row of page.rows) rows.push(row);
    const pageCount =
      page.total === undefined ? pages : Math.ceil(page.total / Math.max(1, page.rows.length));
    if (pages > maxRequests || (pages === 1 && pageCount > maxRequests))
      return { rows: [], problem: 'too many to read' };
  }
  return { rows };
};

/** @throws what is no answer of the service: an interrupt, a defect */
export const describeProblem = (error: unknown): RowList & { readonly problem: string } => {
  if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
  return { rows: [], problem: error.message };
};

/**
 * Rows about these people, perhaps about others too. None where it would take too many requests, or the service
 * refuses: whoever may decide may still not see everything.
 */
export const fetchRelated = async (related: RelatedLists): Promise<RelatedRows> => {
  const { lists, people, all: listOfAll, most = MAX_REQUESTS } = related;
  if (people.length === 0) return { rows: [], ofEverybody: false };
  try {
    if (people.length > FEW_PEOPLE || lists.has(listOfAll)) {
      const all = await fetchAll(lists.pages(listOfAll), most);
      if (all.problem === undefined || people.length > most) return { ...all, ofEverybody: true };
    }
    return { rows: await fetchEach(related), ofEverybody: false };
  } catch (error) {
    return { ...describeProblem(error), ofEverybody: false };
  }
};

/** By the text of an id. */
export const groupBy = <T>(
  rows: readonly T[],
  getId: (row: T) => unknown,
): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const id = toText(getId(row));
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return groups;
};
