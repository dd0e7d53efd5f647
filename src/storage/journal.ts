import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  write,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { parseJsonValue, STORED_DEPTH, stringifyJson } from '../json.ts';
import { createDiskFailure, getErrno } from './failure.ts';
import { checkOwnFile, readPrivate, readStart } from './own-files.ts';
import { writeDurably } from './write.ts';

/**
 * A file of JSON lines that are only ever added. Each line is its checksum, a space and
 * the JSON. Only the last line can be incomplete after a power failure; it is recognised and dropped.
 */

export interface Journal {
  /** Resolves when the line is on the disk: it survives a power failure. Lines added together are written together. */
  add(line: object): Promise<void>;
  /** Resolves when the system has the line: it survives the end of this process. On the disk with the next `add`. */
  note(line: object): Promise<void>;
  close(): Promise<void>;
}

export interface JournalContent {
  readonly lines: readonly unknown[];
  /** Whether a line that was finished is not whole: what it said is lost. */
  readonly damaged: boolean;
  /** Bytes before the first bad line. */
  readonly size: number;
}

/** Length in bytes up to which a first line is read. */
const MAX_HEAD_BYTES = 1 << 16;

const computeChecksum = (json: string): string => crc32(json).toString(16).padStart(8, '0');

/** A line as it stands in the file, its newline with it. */
export const formatLine = (value: object): string => {
  const json = stringifyJson(value);
  return `${computeChecksum(json)} ${json}\n`;
};

/** Of a line that is whole, and not wanted. */
const UNWANTED = Symbol();

/** The value of a line; undefined for one that is not whole. */
const parseLine = (line: string, unwanted: string | undefined): unknown => {
  const json = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== computeChecksum(json)) return undefined;
  if (unwanted !== undefined && json.startsWith(unwanted)) return UNWANTED;
  return parseJsonValue(json, STORED_DEPTH);
};

/**
 * Pure: what a journal's text says. What stands behind the last newline is a line that was never finished. Never throws.
 * @param unwanted how lines begin that are only checked, not read
 */
export const parseJournal = (text: string, unwanted?: string): JournalContent => {
  const lines: unknown[] = [];
  let [size, damaged] = [0, false];
  for (let from = 0; ; ) {
    const end = text.indexOf('\n', from);
    if (end < 0) return { lines, damaged, size };
    const line = text.slice(from, end);
    const value = parseLine(line, unwanted);
    from = end + 1;
    if (value === undefined) damaged = true;
    else if (value !== UNWANTED) lines.push(value);
    if (!damaged) size += Buffer.byteLength(line) + 1;
  }
};

/** Makes the file with its first lines: it is there whole, or not at all. @throws Failure (exit 1) */
export const createJournal = (path: string, lines: readonly object[]): void =>
  writeDurably(path, lines.map(formatLine).join(''));

/** The first line of a journal; `undefined` where it cannot be read, or is longer than heads are. Never throws. */
export const readFirstLine = (path: string): unknown => {
  const text = readStart(path, MAX_HEAD_BYTES)?.toString('utf8') ?? '';
  return parseJournal(text.slice(0, text.indexOf('\n') + 1)).lines[0];
};

/** Undefined where there is no such file. @throws Failure when it cannot be read */
export const readJournal = (path: string, warn?: (text: string) => void): JournalContent | undefined => {
  const found = readPrivate(path, warn);
  return found === undefined ? undefined : parseJournal(found.text);
};

const NEWLINE = 0x0a;

/**
 * Adds a line to a file that several processes add lines to, with no lock: it goes out in one write, at the end of the
 * file. Half a line of a process that was killed is ended first, so that it spoils no other.
 * @throws Failure (exit 1)
 */
export const appendLine = (path: string, value: object): void => {
  let fd: number | undefined;
  try {
    fd = openToAppend(path);
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
    const line = Buffer.from(`${isTorn ? '\n' : ''}${formatLine(value)}`);
    if (writeSync(fd, line) < line.length)
      throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  } catch (error) {
    throw getErrno(error) === undefined ? error : createDiskFailure(error, 'write', path);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/** What somebody else could have written, or read, gets no line. @throws UsageError as `checkOwnFile`; what the system says */
function openToAppend(path: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(path, flags, 0o600);
  try {
    checkOwnFile(path, fd);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

interface Entry {
  readonly text: string;
  readonly durable: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The calls whose order and success a line hangs on; replaced in tests. */
export interface JournalCalls {
  /** Answers how many bytes it took, which may be fewer than it was given. */
  write(fd: number, data: Uint8Array, offset: number, length: number): Promise<number>;
  /** Resolves when all that was written is on the disk. */
  flush(fd: number): Promise<void>;
}

const writeTo = promisify(write);

export const journalCalls: JournalCalls = {
  write: async (fd, data, offset, length) => (await writeTo(fd, data, offset, length)).bytesWritten,
  flush: promisify(fsync),
};

const writeAll = async (fd: number, data: Uint8Array, calls: JournalCalls): Promise<void> => {
  for (let done = 0; done < data.length; ) {
    const count = await calls.write(fd, data, done, data.length - done);
    if (count <= 0) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    done += count;
  }
};

const writeEntries = async (fd: number, entries: readonly Entry[], calls: JournalCalls): Promise<void> => {
  await writeAll(fd, Buffer.from(entries.map(({ text }) => text).join('')), calls);
  for (const entry of entries) if (!entry.durable) entry.resolve();
  const durable = entries.filter((entry) => entry.durable);
  if (durable.length > 0) await calls.flush(fd);
  for (const entry of durable) entry.resolve();
};

/**
 * Opens a journal to add lines. A half line at its end is cut off; a damaged one is left as it is, and new lines
 * stand behind. To be held under a lock. Its methods reject with a `Failure` (exit 1) once a line could not be written.
 */
export const openJournal = (path: string, calls: JournalCalls = journalCalls): Journal => {
  const fd = openAtEnd(path);
  let queue: Entry[] = [];
  let writing: Promise<void> | undefined;
  let failure: unknown;
  const commit = async (entries: readonly Entry[]): Promise<void> => {
    try {
      if (failure !== undefined) throw failure;
      await writeEntries(fd, entries, calls);
    } catch (error) {
      // Behind half a line nothing could be read.
      failure ??= createDiskFailure(error, 'write', path);
      for (const entry of entries) entry.reject(failure);
    }
  };
  const writeQueue = async (): Promise<void> => {
    // All that comes in this turn of the event loop goes in one write.
    await Promise.resolve();
    while (queue.length > 0) {
      const entries = queue;
      queue = [];
      await commit(entries);
    }
    writing = undefined;
  };
  const enqueue = (line: object, durable: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      queue.push({ text: formatLine(line), durable, resolve, reject });
      writing ??= writeQueue();
    });
  return {
    add: (line) => enqueue(line, true),
    note: (line) => enqueue(line, false),
    async close() {
      await writing;
      await calls.flush(fd).catch(() => {});
      closeSync(fd);
    },
  };
};

const openAtEnd = (path: string): number => {
  try {
    const fd = openToAppend(path);
    const text = readFileSync(path, 'utf8');
    const { size, damaged } = parseJournal(text);
    if (!damaged && size < fstatSync(fd).size) ftruncateSync(fd, size);
    if (damaged && !text.endsWith('\n')) writeSync(fd, '\n');
    return fd;
  } catch (error) {
    throw getErrno(error) === undefined ? error : createDiskFailure(error, 'open', path);
  }
};
