import type { Page } from './page.ts';

/** The topics of `ttctl help`; each is loaded when it is asked for, or for the manual. */

export interface Topic {
  readonly name: string;
  /** Lower-case phrase. */
  readonly about: string;
  readonly load: () => Promise<Page>;
}

export const TOPICS: readonly Topic[] = [
  {
    name: 'bulk',
    about: 'act on many records at once: targets, files, jobs',
    load: async () => (await import('./topics/bulk.ts')).bulk,
  },
  {
    name: 'dates',
    about: 'days, times, periods and time zones',
    load: async () => (await import('./topics/dates.ts')).dates,
  },
  {
    name: 'environment',
    about: 'variables that ttctl reads',
    load: async () => (await import('./topics/environment.ts')).environment,
  },
  {
    name: 'exit-codes',
    about: 'how a run ends, and what errors look like',
    load: async () => (await import('./topics/exit-codes.ts')).exitCodes,
  },
  {
    name: 'limits',
    about: "the service's rate limits, and how they are kept",
    load: async () => (await import('./topics/limits.ts')).limits,
  },
  {
    name: 'output',
    about: 'formats, columns, sorting, queries',
    load: async () => (await import('./topics/output.ts')).output,
  },
  {
    name: 'profiles',
    about: 'settings for several services and workspaces',
    load: async () => (await import('./topics/profiles.ts')).profiles,
  },
  {
    name: 'scripting',
    about: 'ttctl in scripts, in CI and by other programs',
    load: async () => (await import('./topics/scripting.ts')).scripting,
  },
];
