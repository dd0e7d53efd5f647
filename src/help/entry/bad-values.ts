import { type CommandNode, isGroup } from '../../cli/command.ts';
import { type Flag, formatLongFlag, getOptionKey } from '../../cli/flag.ts';
import { ROOT } from '../../cli/registry.ts';
import { findChoiceErrors } from '../../commands/convert.ts';
import { checkGiven, type GivenValue } from '../../commands/values.ts';
import { EMPTY_SETTINGS } from '../../config/profile.ts';
import { resolveSettings } from '../../config/settings.ts';
import type { GlobalFlags } from '../../config/settings-types.ts';
import type { UsageError } from '../../outcome.ts';
import type { Machine } from '../../platform/machine.ts';

/** Bad values of a line that never came as far as a command. */

export type FlagValues = ReadonlyMap<Flag, unknown>;

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
export const findBadValues = (
  command: CommandNode,
  flags: FlagValues,
  machine: Machine,
): readonly UsageError[] => {
  const given = [...flags].flatMap(([flag, raw]): GivenValue[] => {
    const { binding } = flag;
    return binding === undefined ? [] : [{ binding, raw, where: formatLongFlag(flag) }];
  });
  const calendar = { now: machine.clock.now(), timeZone: () => 'UTC' };
  const own = listOwnFlags(command);
  return [
    ...findSettingProblems(command, flags, machine),
    ...checkGiven(given, calendar).problems,
    ...findChoiceErrors([...flags].filter(([flag]) => own.includes(flag))),
  ];
};
