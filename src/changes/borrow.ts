import type { Api, Call } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Context, TargetResult } from '../context.ts';
import { textOf } from '../json/text.ts';
import { placeholder } from '../notation/shell-word.ts';
import { EXIT, Failure } from '../outcome.ts';
import { sendOne } from './send.ts';
import { ended, unprinted } from './unprinted.ts';

/** A record that is made for as long as some work lasts. */
export interface Borrowed {
  /** What it is called: its address. */
  readonly target: string;
  readonly create: (api: Api) => Call;
  readonly remove: (api: Api, id: string) => Call;
  /** The record, where the answer that told of it was lost. */
  readonly find: (api: Api) => Promise<Row | undefined>;
  /** One word: `webhook`. */
  readonly noun: string;
  /** The command that removes it by hand. */
  readonly byHand: (id: string | symbol) => string;
}

const leftBehind = (failure: Failure, { noun, byHand }: Borrowed, id: string): Failure =>
  new Failure(`the ${noun} ${id} still exists: ${failure.message}`, {
    code: 'left_behind',
    exit: failure.exit,
    reason: failure.reason,
    hint: `Remove it with: ${byHand(id)}`,
    cause: failure,
  });

/** It is there now, whatever the answer said. */
const recordOf = async (context: Context, borrowed: Borrowed, result: TargetResult): Promise<Row> => {
  const record = (result.data as Row | null | undefined) ?? (await borrowed.find(context.afterwards()));
  if (record?.['id'] !== undefined) return record;
  throw new Failure(`the service did not return the id of the ${borrowed.noun} it created`, {
    code: 'no_record',
    exit: EXIT.tryLater,
    hint: `Check whether it exists, and remove it with: ${borrowed.byHand(placeholder('id'))}`,
  });
};

/**
 * Makes the record, works, and removes it again: after Ctrl-C and after a failure too. Each is sent once.
 * @returns what the work gave; the planned write of a dry run, for which nothing is done
 * @throws Failure where it could not be made, or is left behind
 */
export const borrow = async (
  context: Context,
  borrowed: Borrowed,
  work: (record: Row) => Promise<void>,
): Promise<TargetResult | undefined> => {
  const { target, create, remove } = borrowed;
  const made = await sendOne(context.api, { call: create(context.api), target });
  // With a failure beside it: it was made, though not all of it as it was asked for.
  const isMade = (made.result.data as Row | null | undefined)?.['id'] !== undefined;
  if (isMade && made.failure !== undefined) {
    const { message, reason } = made.failure;
    context.output.warn([message, reason].filter(Boolean).join('. '));
  }
  if (made.failure !== undefined && !isMade) {
    if (made.result.status !== 'unknown') throw made.failure;
    throw ended(context, made.failure, await unprinted(context.output.result(made.result)));
  }
  if (made.result.status === 'planned') return made.result;
  const record = await recordOf(context, borrowed, made.result);
  const [worked] = await Promise.allSettled([work(record)]);
  const api = context.afterwards();
  const id = textOf(record['id']);
  const { failure } = await sendOne(api, { call: remove(api, id), target: id });
  // What is left at the service matters more than why the work ended.
  if (failure !== undefined) throw leftBehind(failure, borrowed, id);
  if (worked.status === 'rejected') throw worked.reason;
  return undefined;
};
