import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { UsageError } from '../../outcome.ts';
import { createCommandTemplate } from '../../parsing/shell-word.ts';
import type { JobHeader } from './record.ts';

/** Which service a job is for, so that it is never gone on with at another. */

type Place = Pick<JobHeader, 'profile' | 'origin' | 'workspace_id' | 'flags'>;

const originOf = ({ settings }: Context): string =>
  settings.baseUrl === undefined ? 'embedded' : new URL(settings.baseUrl.value).origin;

export const placeOf = async (context: Context): Promise<Place> => {
  const { profile, workspace } = context.settings;
  const workspaceId = (await context.knownWorkspaceId()) ?? null;
  const named = profile.from === 'flag' || profile.from === 'environment';
  return {
    profile: profile.value,
    origin: originOf(context),
    workspace_id: workspaceId,
    flags: [
      ...(named ? ['--profile', profile.value] : []),
      ...(workspace?.from === 'flag' ? ['--workspace', String(workspaceId)] : []),
    ],
  };
};

/** The command line that goes on with a job. */
export const formatResumeCommand = ({ id, flags }: Pick<JobHeader, 'id' | 'flags'>): string => {
  const commandLine = createCommandTemplate(flags);
  return commandLine`ttctl jobs resume ${id}`;
};

/** The command line of an operation for the rows of a file, at the job's service. */
export const formatFromFileCommand = (
  { flags }: Pick<JobHeader, 'flags'>,
  operation: string,
  file: string,
): string => {
  const commandLine = createCommandTemplate(flags);
  return commandLine`ttctl ${operation.split('.')} --from-file ${file}`;
};

const flagOf = ({ flags }: Pick<JobHeader, 'flags'>, name: string): readonly string[] => {
  const at = flags.indexOf(name);
  return at < 0 ? [] : flags.slice(at, at + 2);
};

/** @throws UsageError when the settings mean another service than the job's */
export const checkJobDestination = async (context: Context, head: JobHeader): Promise<void> => {
  const now = await placeOf(context);
  const differ = (what: string, was: unknown, is: unknown, hint: string): UsageError =>
    new UsageError(`job ${head.id} is for another ${what}`, {
      code: 'other_place',
      reason: `It was started for ${what} ${was}; this is ${what} ${is ?? 'none'}.`,
      hint,
    });
  if (now.profile !== head.profile) {
    const flags = ['--profile', head.profile, ...flagOf(head, '--workspace')];
    const hint = `Pass it: ${formatResumeCommand({ id: head.id, flags })}`;
    throw differ('profile', head.profile, now.profile, hint);
  }
  if (now.origin !== head.origin) {
    const hint = `The profile now points elsewhere. See ${context.commandLine`ttctl profile show`}`;
    throw differ('service', head.origin, now.origin, hint);
  }
  if (toText(now.workspace_id) !== toText(head.workspace_id)) {
    const flags = [...flagOf(now, '--profile'), '--workspace', toText(head.workspace_id)];
    const hint = `Pass it: ${formatResumeCommand({ id: head.id, flags })}`;
    throw differ('workspace', head.workspace_id, now.workspace_id, hint);
  }
};
