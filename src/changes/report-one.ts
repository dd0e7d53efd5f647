import type { Row } from '../api/page.ts';
import type { Context, TargetResult } from '../context.ts';
import {
  EXIT,
  type Failure,
  type FailureFacts,
  OutputClosed,
  OutputError,
  toFailureJson,
} from '../outcome.ts';
import type { Change, WriteOne } from './change.ts';
import type { SendResult } from './send-result.ts';

/** Results that could not be printed: what became of the writes is told all the same, so that nobody repeats them. */

export type OutputFailure = OutputError | OutputClosed;

/** @returns why the results could not be printed as asked, where that is so */
export const captureOutputFailure = async (printing: Promise<void>): Promise<OutputFailure | undefined> => {
  try {
    await printing;
    return undefined;
  } catch (error) {
    if (error instanceof OutputError || error instanceof OutputClosed) return error;
    throw error;
  }
};

/** The end of a run, with a warning of what could not be printed: what failed at the service matters more. */
export const withOutputWarning = (
  { output }: Pick<Context, 'output'>,
  end: Failure,
  outputFailure: OutputFailure | undefined,
): Failure => {
  if (outputFailure !== undefined)
    output.warn([outputFailure.message, outputFailure.reason].filter(Boolean).join(': '));
  return end;
};

/** What was done before the output failed. */
export interface CompletedChange {
  /** `2 expenses created` */
  readonly text: string;
  /** The command line that shows it. */
  readonly inspectLine?: string | undefined;
  readonly details?: FailureFacts['details'];
}

/**
 * Prints what became of a change that is done.
 * @param next what is said after it, printed or not
 * @throws as `warnUnprinted`
 */
export const printChange = async (
  context: Pick<Context, 'output'>,
  printing: Promise<void>,
  completed: CompletedChange,
  next: () => unknown = () => {},
): Promise<void> => {
  const outputFailure = await captureOutputFailure(printing);
  next();
  warnUnprinted(context, outputFailure, completed);
};

/**
 * After writes that are done. Of a reader that has gone people are told, and the command is none the worse for it.
 * @throws OutputError for any other loss
 */
export const warnUnprinted = (
  { output }: Pick<Context, 'output'>,
  outputFailure: OutputFailure | undefined,
  { text, inspectLine, details = {} }: CompletedChange,
): void => {
  if (outputFailure === undefined) return;
  const hint = `Do not run the command again. ${inspectLine === undefined ? 'Check the records first.' : `See the results: ${inspectLine}`}`;
  if (outputFailure instanceof OutputClosed) {
    output.warn(`${text}, but the output was closed. ${hint}`);
    return;
  }
  if (outputFailure.code !== 'output_failed') throw outputFailure;
  throw new OutputError(`${text}, but the output could not be written`, {
    code: outputFailure.code,
    exit: EXIT.fault,
    reason: outputFailure.reason,
    hint,
    details,
    cause: outputFailure,
  });
};

/** What was done, for the case that it could not be printed. */
const describeCompleted = async <V>(
  { noun, verb }: WriteOne<V>,
  { call }: SentChange,
  { target, data }: TargetResult,
): Promise<CompletedChange> => {
  const [{ formatInspectLine }, { findCreatedId }] = await Promise.all([
    import('./unknown-outcome.ts'),
    import('./references.ts'),
  ]);
  const created = findCreatedId(call, [data as Row | null | undefined]);
  const subject = created ?? target;
  const text = `${subject === noun[0] ? subject : `${noun[0]} ${subject}`} ${verb[1]}`;
  const details = created === undefined ? {} : { created };
  return { text, inspectLine: formatInspectLine({ call, target }, created), details };
};

type SentChange = Pick<Change, 'call' | 'after'>;

/** What a record is printed after: one that was made, or that was there already. */
const PRINTED: ReadonlySet<string> = new Set(['done', 'unchanged']);

const printResult = async <V>(
  context: Context,
  work: WriteOne<V>,
  change: SentChange,
  { result, observation }: SendResult,
): Promise<void> => {
  const { columns, hint, record, noun } = work;
  const { output } = context;
  const data = result.data as Row | null | undefined;
  const changes = async (): Promise<string> => {
    if (result.status === 'unchanged' || (record === undefined && result.after === undefined)) return '';
    const { describeChange, describeEffect } = await import('./describe-change.ts');
    const { before, after } = result.after === undefined ? (observation ?? {}) : result;
    if (after === undefined) return result.status === 'planned' ? '' : describeChange(output, change);
    return describeEffect(output, { operation: result.operation, before, after });
  };
  const print = async (): Promise<void> => {
    if (columns !== undefined && PRINTED.has(result.status) && data != null) {
      // The record has no place for them.
      for (const text of result.warning_messages ?? []) output.warn(text);
      return output.record(data, columns);
    }
    return output.result(result, { changes, requests: context.settings.debug.value });
  };
  if (result.status === 'unchanged' && data != null)
    output.note(`The ${noun[0]} already exists. Nothing was sent.`);
  // Nothing was written: if its output is lost, that is like the output of a read.
  if (result.status === 'planned' || result.status === 'unchanged') return print();
  const outputFailure = await captureOutputFailure(print());
  if (hint !== undefined && result.status === 'done') output.hint(hint(data ?? {}));
  if (outputFailure !== undefined)
    warnUnprinted(context, outputFailure, await describeCompleted(work, change, result));
};

/**
 * Of a creation whose answer was lost: the record is what was promised. Where the service's records do not show
 * which one it is, the outcome stays unknown.
 */
const reportLostAnswer = async <V>(
  { output }: Context,
  { record, columns }: WriteOne<V>,
  result: TargetResult,
  failure: Failure,
): Promise<void> => {
  const creates = record === undefined && columns !== undefined;
  if (creates && result.data == null) {
    const unknown: TargetResult = { ...result, status: 'unknown', error: toFailureJson(failure) };
    throw withOutputWarning({ output }, failure, await captureOutputFailure(output.result(unknown)));
  }
  if (creates) output.note(result.message ?? '');
};

/**
 * Prints the record or the result of a single write.
 * @throws the failure, after a result of an unknown outcome has been printed
 */
export const reportOne = async <V>(
  context: Context,
  work: WriteOne<V>,
  change: SentChange,
  sent: SendResult,
): Promise<void> => {
  const { result, failure, lostAnswer, requestId } = sent;
  context.events.result(result, requestId);
  if (failure !== undefined) {
    // What was made or changed is there, though not as it was meant: people and scripts need to know which.
    if (result.status !== 'unknown' && failure.code !== 'not_saved') throw failure;
    throw withOutputWarning(context, failure, await captureOutputFailure(context.output.result(result)));
  }
  if (lostAnswer !== undefined) await reportLostAnswer(context, work, result, lostAnswer);
  await printResult(context, work, change, sent);
};
