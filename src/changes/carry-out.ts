import type { Context, TargetResult } from '../context.ts';
import type { Brake } from './brake.ts';
import { announcement, progressText } from './pace-words.ts';
import type { Sent } from './send.ts';
import {
  counted,
  type Earlier,
  endOf,
  type JobFacts,
  newTally,
  plural,
  type Tally,
  type Words,
} from './tally.ts';
import { ended, type OutputLoss, tellUnprinted, unprinted } from './unprinted.ts';

/** A run as people see it: what is said before, while it goes on, and after. */

export interface CarryOut {
  readonly words: Words;
  /** Different rows. */
  readonly count: number;
  readonly brake: Brake;
  /** What became of the rows of earlier runs of the same job. */
  readonly earlier?: Earlier | undefined;
  /** Whether a person was asked, and has read above the question how long it takes. */
  readonly asked?: boolean | undefined;
  /** For people, after all is done: how to take it back. */
  readonly next?: ((targets: readonly string[]) => string) | undefined;
  /** For people, after the last row whatever became of it. */
  readonly told?: ((done: readonly string[]) => string) | undefined;
  /** The next useful command, for a person at a terminal. */
  readonly hint?: ((targets: readonly string[]) => string) | undefined;
  /** The command line that shows what became of it, where there is no job. */
  readonly look?: string | undefined;
  /** A target in a few words, where they are known. */
  readonly about?: ((target: string) => string | undefined) | undefined;
}

interface Course extends CarryOut {
  readonly results: AsyncIterable<Sent>;
  /** After the last row: what the job adds to the end. */
  readonly close?: () => Promise<JobFacts>;
}

/** From here on a run lets single commands pass (docs/requirements.md, CLI-6). */
const MANY = 20;

/** Different rows of the whole job. */
const wholeOf = ({ count, earlier }: CarryOut): number =>
  count + (earlier === undefined ? 0 : earlier.done + earlier.failures.length);

/** @throws as `tellUnprinted`; of a dry run the loss itself */
const tellLoss = (
  context: Context,
  { words, look }: Course,
  { done }: Tally,
  { lost, job }: { readonly lost: OutputLoss; readonly job: JobFacts },
): void => {
  if (context.settings.dryRun.value) throw lost;
  const text = `${plural(done.length, words.noun)} ${words.verb[1]}`;
  const details = { ...job.details, done: done.length };
  tellUnprinted(context, lost, { text, look: job.look ?? look, details });
};

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
  const about = {
    count: wholeOf(course),
    unsaid,
    ...(words === undefined ? {} : { words }),
  };
  const printing = watch.during(
    () => progressText(context, tally, count),
    () => output.results(counted(results, tally), about),
  );
  const lost = await unprinted(printing);
  const job = (await close?.()) ?? {};
  if (told !== undefined && writes) output.note(told(tally.done));
  const end = endOf(context, { ...course, tally, job, printed: lost === undefined });
  if (end !== undefined) throw ended(context, end, lost);
  if (tally.done.length > 0 && writes) {
    if (next !== undefined) output.note(next(tally.done));
    if (hint !== undefined) output.hint(hint(tally.done));
  }
  if (said !== undefined && job.done !== undefined) output.note(job.done);
  if (lost !== undefined) tellLoss(context, course, tally, { lost, job });
};
