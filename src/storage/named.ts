import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { MAX_BYTES, MAX_SIZE } from '../parsing/text.ts';
import { ownsAlike } from './own-files.ts';
import {
  createDiskFailure,
  getErrno,
  overwrite,
  reserveWrite,
  type WriteOptions,
  writeDurably,
} from './write.ts';

/** The bytes of what a command line names: files of any kind, and streams. Nothing here waits but for what is read. */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'It is a directory.',
  EACCES: 'Permission denied.',
};

/** Throws where the open file is not to be read. */
export type CheckFile = (fd: number, stats: Stats) => void;

/**
 * What a stream has, up to the measure of all input.
 * @param interrupted ends the waiting for more
 * @throws UsageError where there is more than that; what the signal was aborted with
 */
export async function* readBoundedStream(
  stream: Readable,
  interrupted: AbortSignal,
  maxBytes = MAX_BYTES,
): AsyncGenerator<Uint8Array> {
  const stop = (): void => void stream.destroy(interrupted.reason as Error);
  if (interrupted.aborted) stop();
  interrupted.addEventListener('abort', stop, { once: true });
  let size = 0;
  try {
    for await (const part of stream) {
      const bytes = Buffer.from(part);
      size += bytes.length;
      if (size > maxBytes) throw createTooLargeError(maxBytes);
      yield bytes;
    }
    interrupted.throwIfAborted();
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
}

function createTooLargeError(maxBytes: number): UsageError {
  return maxBytes === MAX_BYTES
    ? new UsageError(`it is larger than ${MAX_SIZE}`, { hint: 'Split it into smaller files.' })
    : new UsageError(`it is larger than ${maxBytes / 1024} KiB`);
}

/** The bytes of a file that the command line names. @throws UsageError when it cannot be read; as `readBoundedStream` */
export async function* streamInput(
  file: string,
  interrupted: AbortSignal,
  check?: CheckFile,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readBoundedStream(await openToRead(file, check), interrupted);
  } catch (error) {
    throw getErrno(error) === undefined ? error : createUnreadableError(file, error);
  }
}

/** To open a pipe that nobody writes to would otherwise wait for a writer, and no signal would end that. */
async function openToRead(file: string, check?: CheckFile): Promise<Readable> {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    check?.(fd, stats);
    return await createStream(fd, stats);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A pipe or a terminal is read when something has come; any other file by reads that end by themselves. */
async function createStream(fd: number, stats: Stats): Promise<Readable> {
  if (stats.isFIFO()) {
    const { Socket } = await import('node:net');
    return new Socket({ fd, readable: true, writable: false });
  }
  if (stats.isCharacterDevice()) {
    const { isatty, ReadStream } = await import('node:tty');
    if (isatty(fd)) return new ReadStream(fd);
  }
  return createReadStream('', { fd });
}

function createUnreadableError(file: string, error: unknown): UsageError {
  const code = getErrno(error) ?? '';
  const reason = REASONS[code] ?? String(error);
  return new UsageError(`cannot read ${file}`, { code: 'unreadable', reason, cause: error });
}

/** Files that somebody named are written as a shell would: links are followed, pipes and devices are written into. */

interface WaitOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Ends the waiting for a reader. */
  readonly interrupted: AbortSignal;
}

/** Of a file that is open in this process: `/dev/stdout`, or the `/dev/fd/63` that a shell makes of `>(…)`. */
export function findDescriptor(path: string): number | undefined {
  const [, number, name] = /^\/(?:dev|proc\/self)\/(?:fd\/(\d+)|std(out|err))$/.exec(path) ?? [];
  if (name !== undefined) return name === 'out' ? 1 : 2;
  return number === undefined ? undefined : Number(number);
}

interface Destination {
  readonly stats: Stats | undefined;
  readonly descriptor: number | undefined;
  /** What keeps anything from being written there: `it is a folder`. */
  readonly problem: string | undefined;
  readonly isReplaced: boolean;
}

function findKindProblem(stats: Stats, isOpen: boolean): string | undefined {
  if (stats.isDirectory()) return 'it is a folder';
  if (stats.isBlockDevice()) return 'it is a block device';
  return stats.isSocket() && !isOpen ? 'it is a socket' : undefined;
}

const NO_PERMISSION = 'no permission to write there';

/** A file could be replaced all the same, wherever its folder can be written: a shell would refuse it. */
function isProtected(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return getErrno(error) === 'EACCES' || getErrno(error) === 'EPERM';
  }
}

/** As many as systems follow. */
const MAX_LINKS = 40;

/** Where the last link leads, whether or not anything is there. @throws Error what the system says, ELOOP for links without an end */
export function followLinks(path: string): string {
  let target = path;
  for (let hops = 0; lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true; hops += 1) {
    if (hops === MAX_LINKS) throw Object.assign(new Error(`${path}: too many links`), { code: 'ELOOP' });
    const next = resolve(realpathSync(dirname(target)), readlinkSync(target));
    target = join(realpathSync(dirname(next)), basename(next));
  }
  return target;
}

function examine(path: string): Destination {
  const stats = statSync(path, { throwIfNoEntry: false });
  const descriptor = findDescriptor(path);
  const isOpen = descriptor !== undefined;
  const isFile = stats?.isFile() === true && !isOpen;
  const problem = isFile && isProtected(path) ? NO_PERMISSION : stats && findKindProblem(stats, isOpen);
  return { stats, descriptor, problem, isReplaced: isFile || stats === undefined };
}

/** Why a file could not be written, as far as that shows before it is: `out/plan: there is no folder of that name`. */
export function findWriteProblem(path: string): string | undefined {
  try {
    const { descriptor, problem, isReplaced } = examine(path);
    if (problem !== undefined) return `${path}: ${problem}`;
    if (isReplaced) accessSync(dirname(followLinks(path)), constants.W_OK);
    else if (descriptor === undefined) accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    const isMissing = getErrno(error) === 'ENOENT';
    return `${path}: ${isMissing ? 'there is no folder of that name' : NO_PERMISSION}`;
  }
}

const POLL_MS = 10;

/** Waits for a reader of a pipe, as a shell does: no signal would end a system call that waits. */
async function openToWrite(path: string, isPipe: boolean, wait: WaitOptions): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if (!isPipe || getErrno(error) !== 'ENXIO') throw error;
      await wait.clock.sleep(POLL_MS, wait.interrupted);
    }
  }
}

async function writeAll(fd: number, data: Uint8Array, wait: WaitOptions): Promise<void> {
  for (let done = 0; done < data.length; ) {
    try {
      done += writeSync(fd, data, done);
    } catch (error) {
      // The pipe is full.
      if (getErrno(error) !== 'EAGAIN') throw error;
      await wait.clock.sleep(POLL_MS, wait.interrupted);
    }
  }
}

async function writeInto(path: string, data: Uint8Array, wait: WaitOptions): Promise<void> {
  const { stats, descriptor } = examine(path);
  // Opened again, a file would be written from its beginning, over what stands there, and a socket not at all.
  if (descriptor !== undefined && (stats?.isFile() || stats?.isSocket()))
    return writeAll(descriptor, data, wait);
  const fd = await openToWrite(path, stats?.isFIFO() === true, wait);
  try {
    await writeAll(fd, data, wait);
  } finally {
    closeSync(fd);
  }
}

/**
 * A file that is there keeps its mode, unless one is given, and its owner and links.
 * @throws UsageError for what is no file, or may not be written; Failure (exit 1)
 */
export function replaceNamed(path: string, text: string, options?: WriteOptions): void {
  const { stats, problem, isReplaced } = examine(path);
  if (problem !== undefined || !isReplaced)
    throw new UsageError(`cannot write to ${path}: ${problem ?? 'it is not a file'}`);
  const target = followLinks(path);
  if (stats !== undefined && (stats.nlink > 1 || !ownsAlike(stats))) {
    // On a full disk this fails, and the file is as it was.
    reserveWrite(target, Buffer.byteLength(text)).release();
    overwrite(target, text);
  } else writeDurably(target, text, { ...(stats && { mode: stats.mode & 0o777 }), ...options });
}

/**
 * Replaces a file, or the target of a link, as `writeDurably` does; a pipe or a device is written into.
 * @throws UsageError for a folder, a socket, a block device; Failure (exit 1); what the signal was aborted with
 */
export async function writeNamed(path: string, text: string, wait: WaitOptions): Promise<void> {
  try {
    const { problem, isReplaced } = examine(path);
    if (isReplaced || problem !== undefined) return replaceNamed(path, text);
    await writeInto(path, Buffer.from(text), wait);
  } catch (error) {
    throw getErrno(error) === undefined ? error : createDiskFailure(error, 'write', path);
  }
}
