import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_PATH } from './open.ts';

/** The file by which commands find the running sandbox server (an adapter). */

export interface Locator {
  /** `http://127.0.0.1:4747` */
  readonly url: string;
  readonly base_url: string;
  readonly auth_url: string;
  readonly token_url: string;
  readonly port: number;
  readonly pid: number;
  /** ISO 8601. */
  readonly started_at: string;
  /** The state file; null: in memory. */
  readonly state: string | null;
  /** Lets its holder control the server. */
  readonly secret: string;
}

export interface LocatorDisk {
  /** The state directory. */
  readonly directory: string;
  /** The bytes of a file that nobody else could have written; undefined where there is none (storage/own-files.ts). */
  readonly read: (path: string) => Buffer | undefined;
  /** Makes a directory of this user's own (storage/write.ts). */
  readonly makeFolder: (path: string) => void;
  /** Replaces a file whole (storage/write.ts). */
  readonly write: (path: string, data: string, options?: { readonly mode?: number }) => void;
  /** Whether a process lives; `isAlive` (below) over `process.kill`. */
  readonly alive: (pid: number) => boolean;
}

export type ServerAddresses = Pick<Locator, 'url' | 'base_url' | 'auth_url' | 'token_url'>;

/** The addresses of a server. @param url its root */
export const listServerAddresses = (url: string): ServerAddresses => ({
  url,
  base_url: `${url}${BASE_PATH}`,
  auth_url: url,
  token_url: url,
});

export const createLocator = (
  facts: Pick<Locator, 'port' | 'pid' | 'started_at' | 'state' | 'secret'>,
): Locator => ({ ...listServerAddresses(`http://127.0.0.1:${facts.port}`), ...facts });

const getLocatorPath = (directory: string): string => join(directory, 'sandbox.json');

const isLocator = (value: unknown): value is Locator => {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Record<string, unknown> = { ...value };
  const texts = ['url', 'base_url', 'auth_url', 'token_url', 'started_at', 'secret'];
  return (
    texts.every((name) => typeof fields[name] === 'string') &&
    Number.isInteger(fields['port']) &&
    Number.isInteger(fields['pid'])
  );
};

/** @throws Failure for one that somebody else could have written: it says where a secret is sent */
const readLocator = ({ directory, read }: Pick<LocatorDisk, 'directory' | 'read'>): Locator | undefined => {
  const text = read(getLocatorPath(directory))?.toString('utf8');
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isLocator(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The running server, or undefined; the file of one that is gone counts for nothing. */
export const findRunning = (disk: Pick<LocatorDisk, 'directory' | 'read' | 'alive'>): Locator | undefined => {
  const locator = readLocator(disk);
  return locator !== undefined && disk.alive(locator.pid) ? locator : undefined;
};

export const writeLocator = (disk: LocatorDisk, locator: Locator): void => {
  disk.makeFolder(disk.directory);
  disk.write(getLocatorPath(disk.directory), `${JSON.stringify(locator, null, 2)}\n`, { mode: 0o600 });
};

/** Removes the file, but not one that another server has written since. */
export const removeLocator = (disk: Pick<LocatorDisk, 'directory' | 'read'>, pid: number): void => {
  if (readLocator(disk)?.pid === pid) rmSync(getLocatorPath(disk.directory), { force: true });
};

/**
 * @param kill `process.kill`: with signal 0 it only asks.
 */
export const isAlive =
  (kill: (pid: number, signal: 0) => unknown) =>
  (pid: number): boolean => {
    try {
      kill(pid, 0);
      return true;
    } catch (error) {
      // EPERM: it lives and belongs to somebody else.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  };

interface ClientCredentials {
  readonly token: string;
  readonly workspace: number | undefined;
  /** Lets `ttctl sandbox …` control the server. */
  readonly secret: string;
  /** Of the server: `150/60,20/1`, or `off`. */
  readonly rateLimit: string;
}

/**
 * What points `ttctl` in another process at a server. The profile is a neutral one: the chosen one may be the embedded
 * sandbox, or keep its own workspace.
 */
export const buildClientVariables = (
  addresses: Omit<ServerAddresses, 'url'>,
  { token, workspace, secret, rateLimit }: ClientCredentials,
): Record<string, string> => ({
  TTCTL_BASE_URL: addresses.base_url,
  TTCTL_AUTH_URL: addresses.auth_url,
  TTCTL_TOKEN_URL: addresses.token_url,
  TTCTL_TOKEN: token,
  TTCTL_WORKSPACE: String(workspace ?? ''),
  TTCTL_PROFILE: 'default',
  TTCTL_SANDBOX_SECRET: secret,
  TTCTL_RATE_LIMIT: rateLimit,
});
