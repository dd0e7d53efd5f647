import type { Resource } from '../resources/define.ts';
import { type CommandNode, getLastWord, Line, type Noun, type Program } from './command.ts';
import { type CommandInfo, type Flag, GLOBAL_FLAGS } from './flag.ts';

/** The nouns of the command line, and where the commands of each are: loaded when one is called, or told about. */

interface Entry extends Noun {
  readonly load: () => Promise<(noun: Noun) => CommandNode>;
}

type Row = Pick<Entry, 'path' | 'about' | 'load'> & Partial<Pick<Entry, 'aliases'>>;

const SERVICE: readonly Row[] = [
  {
    path: 'status',
    about: 'show what is waiting, who has not submitted, and who is away',
    load: async () => (await import('../commands/status/index.ts')).status,
  },
  {
    path: 'inbox',
    about: 'show everything waiting for a decision, oldest first; decide on it in a terminal',
    load: async () => (await import('../commands/inbox/index.ts')).inbox,
  },
  {
    path: 'workspaces',
    about: 'list workspaces and choose the default; save, compare and apply them as files',
    load: async () => (await import('../commands/workspaces/index.ts')).workspaces,
  },
  {
    path: 'members',
    about: 'invite, update, archive and restore members',
    load: () => loadCommandsOf('members'),
  },
  {
    path: 'viewers',
    aliases: ['project-viewers'],
    about: 'manage external viewers of projects',
    load: () => loadCommandsOf('viewers'),
  },
  {
    path: 'projects',
    about: 'create, update and archive projects',
    load: () => loadCommandsOf('projects'),
  },
  {
    path: 'contracts',
    about: 'assign members to projects, with hours and rates',
    load: () => loadCommandsOf('contracts'),
  },
  {
    path: 'tasks',
    about: 'manage the tasks of a project and their assignees',
    load: () => loadCommandsOf('tasks'),
  },
  {
    path: 'timesheets',
    about: 'approve, reject and submit timesheets',
    load: () => loadCommandsOf('timesheets'),
  },
  {
    path: 'leaves',
    about: 'approve and reject leave requests; show balances and policies',
    load: () => loadCommandsOf('leaves'),
  },
  {
    path: 'time-requests',
    about: 'create, approve and reject requests for manual time',
    load: () => loadCommandsOf('time-requests'),
  },
  {
    path: 'expenses',
    about: 'record, update and delete expenses; list categories',
    load: () => loadCommandsOf('expenses'),
  },
  {
    path: 'time-tracking',
    aliases: ['tracker'],
    about: 'control the tracker of the signed-in user',
    load: () => loadCommandsOf('time-tracking'),
  },
  {
    path: 'close',
    about: 'check whether a period can be closed',
    load: async () => (await import('../commands/close/index.ts')).close,
  },
  {
    path: 'webhooks',
    about: 'manage webhooks; receive and replay deliveries',
    load: () =>
      loadCommandsOf('webhooks', async () => (await import('../commands/webhooks/index.ts')).deliveries),
  },
  {
    path: 'api',
    about: 'send any API request',
    load: async () => (await import('../commands/api/index.ts')).api,
  },
  {
    path: 'jobs',
    about: 'inspect and resume bulk runs',
    load: async () => (await import('../commands/jobs/index.ts')).jobs,
  },
  {
    path: 'plan',
    about: 'show, check and apply plans made with --plan',
    load: async () => (await import('../commands/plan/index.ts')).plan,
  },
  {
    path: 'history',
    about: 'list and show what was written, with old and new values',
    load: async () => (await import('../commands/history/index.ts')).history,
  },
  {
    path: 'undo',
    about: 'undo a write, or all writes of a run',
    load: async () => (await import('../commands/undo/index.ts')).undo,
  },
];

const SETUP: readonly Row[] = [
  {
    path: 'auth',
    about: 'sign in, sign out and show the sign-in status',
    load: async () => (await import('../commands/auth/index.ts')).auth,
  },
  {
    path: 'profile',
    about: 'manage profiles for several services and workspaces',
    load: async () => (await import('../commands/profile/index.ts')).profile,
  },
  {
    path: 'doctor',
    about: 'check settings, credentials, address, workspace, clock and limits',
    load: async () => (await import('../commands/doctor/index.ts')).doctor,
  },
  {
    path: 'sandbox',
    about: 'run the whole service locally, for trials and tests',
    load: async () => (await import('../commands/sandbox/index.ts')).sandbox,
  },
  {
    path: 'schema',
    about: 'print the commands as JSON: flags, outputs, exit codes',
    load: async () => (await import('../commands/schema/index.ts')).schema,
  },
  {
    path: 'completion',
    about: 'print completion scripts for bash, zsh, fish and PowerShell',
    load: async () => (await import('../commands/completion/index.ts')).completion,
  },
];

const ENTRIES: readonly Entry[] = [
  ...SERVICE.map((row) => toEntry(row, 'Work with the service')),
  ...SETUP.map((row) => toEntry(row, 'Setup and sandbox')),
];

export const NOUNS: readonly Noun[] = ENTRIES;

/** The program before any noun is loaded. */
export const ROOT: Program = {
  path: '',
  name: 'ttctl',
  aliases: [],
  about: 'manage the workspaces of a time tracking service',
  flags: GLOBAL_FLAGS,
  commands: ENTRIES.map((entry) => ({ ...entry, commands: [] })),
};

/** A noun with its commands; `undefined` where there is none of that path. */
export async function loadNoun({ path }: Pick<CommandInfo, 'path'>): Promise<CommandNode | undefined> {
  const entry = ENTRIES.find((one) => one.path === path);
  return entry && loadEntry(entry);
}

/** The program with every noun loaded; with `args` only the one that the line names. */
export async function loadProgram(args?: readonly string[]): Promise<Program> {
  if (args === undefined) return { ...ROOT, commands: await Promise.all(ENTRIES.map(loadEntry)) };
  const [, named] = new Line<Flag, CommandNode>(ROOT, args).path;
  const noun = named && (await loadNoun(named));
  if (noun === undefined) return ROOT;
  return { ...ROOT, commands: ROOT.commands.map((one) => (one === named ? noun : one)) };
}

/** Whether a line says where it goes, and nothing else: `ttctl --profile work`. */
export function isScopeAlone(args: readonly string[]): boolean {
  const { flags, path, help, ended, ...line } = new Line<Flag, CommandNode>(ROOT, args);
  const isMore = path.length > 1 || help || ended || line.unknownCommand !== undefined;
  if (isMore || line.unknownFlags.length + line.bare.length > 0) return false;
  return flags.every(({ flag: { name } }) => name === 'profile' || name === 'workspace');
}

async function loadEntry({ load, ...noun }: Entry): Promise<CommandNode> {
  return (await load())(noun);
}

/** @param loadOthers commands of the noun that are none of its resource */
async function loadCommandsOf(
  noun: string,
  loadOthers?: () => Promise<readonly CommandNode[]>,
): Promise<(noun: Noun) => CommandNode> {
  const [{ defineNoun }, { loadResource }, others] = await Promise.all([
    import('../commands/verbs.ts'),
    // Help of the program has no need of what resources are defined by.
    import('../resources/load.ts'),
    loadOthers?.(),
  ]);
  const resource = (await loadResource(noun)) as Resource;
  return (info) => defineNoun(info, resource, others);
}

function toEntry(row: Row, heading: string): Entry {
  return { aliases: [], ...row, heading, name: getLastWord(row.path) };
}
