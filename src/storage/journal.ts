import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  readFileSync,
  write,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { parseJsonValue, STORED_DEPTH, stringifyJson } from '../json.ts';
import { checkOwnFile, readSmall } from './own-files.ts';
import { createDiskFailure, createFullError, removeQuietly } from './write.ts';

/**
 * A file of JSON lines that are only ever added, each with its own checksum. Only the last line can be incomplete after
 * a power failure; it is recognised and dropped.
 */

export type Journal = ReturnType<typeof openJournal>;

/** A line as it stands in the file, its newline with it: the JSON with its checksum as the last member, `sum`. */
export function formatLine(value: object): string {
  const json = stringifyJson(value);
  return `${json.slice(0, -1)}${formatEnd(json)}\n`;
}

export function parseLine(line: string): unknown {
  const json = `${line.slice(0, -END_LENGTH)}}`;
  return line.endsWith(formatEnd(json)) ? parseJsonValue(json, STORED_DEPTH) : undefined;
}

function formatEnd(json: string): string {
  return `,"sum":"${crc32(json).toString(16).padStart(8, '0')}"}`;
}

const END_LENGTH = formatEnd('').length;

const MAX_HEAD_BYTES = 1 << 16;

/** The first line of a file; `undefined` where it cannot be read, or is longer than heads are. Never throws. */
export function readFirstLine(path: string): string | undefined {
  const text = readSmall(path, MAX_HEAD_BYTES) ?? '';
  const end = text.indexOf('\n');
  return end < 0 ? undefined : text.slice(0, end);
}

/**
 * Adds text to a file with one write and no lock: only its own process writes to it.
 * @param isNew makes the file, which must not be there; where not all can be written, there is none
 * @throws Failure (exit 1)
 */
export function appendText(path: string, text: string, isNew: boolean): void {
  let fd: number | undefined;
  try {
    fd = openToAppend(path, isNew ? constants.O_CREAT | constants.O_EXCL : 0);
    if (writeSync(fd, text) < Buffer.byteLength(text)) throw createFullError();
  } catch (error) {
    if (isNew && fd !== undefined) removeQuietly(path);
    throw createDiskFailure(error, 'write', path);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const APPEND = constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/** What somebody else could have written, or read, gets no line. @throws UsageError as `checkOwnFile`; what the system says */
function openToAppend(path: string, more = 0): number {
  const fd = openSync(path, APPEND | more, 0o600);
  try {
    checkOwnFile(path, fd);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

const writeTo = promisify(write);
const flush = promisify(fsync);

interface Entry {
  readonly text: string;
  readonly durable: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

async function writeEntries(fd: number, entries: readonly Entry[]): Promise<void> {
  const data = Buffer.from(entries.map(({ text }) => text).join(''));
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await writeTo(fd, data, done, data.length - done);
    if (bytesWritten <= 0) throw createFullError();
    done += bytesWritten;
  }
  if (entries.some(({ durable }) => durable)) await flush(fd);
  for (const entry of entries) entry.resolve();
}

/**
 * Opens a journal to add lines. A half line at its end is cut off. To be held under a lock. Its methods reject with a
 * `Failure` (exit 1) once a line could not be written.
 */
export function openJournal(path: string) {
  let fd: number;
  try {
    fd = openToAppend(path);
    const whole = readFileSync(fd).lastIndexOf('\n') + 1;
    if (whole < fstatSync(fd).size) ftruncateSync(fd, whole);
  } catch (error) {
    throw createDiskFailure(error, 'open', path);
  }
  let queue: Entry[] = [];
  let writing: Promise<void> | undefined;
  let failure: unknown;
  const writeQueue = async (): Promise<void> => {
    // All that comes in this turn of the event loop goes in one write.
    await Promise.resolve();
    while (queue.length > 0) {
      const entries = queue;
      queue = [];
      try {
        if (failure !== undefined) throw failure;
        await writeEntries(fd, entries);
      } catch (error) {
        // Behind half a line nothing could be read.
        failure ??= createDiskFailure(error, 'write', path);
        for (const entry of entries) entry.reject(failure);
      }
    }
    writing = undefined;
  };
  const enqueue = (line: object, durable: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      queue.push({ text: formatLine(line), durable, resolve, reject });
      writing ??= writeQueue();
    });
  return {
    /** Resolves when the line is on the disk: it survives a power failure. Lines added together are written together. */
    add: (line: object) => enqueue(line, true),
    /** Resolves when the system has the line: it survives the end of this process. On the disk with the next `add`. */
    note: (line: object) => enqueue(line, false),
    async close(): Promise<void> {
      await writing;
      await flush(fd).catch(() => {});
      closeSync(fd);
    },
  };
}
