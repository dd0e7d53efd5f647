import type { Command, Option } from 'commander';
import { factsOf } from '../commands/command.ts';
import { parameterOf } from '../commands/options.ts';
import { checkGiven, choiceProblems, type Given } from '../commands/values.ts';
import { EMPTY_SETTINGS } from '../config/profile.ts';
import { resolveSettings } from '../config/settings.ts';
import type { GlobalFlags } from '../config/settings-types.ts';
import type { Machine } from '../host/machine.ts';
import type { UsageError } from '../outcome.ts';

/** Bad values of a line that never came as far as a command. */

export type GivenFlags = ReadonlyMap<Option, unknown>;

const named = (flags: Iterable<readonly [Option, unknown]>): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...flags].map(([option, raw]) => [option.attributeName(), raw]));

const settingProblems = (command: Command, flags: GivenFlags, { env }: Machine): readonly UsageError[] => {
  const own: GlobalFlags = factsOf(command).newProfile
    ? named(flags)
    : named([...flags].filter(([option]) => !command.options.includes(option)));
  const problems: UsageError[] = [];
  // Which profiles there are is not looked up: the settings file has no part in how a line is written.
  resolveSettings({ flags: own, env, file: EMPTY_SETTINGS, newProfile: true, problems });
  return problems;
};

/** @param flags what was given, by flag: a text, several, or a switch */
export const wrongValues = (command: Command, flags: GivenFlags, machine: Machine): readonly UsageError[] => {
  const given = [...flags].flatMap(([option, raw]): Given[] => {
    const binding = parameterOf(option);
    return binding === undefined ? [] : [{ binding, raw, where: option.long ?? '' }];
  });
  const calendar = { now: machine.clock.now(), timeZone: () => 'UTC' };
  return [
    ...settingProblems(command, flags, machine),
    ...checkGiven(given, calendar).problems,
    ...choiceProblems([...flags].filter(([option]) => command.options.includes(option))),
  ];
};
