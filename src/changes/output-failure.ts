import type { Context } from '../context.ts';
import { EXIT, type Failure, type FailureFacts, OutputClosed, OutputError } from '../outcome.ts';

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
  lost: OutputFailure | undefined,
): Failure => {
  if (lost !== undefined) output.warn([lost.message, lost.reason].filter(Boolean).join(': '));
  return end;
};

/** What was done before the output failed. */
export interface CompletedChange {
  /** `2 expenses created` */
  readonly text: string;
  /** The command line that shows it. */
  readonly look?: string | undefined;
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
  written: CompletedChange,
  next: () => unknown = () => {},
): Promise<void> => {
  const lost = await captureOutputFailure(printing);
  next();
  warnUnprinted(context, lost, written);
};

/**
 * After writes that are done. Of a reader that has gone people are told, and the command is none the worse for it.
 * @throws Unprinted for any other loss
 */
export const warnUnprinted = (
  { output }: Pick<Context, 'output'>,
  lost: OutputFailure | undefined,
  { text, look, details = {} }: CompletedChange,
): void => {
  if (lost === undefined) return;
  const hint = `Do not run the command again. ${look === undefined ? 'Check the records first.' : `See the results: ${look}`}`;
  if (lost instanceof OutputClosed) {
    output.warn(`${text}, but the output was closed. ${hint}`);
    return;
  }
  if (lost.code !== 'output_failed') throw lost;
  throw new OutputError(`${text}, but the output could not be written`, {
    code: lost.code,
    exit: EXIT.fault,
    reason: lost.reason,
    hint,
    details,
    cause: lost,
  });
};
