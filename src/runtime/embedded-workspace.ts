import type { Sourced } from '../config/values.ts';
import { EXIT, Failure } from '../outcome.ts';

/** Whether the embedded sandbox has the workspace that is meant. */

interface Workspace {
  readonly id: number;
  readonly name: string;
}

/** Why it is asked for, and how to go on without it. */
const SOURCES: Readonly<Record<Sourced<unknown>['from'], { reason?: string; remedy: string }>> = {
  flag: { remedy: 'Omit --workspace to use the first, or name another.' },
  environment: {
    reason: 'It comes from TTCTL_WORKSPACE, which may be meant for another service.',
    remedy: 'Unset TTCTL_WORKSPACE to use the first, or name another with --workspace.',
  },
  profile: {
    reason: 'It is the default workspace of profile sandbox.',
    remedy:
      'Choose another with --workspace, or change the default with ttctl --profile sandbox workspaces use <workspace>.',
  },
  default: { remedy: 'Choose another with --workspace.' },
};

/**
 * A workspace of another service is likely one that was left in the environment.
 * @throws Failure (exit 5) for one that the sandbox does not have
 */
export const checkEmbeddedWorkspace = (wanted: Sourced<string>, workspaces: readonly Workspace[]): void => {
  const text = wanted.value.toLowerCase();
  const isMeant = ({ id, name }: Workspace): boolean =>
    /^\d{1,15}$/.test(text) ? id === Number(text) : name.toLowerCase() === text;
  if (workspaces.some(isMeant)) return;
  const { reason, remedy } = SOURCES[wanted.from];
  const known = workspaces.map(({ id, name }) => `${id} ${name}`).join(', ');
  throw new Failure(`the sandbox has no workspace "${wanted.value}"`, {
    code: 'not_found',
    exit: EXIT.notFound,
    ...(reason === undefined ? {} : { reason }),
    hint: `${remedy} The sandbox has: ${known}.`,
  });
};
