import type { Resource } from '../resources/define.ts';
import { loadResource } from '../resources/registry.ts';
import { type CommandNode, getLastWord, type Noun, type Program } from './command.ts';
import type { CommandInfo } from './flag.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';

/** The nouns of the command line, and where the commands of each are: loaded when one is called, or told about. */

interface Entry extends Noun {
  readonly load: () => Promise<(noun: Noun) => CommandNode>;
}

type Line = Pick<Entry, 'path' | 'about' | 'heading' | 'load'> & { readonly alias?: string };

/** @param loadOthers commands of the noun that are none of its resource */
async function loadCommandsOf(
  noun: string,
  loadOthers?: () => Promise<readonly CommandNode[]>,
): Promise<(noun: Noun) => CommandNode> {
  const [{ defineNoun }, resource, others] = await Promise.all([
    import('../commands/verbs.ts'),
    loadResource(noun) as Promise<Resource>,
    loadOthers?.(),
  ]);
  return (info) => defineNoun(info, resource, others);
}

const WORK = 'Work with the service';
const TOOL = 'Setup and sandbox';

const LINES: readonly Line[] = [
  {
    path: 'status',
    about: 'show what is waiting, who has not submitted, and who is away',
    heading: WORK,
    load: async () => (await import('../commands/status/index.ts')).status,
  },
  {
    path: 'inbox',
    about: 'show everything waiting for a decision, oldest first; decide on it in a terminal',
    heading: WORK,
    load: async () => (await import('../commands/inbox/index.ts')).inbox,
  },
  {
    path: 'workspaces',
    about: 'list workspaces and choose the default; save, compare and apply them as files',
    heading: WORK,
    load: async () => (await import('../commands/workspaces/index.ts')).workspaces,
  },
  {
    path: 'members',
    about: 'invite, update, archive and restore members',
    heading: WORK,
    load: () => loadCommandsOf('members'),
  },
  {
    path: 'viewers',
    alias: 'project-viewers',
    about: 'manage external viewers of projects',
    heading: WORK,
    load: () => loadCommandsOf('viewers'),
  },
  {
    path: 'projects',
    about: 'create, update and archive projects',
    heading: WORK,
    load: () => loadCommandsOf('projects'),
  },
  {
    path: 'contracts',
    about: 'assign members to projects, with hours and rates',
    heading: WORK,
    load: () => loadCommandsOf('contracts'),
  },
  {
    path: 'tasks',
    about: 'manage the tasks of a project and their assignees',
    heading: WORK,
    load: () => loadCommandsOf('tasks'),
  },
  {
    path: 'timesheets',
    about: 'approve, reject and submit timesheets',
    heading: WORK,
    load: () => loadCommandsOf('timesheets'),
  },
  {
    path: 'leaves',
    about: 'approve and reject leave requests; show balances and policies',
    heading: WORK,
    load: () => loadCommandsOf('leaves'),
  },
  {
    path: 'time-requests',
    about: 'create, approve and reject requests for manual time',
    heading: WORK,
    load: () => loadCommandsOf('time-requests'),
  },
  {
    path: 'expenses',
    about: 'record, update and delete expenses; list categories',
    heading: WORK,
    load: () => loadCommandsOf('expenses'),
  },
  {
    path: 'time-tracking',
    alias: 'tracker',
    about: 'stop the running tracker',
    heading: WORK,
    load: () => loadCommandsOf('time-tracking'),
  },
  {
    path: 'close',
    about: 'check whether a period can be closed',
    heading: WORK,
    load: async () => (await import('../commands/close/index.ts')).close,
  },
  {
    path: 'webhooks',
    about: 'manage webhooks; receive and replay deliveries',
    heading: WORK,
    load: () =>
      loadCommandsOf('webhooks', async () => (await import('../commands/webhooks/index.ts')).deliveries),
  },
  {
    path: 'api',
    about: 'send any API request',
    heading: WORK,
    load: async () => (await import('../commands/api/index.ts')).api,
  },
  {
    path: 'jobs',
    about: 'inspect and resume bulk runs',
    heading: WORK,
    load: async () => (await import('../commands/jobs/index.ts')).jobs,
  },
  {
    path: 'plan',
    about: 'show, check and apply plans made with --plan',
    heading: WORK,
    load: async () => (await import('../commands/plan/index.ts')).plan,
  },
  {
    path: 'history',
    about: 'list and show what was written, with old and new values',
    heading: WORK,
    load: async () => (await import('../commands/history/index.ts')).history,
  },
  {
    path: 'undo',
    about: 'undo a write, or all writes of a run',
    heading: WORK,
    load: async () => (await import('../commands/undo/index.ts')).undo,
  },
  {
    path: 'auth',
    about: 'sign in, sign out and show the sign-in status',
    heading: TOOL,
    load: async () => (await import('../commands/auth/index.ts')).auth,
  },
  {
    path: 'profile',
    about: 'manage profiles for several services and workspaces',
    heading: TOOL,
    load: async () => (await import('../commands/profile/index.ts')).profile,
  },
  {
    path: 'doctor',
    about: 'check settings, credentials, address, workspace, clock and limits',
    heading: TOOL,
    load: async () => (await import('../commands/doctor/index.ts')).doctor,
  },
  {
    path: 'sandbox',
    about: 'run the whole service locally, for trials and tests',
    heading: TOOL,
    load: async () => (await import('../commands/sandbox/index.ts')).sandbox,
  },
  {
    path: 'schema',
    about: 'print the commands as JSON: flags, outputs, exit codes',
    heading: TOOL,
    load: async () => (await import('../commands/schema/index.ts')).schema,
  },
  {
    path: 'completion',
    about: 'print completion scripts for bash, zsh, fish and PowerShell',
    heading: TOOL,
    load: async () => (await import('../commands/completion/index.ts')).completion,
  },
];

const ENTRIES: readonly Entry[] = LINES.map(({ alias, ...line }) => ({
  ...line,
  name: getLastWord(line.path),
  aliases: alias === undefined ? [] : [alias],
}));

export const NOUNS: readonly Noun[] = ENTRIES;

/** The program before any noun is loaded. */
export const ROOT: Program = {
  path: '',
  name: 'ttctl',
  aliases: [],
  about: 'manage the workspaces of a time tracking service',
  flags: GLOBAL_FLAGS,
  commands: [],
};

const loadEntry = async ({ load, ...noun }: Entry): Promise<CommandNode> => (await load())(noun);

/** A noun with its commands; `undefined` where there is none of that path. */
export const loadNoun = async ({ path }: Pick<CommandInfo, 'path'>): Promise<CommandNode | undefined> => {
  const entry = ENTRIES.find((one) => one.path === path);
  return entry && loadEntry(entry);
};

/** The program with every noun loaded: for the schema and completion. */
export const loadProgram = async (): Promise<Program> => ({
  ...ROOT,
  commands: await Promise.all(ENTRIES.map(loadEntry)),
});
