import { constants } from 'node:os';
import type { Environment } from '../config/environment.ts';
import { EXIT } from '../errors.ts';
import type { Machine } from './machine.ts';

/** Variables that whoever reads them can act with, and what is said of the token: another has another day. */
const CREDENTIALS = new Set([
  'TTCTL_TOKEN',
  'TTCTL_TOKEN_CREATED',
  'TTCTL_CLIENT_SECRET',
  'TTCTL_WEBHOOK_TOKEN',
  'TTCTL_SANDBOX_SECRET',
]);

export function removeCredentials(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !CREDENTIALS.has(name.toUpperCase())));
}

/** Where programs, files and the locale are found, and what programs of Windows do not start without: no credentials. */
const HARMLESS_VARIABLES = new Set(
  (
    'PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE TZ TMPDIR TMP TEMP SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC ' +
    'PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES OS'
  ).split(' '),
);

/** For a command that is run for what came from outside. @param passed names that were asked for beside */
export function createMinimalEnvironment(
  env: Environment,
  platform: string,
  passed: readonly string[] = [],
): Record<string, string | undefined> {
  // On Windows names are not case-sensitive.
  const normalizeName = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  const requested = new Set(passed.map(normalizeName));
  const isPassed = (name: string): boolean =>
    HARMLESS_VARIABLES.has(name) || name.startsWith('LC_') || requested.has(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(normalizeName(name))));
}

/**
 * Passes the end of this process on. Ctrl-C at a terminal reaches the command by itself, and a second one
 * would make it leave in the middle of a write. One signal does not end this process before its command has ended.
 * @param ownGroup whether Ctrl-C does not reach it
 */
export function forwardSignals(
  { stdin, interrupted, exitNotices }: Pick<Machine, 'stdin' | 'interrupted' | 'exitNotices'>,
  child: { readonly kill: (signal: NodeJS.Signals) => unknown },
  ownGroup = false,
): () => void {
  const forward = (): void => {
    const exit = interrupted.reason?.exit;
    if (exit === EXIT.terminated) child.kill('SIGTERM');
    else if (exit === EXIT.hungUp) child.kill('SIGHUP');
    else if (ownGroup || !stdin.isTTY) child.kill('SIGINT');
  };
  if (interrupted.aborted) forward();
  interrupted.addEventListener('abort', forward);
  const release = exitNotices.hold();
  return () => {
    interrupted.removeEventListener('abort', forward);
    release();
  };
}

export function toExitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
