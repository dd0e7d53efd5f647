import { closeSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from '../storage/folders.ts';
import { isOwnFolder, openOwnFile } from '../storage/trust.ts';

/**
 * The secret that compiled code is authenticated with: `cache.key`, beside the credentials. Whoever can read it can
 * make this user run code, so nobody else may.
 */

export type CryptoFunctions = Pick<
  typeof import('node:crypto'),
  'createHash' | 'createHmac' | 'randomBytes' | 'timingSafeEqual'
>;

export interface KeyPlace {
  readonly keyFolder: string;
  /** The user's id, where the system has such. */
  readonly uid: number | undefined;
  /** Of this process. */
  readonly pid: number;
  /** Loaded when it is first asked for. */
  readonly crypto: CryptoFunctions;
}

export interface CodeKey {
  readonly secret: Buffer;
  /** Files of compiled code that were found whole: by their names, what the system calls them (compiled-code.ts). */
  readonly verified: ReadonlyMap<string, string>;
}

/** The secret comes first, then the files as JSON, where there are any. */
const SECRET_BYTES = 32;
const MAX_BYTES = 4096;
const getKeyFile = (folder: string): string => join(folder, 'cache.key');

/** Puts the whole file in place at once, readable by the user alone. @throws Error what the disk says */
export const replaceFile = (path: string, bytes: Buffer, pid: number): void => {
  const temporary = `${path}.${pid}`;
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};

const readVerified = (text: string): CodeKey['verified'] => new Map(text === '' ? [] : JSON.parse(text));

/** Undefined where there is none, or others than the user could know it or have written it. Never throws. */
export const readKey = (folder: string, me: number | undefined): CodeKey | undefined => {
  let fd: number | undefined;
  try {
    const opened = isOwnFolder(folder, me) ? openOwnFile(getKeyFile(folder), me) : undefined;
    if (opened === undefined) return undefined;
    fd = opened.fd;
    const { uid, mode, size } = opened.stats;
    const isSecret = me === undefined || (uid === me && (mode & 0o077) === 0);
    if (!isSecret || size < SECRET_BYTES || size > MAX_BYTES) return undefined;
    const bytes = Buffer.alloc(size);
    if (readSync(fd, bytes) !== size) return undefined;
    const verified = readVerified(bytes.toString('latin1', SECRET_BYTES));
    return { secret: bytes.subarray(0, SECRET_BYTES), verified };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/** @throws Error what the disk says, or where others could put one there too */
export const writeKey = ({ keyFolder, uid, pid }: KeyPlace, { secret, verified }: CodeKey): void => {
  makePrivateDirectory(keyFolder);
  if (!isOwnFolder(keyFolder, uid)) throw new Error(`others can write to ${keyFolder}`);
  const files = verified.size === 0 ? '' : JSON.stringify([...verified]);
  replaceFile(getKeyFile(keyFolder), Buffer.concat([secret, Buffer.from(files)]), pid);
};

/** Makes one, in place of what is there. @throws Error as `writeKey` */
export const makeKey = (place: KeyPlace): CodeKey => {
  const key = { secret: place.crypto.randomBytes(SECRET_BYTES), verified: new Map() };
  writeKey(place, key);
  return key;
};
