import type { Environment } from '../config/environment.ts';

/** What of this process's environment a program gets that ttctl starts. */

/** Variables that whoever reads them can act with, and what is said of the token: another has another day. */
const CREDENTIALS = [
  'TTCTL_TOKEN',
  'TTCTL_TOKEN_CREATED',
  'TTCTL_CLIENT_SECRET',
  'TTCTL_WEBHOOK_TOKEN',
  'TTCTL_SANDBOX_SECRET',
] as const;

/** The environment without credentials. @param needed those that the program needs */
export const removeCredentials = (
  env: Environment,
  needed: readonly (typeof CREDENTIALS)[number][] = [],
): Record<string, string | undefined> => {
  const dropped = new Set<string>(CREDENTIALS.filter((name) => !needed.includes(name)));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.has(name.toUpperCase())));
};

/** Where programs, files and the locale are found; none of them is a credential. */
const HARMLESS_VARIABLES = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
]);

/** What programs of Windows do not start without. */
const WINDOWS_VARIABLES = new Set([
  ...[
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'WINDIR',
    'COMSPEC',
    'PATHEXT',
    'USERPROFILE',
    'USERNAME',
    'HOMEDRIVE',
    'HOMEPATH',
  ],
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'COMMONPROGRAMFILES'],
  ...['PSMODULEPATH', 'NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE', 'OS'],
]);

/** For a command that is run for what came from outside. @param passed names that were asked for beside */
export const createMinimalEnvironment = (
  env: Environment,
  platform: string,
  passed: readonly string[] = [],
): Record<string, string | undefined> => {
  const windows = platform === 'win32';
  // On Windows names are not case-sensitive.
  const normalizeName = (name: string): string => (windows ? name.toUpperCase() : name);
  const requested = new Set(passed.map(normalizeName));
  const isPassed = (name: string): boolean =>
    HARMLESS_VARIABLES.has(name) ||
    name.startsWith('LC_') ||
    (windows && WINDOWS_VARIABLES.has(name)) ||
    requested.has(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(normalizeName(name))));
};

/**
 * For a package that starts a program with all of this process's environment: credentials are out of it while the work
 * lasts.
 */
export const withHiddenCredentials = async <T>(env: Environment, work: () => Promise<T>): Promise<T> => {
  const hidden = CREDENTIALS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  for (const [name] of hidden) Reflect.deleteProperty(env, name);
  try {
    return await work();
  } finally {
    Object.assign(env, Object.fromEntries(hidden));
  }
};
