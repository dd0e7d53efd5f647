import { type CommandNode, isGroup } from '../../cli/command.ts';
import { type Flag, formatLongFlag, getOptionKey } from '../../cli/flag.ts';
import { createRepeatError } from '../../cli/invocation.ts';
import { loadProgram, ROOT } from '../../cli/registry.ts';
import { checkGiven, combineErrors, findChoiceErrors, type GivenValue } from '../../commands/values.ts';
import type { GlobalFlags } from '../../config/settings.ts';
import { resolveSettings } from '../../config/settings.ts';
import { EMPTY_SETTINGS } from '../../config/store.ts';
import { UsageError } from '../../errors.ts';
import type { Machine } from '../../platform/machine.ts';
import { formatHelpCommand } from '../flags.ts';
import { findMistakes } from '../mistakes.ts';
import { analyseLine, type GivenFlag } from '../walk.ts';

/** Bad values of a line that never came as far as a command. */

type FlagValues = ReadonlyMap<Flag, unknown>;

const listOwnFlags = (node: CommandNode): readonly Flag[] => {
  if (node === ROOT) return ROOT.flags;
  return isGroup(node) ? [] : node.flags;
};

const toOptions = (flags: Iterable<readonly [Flag, unknown]>): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...flags].map(([flag, raw]) => [getOptionKey(flag), raw]));

const findSettingProblems = (
  command: CommandNode,
  flags: FlagValues,
  { env }: Machine,
): readonly UsageError[] => {
  const makesProfile = !isGroup(command) && command.newProfile === true;
  const own = listOwnFlags(command);
  const settings: GlobalFlags = toOptions(
    makesProfile ? flags : [...flags].filter(([flag]) => !own.includes(flag)),
  );
  const problems: UsageError[] = [];
  // Which profiles there are is not looked up: the settings file has no part in how a line is written.
  resolveSettings({ flags: settings, env, file: EMPTY_SETTINGS, newProfile: true, problems });
  return problems;
};

/** @param flags what was given, by flag: a text, several, or a switch */
const findBadValues = (command: CommandNode, flags: FlagValues, machine: Machine): readonly UsageError[] => {
  const given = [...flags].flatMap(([flag, raw]): GivenValue[] => {
    const { binding } = flag;
    return binding === undefined ? [] : [{ binding, raw, where: formatLongFlag(flag) }];
  });
  const calendar = { now: machine.clock.now(), timeZone: () => 'UTC' };
  const own = listOwnFlags(command);
  return [
    ...findSettingProblems(command, flags, machine),
    ...checkGiven(given, calendar).problems,
    ...findChoiceErrors(own, toOptions(flags)),
  ];
};

/** All that is wrong with a command line that leads to no command, told together. */

const collectValues = (flags: readonly GivenFlag[]): ReadonlyMap<Flag, unknown> => {
  const values = new Map<Flag, unknown>();
  for (const { flag, raw } of flags) {
    const before = values.get(flag);
    values.set(flag, flag.repeatable === true ? [...(Array.isArray(before) ? before : []), raw] : raw);
  }
  return values;
};

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
