import type { Context } from '../../context.ts';
import { textOf } from '../../json/text.ts';
import { commandLine, shellWord } from '../../notation/shell-word.ts';
import { UsageError } from '../../outcome.ts';
import type { JobHead } from './record.ts';

/** Which service a job is for, so that it is never gone on with at another. */

type Place = Pick<JobHead, 'profile' | 'origin' | 'workspace_id' | 'flags'>;

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
export const resumeLine = ({ id, flags }: Pick<JobHead, 'id' | 'flags'>): string =>
  [commandLine`ttctl jobs resume ${id}`, ...flags.map(shellWord)].join(' ');

/** The command line of an operation for the rows of a file, at the job's service. */
export const feedLine = ({ flags }: Pick<JobHead, 'flags'>, operation: string, file: string): string =>
  [commandLine`ttctl ${operation.split('.')} --from-file ${file}`, ...flags.map(shellWord)].join(' ');

/** @throws UsageError when the settings mean another service than the job's */
export const checkPlace = async (context: Context, head: JobHead): Promise<void> => {
  const now = await placeOf(context);
  const differ = (what: string, was: unknown, is: unknown, hint: string): UsageError =>
    new UsageError(`job ${head.id} is for another ${what}`, {
      code: 'other_place',
      reason: `It was begun for ${what} ${was}; this is ${what} ${is ?? 'none'}.`,
      hint,
    });
  if (now.profile !== head.profile) {
    const hint = `Name it: ${commandLine`ttctl jobs resume ${head.id} --profile ${head.profile}`}`;
    throw differ('profile', head.profile, now.profile, hint);
  }
  if (now.origin !== head.origin) {
    const hint = 'The profile points elsewhere now: see ttctl profile show';
    throw differ('service', head.origin, now.origin, hint);
  }
  if (textOf(now.workspace_id) !== textOf(head.workspace_id)) {
    const hint = `Name it: ${commandLine`ttctl jobs resume ${head.id} --workspace ${head.workspace_id}`}`;
    throw differ('workspace', head.workspace_id, now.workspace_id, hint);
  }
};
