import type { Context } from '../context.ts';
import { createBrake } from './brake.ts';
import type { Sent } from './send.ts';
import { counted, endOf, newTally, plural, type Words } from './tally.ts';
import { ended, tellUnprinted, unprinted } from './unprinted.ts';

/**
 * Prints a result for each of some targets that nothing is sent to the service for.
 * @throws Failure when any of them failed, after all results are printed; Cancelled when interrupted
 */
export const report = async (
  context: Context,
  words: Words,
  sents: AsyncIterable<Sent>,
  count: number,
): Promise<void> => {
  await context.output.checkNames();
  const tally = newTally(context.clock.now());
  const lost = await unprinted(context.output.results(counted(sents, tally)));
  const end = endOf(context, {
    tally,
    count,
    words,
    brake: createBrake(),
    job: {},
    printed: lost === undefined,
  });
  if (end !== undefined) throw ended(context, end, lost);
  if (lost !== undefined && context.settings.dryRun.value) throw lost;
  tellUnprinted(context, lost, { text: `${plural(tally.done.length, words.noun)} ${words.verb[1]}` });
};
