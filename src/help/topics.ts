import type { HelpPage } from './page.ts';

/** The topics of `ttctl help`; each is loaded when it is asked for. */

export interface Topic {
  readonly name: string;
  readonly about: string;
  readonly load: () => Promise<HelpPage>;
}

export const TOPICS: readonly Topic[] = [
  {
    name: 'bulk',
    about: 'work on many records: targets, files, jobs',
    load: async () => (await import('./topics/bulk.ts')).buildBulkTopic,
  },
  {
    name: 'dates',
    about: 'days, times, periods and time zones',
    load: async () => (await import('./topics/dates.ts')).buildDatesTopic,
  },
  {
    name: 'environment',
    about: 'environment variables and files',
    load: async () => (await import('./topics/environment.ts')).buildEnvironmentTopic,
  },
  {
    name: 'errors',
    about: 'the codes of errors',
    load: async () => (await import('./topics/errors.ts')).buildErrorsTopic,
  },
  {
    name: 'exit-codes',
    about: 'exit codes and error output',
    load: async () => (await import('./topics/exit-codes.ts')).buildExitCodesTopic,
  },
  {
    name: 'limits',
    about: 'rate limits of the service, and how ttctl respects them',
    load: async () => (await import('./topics/limits.ts')).buildLimitsTopic,
  },
  {
    name: 'output',
    about: 'output formats, columns, sorting and queries',
    load: async () => (await import('./topics/output.ts')).buildOutputTopic,
  },
  {
    name: 'profiles',
    about: 'profiles for several services and workspaces',
    load: async () => (await import('./topics/profiles.ts')).buildProfilesTopic,
  },
  {
    name: 'scripting',
    about: 'using ttctl in scripts and CI',
    load: async () => (await import('./topics/scripting.ts')).buildScriptingTopic,
  },
];
