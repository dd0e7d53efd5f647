import { textOf } from '../json/text.ts';
import { type CommandLine, commandLineWith } from '../notation/shell-word.ts';
import type { Settings } from './settings-types.ts';

/**
 * The flags of this run that say where it goes, as words. What the environment and the profile say is said to the
 * next command too.
 * @param own the id of another workspace, which the request itself names
 */
export const placeFlags = (
  { profile, workspace }: Pick<Settings, 'profile' | 'workspace'>,
  own?: unknown,
): readonly string[] => {
  const flag = workspace?.from === 'flag' ? workspace.value : undefined;
  const named = own ?? flag;
  return [
    ...(profile.from === 'flag' ? ['--profile', profile.value] : []),
    ...(named === undefined ? [] : ['--workspace', textOf(named)]),
  ];
};

/** Command lines, to be copied, that go where this run goes. The parameters are those of `placeFlags`. */
export const commandLineFor = (
  settings: Pick<Settings, 'profile' | 'workspace'>,
  own?: unknown,
): CommandLine => commandLineWith(placeFlags(settings, own));
