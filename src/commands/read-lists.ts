import type { ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { Cancelled, EXIT, Failure } from '../outcome.ts';
import type { UnreadList } from '../pending/load-inbox.ts';

/** Reads lists side by side. One that cannot be read does not keep the others from being shown. */

/** A list of the service: of everybody, or of a few people one by one. */
export interface ListRead {
  /** Plural, for people. */
  readonly noun: string;
  readonly calls: readonly ApiCall<Row>[];
}

export interface ReadLists<Name extends string> {
  /** Undefined: it could not be read. */
  readonly lists: Readonly<Record<Name, readonly Row[] | undefined>>;
  readonly unread: readonly UnreadList[];
}

type Sources = Pick<Context, 'lists'>;

const tryRead = async (
  { lists }: Sources,
  { noun, calls }: ListRead,
): Promise<readonly Row[] | UnreadList> => {
  try {
    return (await Promise.all(calls.map((call) => lists.rows(call)))).flat();
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
    return { noun, failure: error };
  }
};

/** A list that was read, of which some records say nothing usable. */
export const toPartlyUnread = (noun: string, problem: string): UnreadList => ({
  noun: `some ${noun}`,
  failure: new Failure(problem, { code: 'unread', exit: EXIT.fault }),
});

/** @throws the failure where none of several can be read */
export const readLists = async <Name extends string>(
  sources: Sources,
  reads: Readonly<Record<Name, ListRead>>,
): Promise<ReadLists<Name>> => {
  const names = Object.keys(reads) as Name[];
  const answers = await Promise.all(names.map((name) => tryRead(sources, reads[name])));
  const unread = answers.filter((answer) => 'failure' in answer);
  if (names.length > 1 && unread[0] !== undefined && unread.length === names.length) throw unread[0].failure;
  const lists = names.map((name, i) => {
    const answer = answers[i] ?? [];
    return [name, 'failure' in answer ? undefined : answer];
  });
  return { lists: Object.fromEntries(lists), unread };
};
