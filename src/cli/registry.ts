import { type Node, type Noun, nameIn, type Place, type Program } from './command.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';

/** The nouns of the command line, and where the commands of each are: loaded when one is called, or told about. */

interface Entry extends Noun {
  readonly load: () => Promise<(noun: Noun) => Node>;
}

type Line = Pick<Entry, 'path' | 'about' | 'heading' | 'load'> & { readonly alias?: string };

const WORK = 'Work with the service';
const TOOL = 'Set up and try out';

const LINES: readonly Line[] = [
  {
    path: 'inbox',
    about: 'show all that waits for a decision, the oldest first; on a terminal decide on it',
    heading: WORK,
    load: async () => (await import('../commands/inbox/index.ts')).inbox,
  },
  {
    path: 'workspaces',
    about: 'list workspaces, choose the default one',
    heading: WORK,
    load: async () => (await import('../commands/workspaces/index.ts')).workspaces,
  },
  {
    path: 'members',
    about: 'the people of a workspace: invite, update, archive, restore',
    heading: WORK,
    load: async () => (await import('../commands/members/index.ts')).members,
  },
  {
    path: 'viewers',
    alias: 'project-viewers',
    about: 'people outside who may read some projects: invite, assign, archive',
    heading: WORK,
    load: async () => (await import('../commands/viewers/index.ts')).viewers,
  },
  {
    path: 'projects',
    about: 'create, change and archive projects',
    heading: WORK,
    load: async () => (await import('../commands/projects/index.ts')).projects,
  },
  {
    path: 'contracts',
    about: 'who works on which project, for how many hours, at which rate',
    heading: WORK,
    load: async () => (await import('../commands/contracts/index.ts')).contracts,
  },
  {
    path: 'tasks',
    about: 'the tasks of a project, and who is on them',
    heading: WORK,
    load: async () => (await import('../commands/tasks/index.ts')).tasks,
  },
  {
    path: 'timesheets',
    about: 'approve, reject, submit timesheets',
    heading: WORK,
    load: async () => (await import('../commands/timesheets/index.ts')).timesheets,
  },
  {
    path: 'leaves',
    about: 'approve, reject leave requests; balances and policies',
    heading: WORK,
    load: async () => (await import('../commands/leaves/index.ts')).leaves,
  },
  {
    path: 'time-requests',
    about: 'create, approve, reject requests for manual time',
    heading: WORK,
    load: async () => (await import('../commands/time-requests/index.ts')).timeRequests,
  },
  {
    path: 'expenses',
    about: 'book, change, delete expenses; their categories',
    heading: WORK,
    load: async () => (await import('../commands/expenses/index.ts')).expenses,
  },
  {
    path: 'time-tracking',
    alias: 'tracker',
    about: 'stop the running tracker',
    heading: WORK,
    load: async () => (await import('../commands/time-tracking/index.ts')).timeTracking,
  },
  {
    path: 'webhooks',
    about: 'who is told of events: register, change, delete; receive and replay',
    heading: WORK,
    load: async () => (await import('../commands/webhooks/index.ts')).webhooks,
  },
  {
    path: 'api',
    about: 'send any call, documented or not',
    heading: WORK,
    load: async () => (await import('../commands/api/index.ts')).api,
  },
  {
    path: 'jobs',
    about: 'runs over many records: what became of each, go on with them',
    heading: WORK,
    load: async () => (await import('../commands/jobs/index.ts')).jobs,
  },
  {
    path: 'auth',
    about: 'sign in and out, see who is signed in',
    heading: TOOL,
    load: async () => (await import('../commands/auth/index.ts')).auth,
  },
  {
    path: 'profile',
    about: 'services and workspaces side by side',
    heading: TOOL,
    load: async () => (await import('../commands/profile/index.ts')).profile,
  },
  {
    path: 'doctor',
    about: 'check settings, credential, address, clock and limits',
    heading: TOOL,
    load: async () => (await import('../commands/doctor/index.ts')).doctor,
  },
  {
    path: 'sandbox',
    about: 'the whole service on this machine, to try things on',
    heading: TOOL,
    load: async () => (await import('../commands/sandbox/index.ts')).sandbox,
  },
  {
    path: 'schema',
    about: 'print the commands as JSON, or the OpenAPI document of the service',
    heading: TOOL,
    load: async () => (await import('../commands/schema/index.ts')).schema,
  },
  {
    path: 'completion',
    about: 'complete command lines in bash, zsh, fish and PowerShell',
    heading: TOOL,
    load: async () => (await import('../commands/completion/index.ts')).completion,
  },
];

const ENTRIES: readonly Entry[] = LINES.map(({ alias, ...line }) => ({
  ...line,
  name: nameIn(line.path),
  aliases: alias === undefined ? [] : [alias],
}));

export const NOUNS: readonly Noun[] = ENTRIES;

/** The program before any noun is loaded. */
export const ROOT: Program = {
  path: '',
  name: 'ttctl',
  aliases: [],
  about: 'administer the workspaces of a work-time tracking service',
  flags: GLOBAL_FLAGS,
  commands: [],
};

const loadEntry = async ({ load, ...noun }: Entry): Promise<Node> => (await load())(noun);

/** A noun with its commands; `undefined` where there is none of that path. */
export const loadNoun = async ({ path }: Pick<Place, 'path'>): Promise<Node | undefined> => {
  const entry = ENTRIES.find((one) => one.path === path);
  return entry && loadEntry(entry);
};

/** The program with every noun loaded: for the schema, completion and the manual. */
export const wholeProgram = async (): Promise<Program> => ({
  ...ROOT,
  commands: await Promise.all(ENTRIES.map(loadEntry)),
});
