import type { Context } from '../context.ts';
import { type Failure, Unprinted } from '../outcome.ts';

/** Results that could not be printed as asked: what became of the writes is told all the same. */

/** @returns why the results could not be printed as asked, where that is so */
export const unprinted = async (printing: Promise<void>): Promise<Unprinted | undefined> => {
  try {
    await printing;
    return undefined;
  } catch (error) {
    if (error instanceof Unprinted) return error;
    throw error;
  }
};

/** The end of a run, with a warning of what could not be printed: what failed at the service matters more. */
export const ended = ({ output }: Context, end: Failure, lost: Unprinted | undefined): Failure => {
  if (lost !== undefined) output.warn([lost.message, lost.reason].filter(Boolean).join(': '));
  return end;
};
