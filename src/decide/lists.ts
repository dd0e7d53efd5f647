import type { ApiCall } from '../api/client.ts';
import type { Lists } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import { Cancelled, EXIT, Failure } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import type { Run } from '../run.ts';

/** Reads lists side by side. One that cannot be read does not keep the others from being shown. */

interface ListRead {
  /** Plural, for people. */
  readonly noun: string;
  readonly calls: readonly ApiCall[];
}

export interface UnreadList {
  readonly noun: string;
  readonly failure: Failure;
}

/** The rows of all of them; what is no answer of the service is thrown. */
async function readRows(lists: Lists, calls: readonly ApiCall[]): Promise<readonly Row[] | Failure> {
  try {
    return (await Promise.all(calls.map((call) => lists.rows(call)))).flat();
  } catch (error) {
    return asFailure(error);
  }
}

/** The rows of each list, undefined where it could not be read. */
export async function readLists<Name extends string>(
  { lists }: Pick<Run, 'lists'>,
  reads: Readonly<Record<Name, ListRead>>,
) {
  const names = Object.keys(reads) as Name[];
  const found = await Promise.all(names.map((name) => readRows(lists, reads[name].calls)));
  const rows = names.map((name, i) => [name, found[i] instanceof Failure ? undefined : found[i]]);
  const unread = names.flatMap((name, i): readonly UnreadList[] =>
    found[i] instanceof Failure ? [{ noun: reads[name].noun, failure: found[i] }] : [],
  );
  return { rows: Object.fromEntries(rows) as Readonly<Record<Name, readonly Row[] | undefined>>, unread };
}

/** @throws what is no answer of the service: an interrupt, a defect */
export function asFailure(error: unknown): Failure {
  if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
  return error;
}

/** What to say of lists that are missing while the others are shown. */
export function describeUnread({ noun, failure }: UnreadList): string {
  return `${noun} are missing: ${failure.message}`;
}

/**
 * A part must not pass for the whole.
 * @param what `the inbox`
 * @throws Failure (exit 8, or that of the first list) where a list could not be read
 */
export function requireAllRead(
  what: string,
  unread: readonly UnreadList[],
  { code, exit }: Pick<Failure, 'code' | 'exit'> = { code: 'partial', exit: EXIT.partial },
): void {
  const [first] = unread;
  if (first === undefined) return;
  const { message, reason, hint, details } = first.failure;
  throw new Failure(
    `${what} is incomplete: ${unread.map(({ noun }) => noun).join(' and ')} could not be read`,
    { code, exit, reason: [message, reason].filter(Boolean).join('\n'), hint, details },
  );
}

/** What is known of some people, read in as few requests as can be. */
export interface RowList {
  readonly rows: readonly Row[];
  /** Why there are none, for people: they may not be read, or are too many. */
  readonly problem?: string;
}

/** Up to this many people are read one by one. */
export const FEW_PEOPLE = 2;

/**
 * Rows about these people, perhaps about others too; none where the service refuses: whoever may decide may still not
 * see everything.
 * @param call the list of one of them, without an id that of everybody
 */
export async function readRelated(
  lists: Lists,
  people: readonly unknown[],
  call: (user: { readonly user_id?: number }) => ApiCall,
): Promise<RowList> {
  const isShared = people.length > FEW_PEOPLE || lists.has(call({}));
  const users = isShared ? [{}] : people.map((id) => ({ user_id: toNumber(id) as number }));
  const rows = people.length === 0 ? [] : await readRows(lists, users.map(call));
  return rows instanceof Failure ? { rows: [], problem: rows.message } : { rows };
}

/** By the text of an id. */
export function groupBy<T>(
  rows: readonly T[],
  getId: (row: T) => unknown,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const id = toText(getId(row));
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return groups;
}
