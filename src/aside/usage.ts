import type { Flag } from '../cli/flag.ts';
import { repeatProblem } from '../cli/invocation.ts';
import { wholeProgram } from '../cli/registry.ts';
import { together } from '../commands/values.ts';
import { helpLine } from '../help/flags.ts';
import { mistakesIn } from '../help/mistakes.ts';
import { type GivenFlag, walkThrough } from '../help/walk.ts';
import type { Machine } from '../host/machine.ts';
import { UsageError } from '../outcome.ts';
import { wrongValues } from './wrong-values.ts';

/** All that is wrong with a command line that leads to no command, told together. */

/** The last value of a flag, all of one that may be repeated. */
const gathered = (flags: readonly GivenFlag[]): ReadonlyMap<Flag, unknown> => {
  const found = new Map<Flag, unknown>();
  for (const { flag, raw } of flags) {
    const before = found.get(flag);
    found.set(flag, flag.repeatable === true ? [...(Array.isArray(before) ? before : []), raw] : raw);
  }
  return found;
};

/** Flags of one value that are given more than once. */
const repeated = (flags: readonly GivenFlag[]): readonly UsageError[] => {
  const single = flags
    .map(({ flag }) => flag)
    .filter(({ value, repeatable }) => value !== undefined && repeatable !== true);
  return [...new Set(single.filter((flag, at) => single.indexOf(flag) < at))].map(repeatProblem);
};

/** `undefined` where the words themselves are in order. */
export const usageFailure = async (
  args: readonly string[],
  machine: Machine,
): Promise<UsageError | undefined> => {
  const walk = await walkThrough(args);
  const mistakes = mistakesIn(walk, await wholeProgram());
  if (mistakes.length === 0) return undefined;
  const look = `Run ${helpLine(walk.command)} for all options.`;
  return together([
    ...mistakes.map(({ what, hint }) => new UsageError(what, { hint: hint ?? look })),
    ...repeated(walk.flags),
    ...wrongValues(walk.command, gathered(walk.flags), machine),
  ]);
};
