import type { Call } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Column, Context } from '../context.ts';
import { sendOne } from './send.ts';

/** A single `create`, `invite`, `update`: no question, one object as the answer. */
export interface One {
  readonly call: Call;
  /** What the person named; a new record has none before the service gives it one. */
  readonly target: string;
  /** Of the record that the service answers with. Absent: the result itself is the answer. */
  readonly columns?: readonly Column[];
  /** For people, after it is done: `restore it with …`. */
  readonly next?: (data: Row) => string;
}

/**
 * Sends one write and prints its record or its result.
 * @throws the failure, after a result of an unknown outcome has been printed
 */
export const one = async (context: Context, { call, target, columns, next }: One): Promise<void> => {
  call.check();
  const { result, failure } = await sendOne(context.api, call, target);
  if (failure !== undefined) {
    if (result.status === 'unknown') await context.output.result(result);
    throw failure;
  }
  const data = result.data as Row | null | undefined;
  if (columns !== undefined && result.status === 'done' && data != null) {
    await context.output.record(data, columns);
  } else {
    await context.output.result(result);
  }
  if (next !== undefined && result.status === 'done') context.output.note(next(data ?? {}));
};
