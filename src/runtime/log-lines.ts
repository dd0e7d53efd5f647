import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';
import { UsageError } from '../errors.ts';
import type { LogMembers, LogWriter } from '../http/observe.ts';
import { safeJson } from '../output/safe-text.ts';
import { judgeTrust } from '../storage/own-files.ts';
import { findDescriptor, findWriteProblem } from '../storage/write-named.ts';

/** The lines of `--log`, and the file that they are added to. Also of the process that renews a sign-in. */

const createBadFileError = (problem: string): UsageError =>
  new UsageError(`cannot write the log to ${problem}`, {
    code: 'bad_value',
    hint: 'Name a file in a folder that exists, or use --log - for stderr.',
  });

/** A pipe would have to be waited for. */
const isRefused = (file: string): boolean => {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isCharacterDevice();
};

const APPEND = constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);

/** A link is followed to a file of ours alone: somebody else may have made it. @throws UsageError for any other link */
const openLog = (file: string): number => {
  const isOpen = findDescriptor(file) !== undefined;
  const isLink = !isOpen && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink)
    return openSync(file, APPEND | constants.O_CREAT | (isOpen ? 0 : (constants.O_NOFOLLOW ?? 0)), 0o600);
  if (!existsSync(file)) throw createBadFileError(`${file}: it is a link to nothing`);
  const fd = openSync(file, APPEND);
  const stats = fstatSync(fd);
  if (!stats.isFile() || judgeTrust(stats) === undefined) return fd;
  closeSync(fd);
  throw createBadFileError(`${file}: others own or can write to the file that it links to`);
};

/**
 * Opens a log. Each line goes to the end of the file with one write, so that processes can share it.
 * @returns writes one line; throws where it is not written whole
 * @throws UsageError for what is no file, or cannot be written to
 */
export const openLineFile = (file: string): ((line: string) => void) => {
  let fd: number;
  try {
    if (isRefused(file)) throw createBadFileError(`${file}: it is not a file`);
    fd = openLog(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw createBadFileError(findWriteProblem(file) ?? `${file}: no permission to write there`);
  }
  let isTorn = false;
  return (line) => {
    const bytes = Buffer.from(isTorn ? `\n${line}` : line);
    const written = writeSync(fd, bytes);
    isTorn = written < bytes.length;
    if (isTorn) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  };
};

/** @param time when it happened, milliseconds since the epoch */
export const formatLogLine = (event: string, run: string, time: number, members: LogMembers): string => {
  const known = Object.entries(members).filter(([, value]) => value !== undefined);
  return `${safeJson({ time: new Date(time).toISOString(), run, event, ...Object.fromEntries(known) })}\n`;
};

export const createLogWriter = (
  run: string,
  writeLine: (line: string) => void,
  { redactor, clock }: Pick<LogWriter, 'redactor'> & { readonly clock: { now(): number } },
): LogWriter => ({
  write: (event, members) => writeLine(formatLogLine(event, run, clock.now(), members)),
  redactor,
});
