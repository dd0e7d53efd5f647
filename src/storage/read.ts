import { closeSync, constants, createReadStream, fstatSync, openSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { UsageError } from '../errors.ts';
import { MAX_BYTES, MAX_SIZE } from '../parsing/text.ts';
import { getErrno } from './failure.ts';

/** The bytes of what a command line names: files of any kind, and streams. Nothing here waits but for what is read. */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'It is a directory.',
  EACCES: 'Permission denied.',
};

const createUnreadableError = (file: string, error: unknown): UsageError => {
  const code = getErrno(error) ?? '';
  const reason = REASONS[code] ?? String(error);
  return new UsageError(`cannot read ${file}`, { code: 'unreadable', reason, cause: error });
};

/** A pipe or a terminal is read when something has come; any other file by reads that end by themselves. */
const createStream = async (fd: number, stats: Stats): Promise<Readable> => {
  if (stats.isFIFO()) {
    const { Socket } = await import('node:net');
    return new Socket({ fd, readable: true, writable: false });
  }
  if (stats.isCharacterDevice()) {
    const { isatty, ReadStream } = await import('node:tty');
    if (isatty(fd)) return new ReadStream(fd);
  }
  return createReadStream('', { fd });
};

/** Throws where the open file is not to be read. */
export type CheckFile = (fd: number, stats: Stats) => void;

/** To open a pipe that nobody writes to would otherwise wait for a writer, and no signal would end that. */
const openStream = async (file: string, check?: CheckFile): Promise<Readable> => {
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
};

const createTooLargeError = (maxBytes: number): UsageError =>
  maxBytes === MAX_BYTES
    ? new UsageError(`it is larger than ${MAX_SIZE}`, { hint: 'Split it into smaller files.' })
    : new UsageError(`it is larger than ${maxBytes / 1024} KiB`);

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

/** The bytes of a file that the command line names. @throws UsageError when it cannot be read; as `readBoundedStream` */
export async function* streamInput(
  file: string,
  interrupted: AbortSignal,
  check?: CheckFile,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readBoundedStream(await openStream(file, check), interrupted);
  } catch (error) {
    throw getErrno(error) === undefined ? error : createUnreadableError(file, error);
  }
}
