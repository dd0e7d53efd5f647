import type { Command } from 'commander';
import type { Door } from './run.ts';

/** The nouns of the command line, and where the commands of each are. */

/** `whole`: the program with every noun loaded. */
type Build = (group: Command, door: Door, whole: () => Promise<Command>) => Command;

interface Noun {
  readonly name: string;
  readonly alias?: string;
  readonly about: string;
  readonly heading: string;
  readonly load: () => Promise<Build>;
}

const WORK = 'Work with the service:';
const TOOL = 'Set up and try out:';

export const NOUNS: readonly Noun[] = [
  {
    name: 'inbox',
    about: 'show all that waits for a decision, the oldest first; on a terminal decide on it',
    heading: WORK,
    load: async () => (await import('./commands/inbox/index.ts')).inbox,
  },
  {
    name: 'workspaces',
    about: 'list workspaces, choose the default one',
    heading: WORK,
    load: async () => (await import('./commands/workspaces/index.ts')).workspaces,
  },
  {
    name: 'members',
    about: 'the people of a workspace: invite, update, archive, restore',
    heading: WORK,
    load: async () => (await import('./commands/members/index.ts')).members,
  },
  {
    name: 'viewers',
    alias: 'project-viewers',
    about: 'people outside who may read some projects: invite, assign, archive',
    heading: WORK,
    load: async () => (await import('./commands/viewers/index.ts')).viewers,
  },
  {
    name: 'projects',
    about: 'create, change and archive projects',
    heading: WORK,
    load: async () => (await import('./commands/projects/index.ts')).projects,
  },
  {
    name: 'contracts',
    about: 'who works on which project, for how many hours, at which rate',
    heading: WORK,
    load: async () => (await import('./commands/contracts/index.ts')).contracts,
  },
  {
    name: 'tasks',
    about: 'the tasks of a project, and who is on them',
    heading: WORK,
    load: async () => (await import('./commands/tasks/index.ts')).tasks,
  },
  {
    name: 'timesheets',
    about: 'approve, reject, submit timesheets',
    heading: WORK,
    load: async () => (await import('./commands/timesheets/index.ts')).timesheets,
  },
  {
    name: 'leaves',
    about: 'approve, reject leave requests; balances and policies',
    heading: WORK,
    load: async () => (await import('./commands/leaves/index.ts')).leaves,
  },
  {
    name: 'time-requests',
    about: 'create, approve, reject requests for manual time',
    heading: WORK,
    load: async () => (await import('./commands/time-requests/index.ts')).timeRequests,
  },
  {
    name: 'expenses',
    about: 'book, change, delete expenses; their categories',
    heading: WORK,
    load: async () => (await import('./commands/expenses/index.ts')).expenses,
  },
  {
    name: 'time-tracking',
    alias: 'tracker',
    about: 'stop the running tracker',
    heading: WORK,
    load: async () => (await import('./commands/time-tracking/index.ts')).timeTracking,
  },
  {
    name: 'webhooks',
    about: 'who is told of events: register, change, delete; receive and replay',
    heading: WORK,
    load: async () => (await import('./commands/webhooks/index.ts')).webhooks,
  },
  {
    name: 'api',
    about: 'send any call, documented or not',
    heading: WORK,
    load: async () => (await import('./commands/api/index.ts')).api,
  },
  {
    name: 'jobs',
    about: 'runs over many records: what became of each, go on with them',
    heading: WORK,
    load: async () => (await import('./commands/jobs/index.ts')).jobs,
  },
  {
    name: 'auth',
    about: 'sign in and out, see who is signed in',
    heading: TOOL,
    load: async () => (await import('./commands/auth/index.ts')).auth,
  },
  {
    name: 'profile',
    about: 'services and workspaces side by side',
    heading: TOOL,
    load: async () => (await import('./commands/profile/index.ts')).profile,
  },
  {
    name: 'doctor',
    about: 'check settings, credential, address, clock and limits',
    heading: TOOL,
    load: async () => (await import('./commands/doctor/index.ts')).doctor,
  },
  {
    name: 'sandbox',
    about: 'the whole service on this machine, to try things on',
    heading: TOOL,
    load: async () => (await import('./commands/sandbox/index.ts')).sandbox,
  },
  {
    name: 'schema',
    about: 'print the commands as JSON, or the OpenAPI document of the service',
    heading: TOOL,
    load: async () => (await import('./commands/schema/index.ts')).schema,
  },
  {
    name: 'completion',
    about: 'complete command lines in bash, zsh, fish and PowerShell',
    heading: TOOL,
    load: async () => (await import('./commands/completion/index.ts')).completion,
  },
];
