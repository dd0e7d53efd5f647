import { closeSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnFolder, makeFolders, openOwnFile } from '../storage/trust.ts';

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
  readonly crypto: CryptoFunctions;
}

const KEY_BYTES = 32;
const getKeyFile = (folder: string): string => join(folder, 'cache.key');

/** Undefined where there is none, or others than the user could know it or have written it. Never throws. */
export const readKey = (folder: string, me: number | undefined): Buffer | undefined => {
  let fd: number | undefined;
  try {
    const opened = isOwnFolder(folder, me) ? openOwnFile(getKeyFile(folder), me) : undefined;
    if (opened === undefined) return undefined;
    fd = opened.fd;
    const { uid, mode, size } = opened.stats;
    const secret = me === undefined || (uid === me && (mode & 0o077) === 0);
    const key = Buffer.alloc(KEY_BYTES);
    return secret && size === KEY_BYTES && readSync(fd, key) === KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/** Makes one, in place of what is there. @throws Error what the disk says, or where others could put one there too */
export const makeKey = ({ keyFolder, uid, pid, crypto }: KeyPlace): Buffer => {
  makeFolders(keyFolder);
  if (!isOwnFolder(keyFolder, uid)) throw new Error(`others can write to ${keyFolder}`);
  const key = crypto.randomBytes(KEY_BYTES);
  const temporary = `${getKeyFile(keyFolder)}.${pid}`;
  try {
    writeFileSync(temporary, key, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, getKeyFile(keyFolder));
    return key;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};
