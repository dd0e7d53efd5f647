import { fstatSync, readdirSync, readSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateDirectory } from '../storage/folders.ts';
import { isOwnFolder, openOwnFile } from '../storage/trust.ts';
import { type CodeKey, type KeyPlace, makeKey, readKey, replaceFile, writeKey } from './code-key.ts';

/**
 * The file of compiled code: what V8 made of the program's packs, for the next run. It may be lost at any time.
 *
 * V8 runs what it is handed and dies of what is damaged, so nothing reaches it that was not written by this user: the
 * index is authenticated with a key that others cannot read (code-key.ts), each code by its hash in the index. That takes
 * some milliseconds, most of them for loading `node:crypto`, so a file that was found whole is remembered beside the key
 * by what every write of it changes, and is not looked through again until that is another.
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
  /** What the file is to be remembered by; `undefined` where it is already, or cannot be. */
  readonly toRemember: () => string | undefined;
}

export interface CodeCache extends Pick<CachedCode, 'ran' | 'code'> {
  /** Puts the whole file in place at once, readable by the user alone. @throws Error what the disk says */
  write(compiled: ReadonlyMap<number, CompiledCode>): void;
  /** Spares later runs the verification, where the file is whole and has not just been written. @throws Error what the disk says */
  remember(): void;
}

export interface CodePlace extends KeyPlace {
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
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

/**
 * What another file does not have, nor this one after a write: the system alone sets the time of the last change. Windows
 * has none that a program could not set.
 */
const identify = ({ dev, ino, size, ctimeMs }: Stats, { uid }: CodePlace): string | undefined =>
  uid === undefined ? undefined : [dev, ino, size, ctimeMs].join();

/** Two writes that come closer together may have the same time: a disk may know seconds alone, and even ones. */
const COARSEST_TIME_MS = 2000;

/** Never throws. */
const ignoreErrors = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

const readCache = (at: CodePlace, { secret, verified }: CodeKey): CachedCode | undefined => {
  const opened = isOwnFolder(dirname(at.file), at.uid) ? openOwnFile(at.file, at.uid) : undefined;
  if (opened === undefined || opened.stats.size < HEAD_BYTES) return undefined;
  const { fd, stats } = opened;
  const head = readAt(fd, 0, HEAD_BYTES);
  const length = head.readUInt32LE(0);
  if (HEAD_BYTES + length > stats.size) return undefined;
  const index = readAt(fd, HEAD_BYTES, length);
  const identity = identify(stats, at);
  const isVerified = identity !== undefined && verified.get(basename(at.file)) === identity;
  const isSigned = () => at.crypto.timingSafeEqual(createMac(at, secret, index), head.subarray(LENGTH_BYTES));
  if (!isVerified && !isSigned()) return undefined;
  const entries = new Map<number, CodeEntry>(JSON.parse(index.toString('latin1')));
  const read = (place: CodeEntry): Buffer | undefined => {
    const code = readAt(fd, HEAD_BYTES + length + place.offset, place.length);
    return isVerified || hashCode(at, code) === place.hash ? code : undefined;
  };
  const readPack = (pack: number): Buffer | undefined => {
    const place = entries.get(pack);
    return place && ignoreErrors(() => read(place));
  };
  const isWhole = (): boolean => [...entries.keys()].every((pack) => readPack(pack) !== undefined);
  return {
    ran: (pack) => entries.get(pack)?.ran ?? [],
    code: readPack,
    toRemember: () => {
      if (isVerified || at.now() - stats.ctimeMs < COARSEST_TIME_MS || !isWhole()) return undefined;
      // It may have been changed since it was opened.
      return identify(fstatSync(fd), at) === identity ? identity : undefined;
    },
  };
};

const serialize = (at: CodePlace, secret: Buffer, compiled: ReadonlyMap<number, CompiledCode>): Buffer => {
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
  return Buffer.concat([length, createMac(at, secret, index), index, ...codes]);
};

/** As start-part.ts names them, and `replaceFile` what becomes one of them. */
const BUILD_NAME = /^[0-9a-f]{12}-v\d+\.\d+\.\d+\S*-[a-z]\w+(?:\.\d+)?$/;

/** Those of other builds and versions, the oldest first; what else lies there is not ours. */
const removeOldBuilds = (folder: string): void => {
  const names = readdirSync(folder).filter((name) => BUILD_NAME.test(name));
  const files = names.map((name) => join(folder, name));
  const aged = files.map((file) => ({ file, age: statSync(file).mtimeMs })).sort((a, b) => b.age - a.age);
  for (const { file } of aged.slice(MAX_BUILDS)) unlinkSync(file);
};

const writeCode = (at: CodePlace, { secret }: CodeKey, compiled: ReadonlyMap<number, CompiledCode>): void => {
  const folder = dirname(at.file);
  makePrivateDirectory(folder);
  if (!isOwnFolder(folder, at.uid)) throw new Error(`others can write to ${folder}`);
  replaceFile(at.file, serialize(at, secret, compiled), at.pid);
  removeOldBuilds(folder);
};

/** Those that were last verified, of as many builds as are kept. */
const addVerified = ({ secret, verified }: CodeKey, name: string, identity: string): CodeKey => {
  const others = [...verified].filter(([other]) => other !== name);
  return { secret, verified: new Map([...others.slice(1 - MAX_BUILDS), [name, identity]]) };
};

/** Nothing is in it where there is no file, or no key, or others than the user could have written either. Never throws. */
export const openCodeCache = (at: CodePlace): CodeCache => {
  const key = readKey(at.keyFolder, at.uid);
  const cached = key && ignoreErrors(() => readCache(at, key));
  return {
    ran: (pack) => cached?.ran(pack) ?? [],
    code: (pack) => cached?.code(pack),
    write: (compiled) => writeCode(at, key ?? makeKey(at), compiled),
    remember: () => {
      const identity = cached?.toRemember();
      if (key && identity !== undefined) writeKey(at, addVerified(key, basename(at.file), identity));
    },
  };
};
