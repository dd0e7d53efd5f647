import { toText } from '../json.ts';
import { type CommandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import type { Settings } from './settings-types.ts';

/**
 * The flags of this run that say where it goes, as words. What the environment and the profile say is said to the
 * next command too.
 * @param workspaceId the id of another workspace, which the request itself names
 */
export const listDestinationFlags = (
  { profile, workspace }: Pick<Settings, 'profile' | 'workspace'>,
  workspaceId?: unknown,
): readonly string[] => {
  const flag = workspace?.from === 'flag' ? workspace.value : undefined;
  const selected = workspaceId ?? flag;
  return [
    ...(profile.from === 'flag' ? ['--profile', profile.value] : []),
    ...(selected === undefined ? [] : ['--workspace', toText(selected)]),
  ];
};

/** Command lines, to be copied, that go where this run goes. The parameters are those of `listDestinationFlags`. */
export const createCommandLine = (
  settings: Pick<Settings, 'profile' | 'workspace'>,
  workspaceId?: unknown,
): CommandLine => createCommandTemplate(listDestinationFlags(settings, workspaceId));
