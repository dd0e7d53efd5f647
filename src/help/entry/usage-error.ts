import type { Flag } from '../../cli/flag.ts';
import { createRepeatError } from '../../cli/invocation.ts';
import { loadProgram } from '../../cli/registry.ts';
import { combineErrors } from '../../commands/values.ts';
import { UsageError } from '../../outcome.ts';
import type { Machine } from '../../platform/machine.ts';
import { formatHelpCommand } from '../flags.ts';
import { findMistakes } from '../mistakes.ts';
import { analyseLine, type GivenFlag } from '../walk.ts';
import { findBadValues } from './bad-values.ts';

/** All that is wrong with a command line that leads to no command, told together. */

/** The last value of a flag, all of one that may be repeated. */
const collectValues = (flags: readonly GivenFlag[]): ReadonlyMap<Flag, unknown> => {
  const values = new Map<Flag, unknown>();
  for (const { flag, raw } of flags) {
    const before = values.get(flag);
    values.set(flag, flag.repeatable === true ? [...(Array.isArray(before) ? before : []), raw] : raw);
  }
  return values;
};

/** Flags of one value that are given more than once. */
const findRepeated = (flags: readonly GivenFlag[]): readonly UsageError[] => {
  const single = flags
    .map(({ flag }) => flag)
    .filter(({ value, repeatable }) => value !== undefined && repeatable !== true);
  return [...new Set(single.filter((flag, at) => single.indexOf(flag) < at))].map(createRepeatError);
};

/** `undefined` where the words themselves are in order. */
export const findUsageError = async (
  args: readonly string[],
  machine: Machine,
): Promise<UsageError | undefined> => {
  const walk = await analyseLine(args);
  const mistakes = findMistakes(walk, await loadProgram());
  if (mistakes.length === 0) return undefined;
  const helpHint = `Run ${formatHelpCommand(walk.command)} for all options.`;
  return combineErrors([
    ...mistakes.map(({ what, hint }) => new UsageError(what, { hint: hint ?? helpHint })),
    ...findRepeated(walk.flags),
    ...findBadValues(walk.command, collectValues(walk.flags), machine),
  ]);
};
