import { repeatProblem } from '../commands/options.ts';
import { together } from '../commands/values.ts';
import { helpLine } from '../help/flags.ts';
import { mistakesIn } from '../help/mistakes.ts';
import { type GivenFlag, walkThrough } from '../help/walk.ts';
import { UsageError } from '../outcome.ts';
import type { Line } from './aside.ts';
import { wrongValues } from './wrong-values.ts';

/** All that is wrong with a command line that commander refused, told together. */

/** The last value of a flag, all of one that may be repeated. */
const gathered = (flags: readonly GivenFlag[]): ReadonlyMap<GivenFlag['option'], unknown> => {
  const found = new Map<GivenFlag['option'], unknown>();
  for (const { option, raw } of flags) {
    const before = found.get(option);
    found.set(option, option.parseArg === undefined ? raw : [...(Array.isArray(before) ? before : []), raw]);
  }
  return found;
};

/** Flags of one value that are given more than once. */
const repeated = (flags: readonly GivenFlag[]): readonly UsageError[] => {
  const single = flags.map(({ option }) => option).filter((option) => option.required && !option.parseArg);
  return [...new Set(single.filter((option, at) => single.indexOf(option) < at))].map(repeatProblem);
};

/** `undefined` where the words themselves are in order. */
export const usageFailure = async (line: Line): Promise<UsageError | undefined> => {
  const { program, args, fill, whole, machine } = line;
  const walk = await walkThrough(program(), args, fill);
  const mistakes = mistakesIn(walk, await whole());
  if (mistakes.length === 0) return undefined;
  const look = `See what there is: ${helpLine(walk.command)}`;
  return together([
    ...mistakes.map(({ what, hint }) => new UsageError(what, { hint: hint ?? look })),
    ...repeated(walk.flags),
    ...wrongValues(walk.command, gathered(walk.flags), machine),
  ]);
};
