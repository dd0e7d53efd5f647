import type { Context, TargetResult } from '../context.ts';
import type { Brake } from './brake.ts';
import { announcement, progressText } from './pace-words.ts';
import type { Sent } from './send.ts';
import { counted, endOf, type JobFacts, newTally, type Words } from './tally.ts';
import { ended, unprinted } from './unprinted.ts';

/** A run as people see it: what is said before, while it goes on, and after. */

export interface CarryOut {
  readonly words: Words;
  /** Different rows. */
  readonly count: number;
  readonly brake: Brake;
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly asked?: boolean | undefined;
  /** For people, after all is done: how to take it back. */
  readonly next?: ((targets: readonly string[]) => string) | undefined;
  /** For people, after the last row whatever became of it. */
  readonly told?: ((done: readonly string[]) => string) | undefined;
  /** The next useful command, for a person at a terminal. */
  readonly hint?: ((targets: readonly string[]) => string) | undefined;
  /** A target in a few words, where they are known. */
  readonly about?: ((target: string) => string | undefined) | undefined;
}

interface Course extends CarryOut {
  readonly results: AsyncIterable<Sent>;
  /** After the last row: what the job adds to the end. */
  readonly close?: () => Promise<JobFacts>;
}

/** From here on a run lets single commands pass (contract, section 6). */
const MANY = 20;

/**
 * Carries the run out and prints a result for each row.
 * @throws Failure when any row failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   else Unprinted where the results could not be printed as asked
 */
export const carryOut = async (context: Context, course: Course): Promise<void> => {
  const { count, results, asked, next, told, hint, close, about: words } = course;
  const { output, settings, watch, clock } = context;
  const tally = newTally(clock.now());
  const writes = !settings.dryRun.value;
  const said = writes ? announcement(context, count) : undefined;
  if (said !== undefined && !asked) output.note(said);
  if (writes && count > MANY) await context.bulk();
  const unsaid = (result: TargetResult): boolean => tally.unbegun.has(result);
  const about = { count, unsaid, ...(words === undefined ? {} : { words }) };
  const printing = watch.during(
    () => progressText(context, tally, count),
    () => output.results(counted(results, tally), about),
  );
  const lost = await unprinted(printing);
  const job = (await close?.()) ?? {};
  if (told !== undefined && writes) output.note(told(tally.done));
  const end = endOf(context, { ...course, tally, job });
  if (end !== undefined) throw ended(context, end, lost);
  if (tally.done.length > 0 && writes) {
    if (next !== undefined) output.note(next(tally.done));
    if (hint !== undefined) output.hint(hint(tally.done));
  }
  if (said !== undefined && job.done !== undefined) output.note(job.done);
  if (lost !== undefined) throw lost;
};
