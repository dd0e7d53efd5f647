import type { Api, ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../errors.ts';
import { toText } from '../json.ts';
import type { Result } from '../output/result.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { type RunWords, toSingleChange } from './change.ts';
import { captureOutputFailure, withOutputWarning } from './report.ts';
import { sendSingle } from './send-single.ts';

export interface TemporaryResource {
  readonly target: string;
  readonly create: (api: Api) => ApiCall;
  readonly remove: (api: Api, id: string) => ApiCall;
  /** The record, where the answer that told of it was lost. */
  readonly find: (api: Api) => Promise<Row | undefined>;
  readonly noun: string;
  readonly byHand: (id: string | symbol) => string;
}

const createLeftBehindError = (failure: Failure, { noun, byHand }: TemporaryResource, id: string): Failure =>
  new Failure(`the ${noun} ${id} still exists: ${failure.message}`, {
    code: 'left_behind',
    exit: failure.exit,
    reason: failure.reason,
    hint: `Remove it with: ${byHand(id)}`,
    cause: failure,
  });

/** It is there now, whatever the answer said. */
const requireRecord = async (context: Context, resource: TemporaryResource, result: Result): Promise<Row> => {
  const record = (result.data as Row | null | undefined) ?? (await resource.find(context.afterwards()));
  if (record?.['id'] !== undefined) return record;
  throw new Failure(`the service did not return the id of the ${resource.noun} it created`, {
    code: 'no_record',
    exit: EXIT.tryLater,
    hint: `Check whether it exists, and remove it with: ${resource.byHand(placeholder('id'))}`,
  });
};

/**
 * Makes the record, works, and removes it again: after Ctrl-C and after a failure too. Each is sent once.
 * @returns what the work gave; the planned write of a dry run, for which nothing is done
 * @throws Failure where it could not be made, or is left behind
 */
export const withTemporaryResource = async (
  context: Context,
  borrowed: TemporaryResource,
  work: (record: Row) => Promise<void>,
): Promise<Result | undefined> => {
  const { target, create, remove } = borrowed;
  const words = (verb: RunWords['verb']): RunWords => ({ verb, noun: [borrowed.noun, `${borrowed.noun}s`] });
  const toMake = toSingleChange(create(context.api), target);
  const created = await sendSingle(context, words(['create', 'created']), toMake);
  context.events.result(created.result, created.requestId);
  // With a failure beside it: it was made, though not all of it as it was asked for.
  const isCreated = (created.result.data as Row | null | undefined)?.['id'] !== undefined;
  if (isCreated && created.failure !== undefined) {
    const { message, reason } = created.failure;
    context.output.warn([message, reason].filter(Boolean).join('. '));
  }
  if (created.failure !== undefined && !isCreated) {
    if (created.result.status !== 'unknown') throw created.failure;
    throw withOutputWarning(
      context,
      created.failure,
      await captureOutputFailure(context.output.result(created.result)),
    );
  }
  if (created.result.status === 'planned') return created.result;
  const record = await requireRecord(context, borrowed, created.result);
  const [outcome] = await Promise.allSettled([work(record)]);
  const api = context.afterwards();
  const id = toText(record['id']);
  const toRemove = toSingleChange(remove(api, id), id);
  const removed = await sendSingle(context, words(['delete', 'deleted']), toRemove, {}, api);
  context.events.result(removed.result, removed.requestId);
  const { failure } = removed;
  // What is left at the service matters more than why the work ended.
  if (failure !== undefined) throw createLeftBehindError(failure, borrowed, id);
  if (outcome.status === 'rejected') throw outcome.reason;
  return undefined;
};
