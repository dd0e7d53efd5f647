import { readdirSync, readSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isOwnFolder, makeFolders, openOwnFile } from '../storage/trust.ts';
import { type KeyPlace, makeKey, readKey } from './code-key.ts';

/**
 * The file of compiled code: what V8 made of the program's packs, for the next run. It may be lost at any time.
 *
 * V8 runs what it is handed and dies of what is damaged, so nothing reaches it that was not written by this user: the
 * index is authenticated with a key that others cannot read (code-key.ts), each code by its hash in the index.
 */

/** Of one pack. */
export interface CompiledCode {
  readonly code: Buffer;
  /** The places of the parts that had been run by then: of others V8 has compiled nothing yet. */
  readonly ran: readonly number[];
}

/** Where the code of a pack stands behind the index, in bytes, and its SHA-256 in hexadecimal. */
interface CodeEntry extends Pick<CompiledCode, 'ran'> {
  readonly offset: number;
  readonly length: number;
  readonly hash: string;
}

/** As it stands in its file: the length of the index, its authentication, the index, the codes. */
interface CachedCode {
  readonly ran: (pack: number) => readonly number[];
  /** `undefined` where there is none, or it is damaged. Never throws. */
  readonly code: (pack: number) => Buffer | undefined;
}

export interface CodeCache extends CachedCode {
  /** Puts the whole file in place at once, readable by the user alone. @throws Error what the disk says */
  write(compiled: ReadonlyMap<number, CompiledCode>): void;
}

export interface CodePlace extends KeyPlace {
  readonly file: string;
}

const LENGTH_BYTES = 4;
const MAC_BYTES = 32;
const HEAD_BYTES = LENGTH_BYTES + MAC_BYTES;

/** Of so many builds and Node versions the compiled code is kept. */
const MAX_BUILDS = 4;

/** What is there, which may be less. */
export const readAt = (fd: number, offset: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
};

const hashCode = ({ crypto }: CodePlace, code: Buffer): string =>
  crypto.createHash('sha256').update(code).digest('hex');

/** The name is the build, the version of Node and the machine: code of one does not pass for that of another. */
const createMac = ({ crypto, file }: CodePlace, key: Buffer, index: Buffer): Buffer =>
  crypto
    .createHmac('sha256', key)
    .update(`${basename(file)}\0`)
    .update(index)
    .digest();

/** Never throws. */
const ignoreErrors = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

const readCache = (at: CodePlace, key: Buffer): CachedCode | undefined => {
  const opened = isOwnFolder(dirname(at.file), at.uid) ? openOwnFile(at.file, at.uid) : undefined;
  if (opened === undefined || opened.stats.size < HEAD_BYTES) return undefined;
  const { fd, stats } = opened;
  const head = readAt(fd, 0, HEAD_BYTES);
  const length = head.readUInt32LE(0);
  if (HEAD_BYTES + length > stats.size) return undefined;
  const index = readAt(fd, HEAD_BYTES, length);
  if (!at.crypto.timingSafeEqual(createMac(at, key, index), head.subarray(LENGTH_BYTES))) return undefined;
  const entries = new Map<number, CodeEntry>(JSON.parse(index.toString('latin1')));
  const read = (place: CodeEntry): Buffer | undefined => {
    const code = readAt(fd, HEAD_BYTES + length + place.offset, place.length);
    return hashCode(at, code) === place.hash ? code : undefined;
  };
  return {
    ran: (pack) => entries.get(pack)?.ran ?? [],
    code: (pack) => {
      const place = entries.get(pack);
      return place && ignoreErrors(() => read(place));
    },
  };
};

const serialize = (at: CodePlace, key: Buffer, compiled: ReadonlyMap<number, CompiledCode>): Buffer => {
  const entries: [number, CodeEntry][] = [];
  let offset = 0;
  for (const [pack, { code, ran }] of compiled) {
    entries.push([pack, { offset, length: code.length, hash: hashCode(at, code), ran }]);
    offset += code.length;
  }
  const index = Buffer.from(JSON.stringify(entries));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(index.length);
  const codes = [...compiled.values()].map(({ code }) => code);
  return Buffer.concat([length, createMac(at, key, index), index, ...codes]);
};

/** Those of other builds and versions, the oldest first. */
const removeOldBuilds = (folder: string): void => {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const aged = files.map((file) => ({ file, age: statSync(file).mtimeMs })).sort((a, b) => b.age - a.age);
  for (const { file } of aged.slice(MAX_BUILDS)) unlinkSync(file);
};

const writeCode = (at: CodePlace, key: Buffer, compiled: ReadonlyMap<number, CompiledCode>): void => {
  const folder = dirname(at.file);
  makeFolders(folder);
  if (!isOwnFolder(folder, at.uid)) throw new Error(`others can write to ${folder}`);
  const temporary = `${at.file}.${at.pid}`;
  try {
    writeFileSync(temporary, serialize(at, key, compiled), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, at.file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  removeOldBuilds(folder);
};

/** Nothing is in it where there is no file, or no key, or others than the user could have written either. Never throws. */
export const openCodeCache = (at: CodePlace): CodeCache => {
  const key = readKey(at.keyFolder, at.uid);
  const cached = key && ignoreErrors(() => readCache(at, key));
  return {
    ran: (pack) => cached?.ran(pack) ?? [],
    code: (pack) => cached?.code(pack),
    write: (compiled) => writeCode(at, key ?? makeKey(at), compiled),
  };
};
