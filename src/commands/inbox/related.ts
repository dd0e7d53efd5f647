import type { ApiCall } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import { type JsonNumber, toNumber } from '../../json/number.ts';
import { Cancelled, Failure } from '../../outcome.ts';

/** Reads what is known of some people in as few requests as can be. */

interface Lists {
  readonly people: readonly unknown[];
  /** The list of everybody. */
  readonly whole: () => ApiCall<Row>;
  /** The list of one. */
  readonly one: (userId: number | JsonNumber) => ApiCall<Row>;
}

/** So many requests are made for a comfort, and no more. */
const MOST = 10;
/** For so few people the list of everybody is not begun. */
const FEW = 2;

const all = async (call: ApiCall<Row>): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for await (const page of call.pages()) rows.push(...page.rows);
  return rows;
};

const each = async ({ people, one }: Lists): Promise<readonly Row[]> =>
  (await Promise.all(people.map((person) => all(one(toNumber(person)))))).flat();

/** Undefined when it is too long: then nothing beyond the first page is read, where the service tells. */
const everybody = async ({ whole }: Lists): Promise<readonly Row[] | undefined> => {
  const rows: Row[] = [];
  let pages = 0;
  for await (const page of whole().pages()) {
    pages += 1;
    rows.push(...page.rows);
    const needed = page.total === undefined ? pages : Math.ceil(page.total / Math.max(1, page.rows.length));
    if (pages > MOST || (pages === 1 && needed > MOST)) return undefined;
  }
  return rows;
};

/**
 * Rows about these people, perhaps about others too. Undefined: it would take too many requests, or the service
 * refuses: whoever may decide may still not see everything.
 */
export const fetchRelated = async (lists: Lists): Promise<readonly Row[] | undefined> => {
  const { people } = lists;
  if (people.length === 0) return [];
  try {
    if (people.length <= FEW) return await each(lists);
    return (await everybody(lists)) ?? (people.length <= MOST ? await each(lists) : undefined);
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
    return undefined;
  }
};
