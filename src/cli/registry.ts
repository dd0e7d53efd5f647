import { type CommandNode, Line, type Noun, type Program } from './command.ts';
import { type CommandInfo, type Flag, GLOBAL_FLAGS } from './flag.ts';

/** The nouns of the command line by the headings of the help, and where the commands of each are. */
const ABOUT = {
  'Work with the service': {
    status: 'show what is waiting, who has not submitted, and who is away',
    inbox: 'show everything waiting for a decision, oldest first; decide on it in a terminal',
    workspaces: 'list workspaces and choose the default; save, compare and apply them as files',
    members: 'invite, update, archive and restore members',
    viewers: 'manage external viewers of projects',
    projects: 'create, update and archive projects',
    contracts: 'create, update and archive contracts of members, with hours and rates',
    tasks: 'manage the tasks of a project and their assignees',
    timesheets: 'approve, reject, submit and unsubmit timesheets',
    leaves: 'approve and reject leave requests; show balances and policies',
    'time-requests': 'create, approve and reject requests for manual time',
    expenses: 'create, update and delete expenses; list categories',
    'time-tracking': 'stop the tracker of the signed-in user',
    close: 'check whether a period can be closed',
    webhooks: 'manage webhooks; receive and replay deliveries',
    api: 'send any API request',
    jobs: 'inspect and resume bulk runs',
    plan: 'show, check and apply plans made with --plan',
    history: 'list and show what was written, with old and new values',
    undo: 'undo a write, or all writes of a run',
  },
  'Setup and sandbox': {
    auth: 'sign in, sign out and show the sign-in status',
    profile: 'manage profiles for several services and workspaces',
    doctor: 'check settings, credentials, address, clock and limits',
    sandbox: 'run the whole service locally, for trials and tests',
    schema: 'print the commands as JSON: flags, outputs, exit codes',
    completion: 'print completion scripts for bash, zsh, fish and PowerShell',
  },
} as const;

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  viewers: ['project-viewers'],
  'time-tracking': ['tracker'],
};

type Nouns = Readonly<Record<string, (noun: Noun) => CommandNode | Promise<CommandNode>>>;

const decisions = async (): Promise<Nouns> => {
  const { status, close } = await import('../commands/decisions.ts');
  return { status, close };
};
const journals = (): Promise<Nouns> => import('../commands/journals.ts');
const signIn = (): Promise<Nouns> => import('../commands/sign-in.ts');
const setup = (): Promise<Nouns> => import('../commands/setup.ts');

/** Of nouns that are more than a resource: loaded when one is called, or told about. */
const LOADERS: Readonly<Record<string, () => Promise<Nouns>>> = {
  status: decisions,
  inbox: () => import('../commands/inbox/index.ts'),
  workspaces: () => import('../commands/workspaces/index.ts'),
  close: decisions,
  webhooks: () => import('../commands/webhooks/index.ts'),
  api: () => import('../commands/api.ts'),
  jobs: journals,
  plan: journals,
  history: journals,
  undo: journals,
  auth: signIn,
  profile: signIn,
  doctor: setup,
  sandbox: () => import('../commands/sandbox/index.ts'),
  schema: setup,
  completion: setup,
};

export const NOUNS: readonly Noun[] = Object.entries(ABOUT).flatMap(([heading, nouns]) =>
  Object.entries(nouns).map(([name, about]) => ({
    ...{ path: name, name, about, heading },
    aliases: ALIASES[name] ?? [],
  })),
);

export const ROOT: Program = {
  path: '',
  name: 'ttctl',
  aliases: [],
  about: 'manage the workspaces of a time tracking service',
  flags: GLOBAL_FLAGS,
  commands: NOUNS.map((noun) => ({ ...noun, commands: [] })),
};

/** A noun with its commands; `undefined` where there is none of that path. */
export async function loadNoun({ path }: Pick<CommandInfo, 'path'>): Promise<CommandNode | undefined> {
  const noun = NOUNS.find((one) => one.path === path);
  if (noun === undefined) return undefined;
  const load = LOADERS[path];
  if (load === undefined) return (await import('../commands/verbs.ts')).defineNoun(noun);
  const { [path]: define } = await load();
  return define?.(noun);
}

/** The program with every noun loaded; with `args` only the one that the line names. */
export async function loadProgram(args?: readonly string[]): Promise<Program> {
  const named = args && new Line<Flag, CommandNode>(ROOT, args).path[1];
  const nouns = ROOT.commands.map((noun) =>
    args === undefined || noun === named ? loadNoun(noun) : Promise.resolve(noun),
  );
  return { ...ROOT, commands: (await Promise.all(nouns)).filter((noun) => noun !== undefined) };
}

/** Whether a line says where it goes, and nothing else: `ttctl --profile work`. */
export function isScopeAlone(args: readonly string[]): boolean {
  const { flags, path, help, ended, ...line } = new Line<Flag, CommandNode>(ROOT, args);
  const isMore = path.length > 1 || help || ended || line.unknownCommand !== undefined;
  if (isMore || line.unknownFlags.length + line.bare.length > 0) return false;
  return flags.every(({ flag: { name } }) => name === 'profile' || name === 'workspace');
}
