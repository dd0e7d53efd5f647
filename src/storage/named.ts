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
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { UsageError } from '../errors.ts';
import { MAX_BYTES, MAX_SIZE } from '../parsing/text.ts';
import { createDiskFailure, getErrno, type WriteOptions, writeDurably } from './write.ts';

/** The bytes of what a command line names: what is read may be a pipe or a terminal, what is written is a file. */

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
      if (size > maxBytes)
        throw maxBytes === MAX_BYTES
          ? new UsageError(`it is larger than ${MAX_SIZE}`, { hint: 'Split it into smaller files.' })
          : new UsageError(`it is larger than ${maxBytes / 1024} KiB`);
      yield bytes;
    }
    interrupted.throwIfAborted();
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
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
    const code = getErrno(error);
    if (code === undefined) throw error;
    const reason = REASONS[code] ?? String(error);
    throw new UsageError(`cannot read ${file}`, { code: 'unreadable', reason, cause: error });
  }
}

/** A pipe or a terminal is read when something has come, so that a signal ends the waiting; any other file at once. */
async function openToRead(file: string, check?: CheckFile): Promise<Readable> {
  // To open a pipe that nobody writes to would wait for a writer, and no signal would end that.
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    check?.(fd, stats);
    if (stats.isFIFO()) {
      const { Socket } = await import('node:net');
      return new Socket({ fd, readable: true, writable: false });
    }
    if (stats.isCharacterDevice()) {
      const { isatty, ReadStream } = await import('node:tty');
      if (isatty(fd)) return new ReadStream(fd);
    }
    return createReadStream('', { fd });
  } catch (error) {
    closeSync(fd);
    throw error;
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

/** Why a file could not be written, as far as that shows before it is: `out/plan: there is no folder of that name`. */
export function findWriteProblem(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return `${path}: it is a folder`;
    if (stats?.isFile() === false) return `${path}: it is not a file`;
    // It could be replaced all the same, wherever its folder can be written: a shell would refuse it.
    if (stats !== undefined) accessSync(path, constants.W_OK);
    accessSync(dirname(followLinks(path)), constants.W_OK);
    return undefined;
  } catch (error) {
    const isMissing = getErrno(error) === 'ENOENT';
    return `${path}: ${isMissing ? 'there is no folder of that name' : 'no permission to write there'}`;
  }
}

/**
 * Replaces a file, or the target of a link, as `writeDurably` does. It keeps its mode, unless one is given.
 * @throws UsageError for what is no file, or may not be written; Failure (exit 1)
 */
export function replaceNamed(path: string, text: string, options?: WriteOptions): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const problem = stats && findWriteProblem(path);
  if (problem !== undefined) throw new UsageError(`cannot write to ${problem}`);
  try {
    writeDurably(followLinks(path), text, { ...(stats && { mode: stats.mode & 0o777 }), ...options });
  } catch (error) {
    throw createDiskFailure(error, 'write', path);
  }
}
