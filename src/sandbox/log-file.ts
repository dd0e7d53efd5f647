import {
  appendFileSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isRecord, parseJsonValue, STORED_DEPTH, stringifyJson } from '../json.ts';
import { MAX_LOG_ROWS, type RequestLog, type StoredLogRow } from './log.ts';

/**
 * The log of the embedded sandbox (an adapter): NDJSON beside its state. It is written plainly within the lock of
 * the state: what a kill tears off is one line. Where the disk takes nothing more, the service goes on without it.
 */

const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** A pipe in its place is not waited for. */
const withFile = <T>(file: string, flags: number, work: (fd: number) => T): T => {
  const fd = openSync(file, flags | (constants.O_NONBLOCK ?? 0), 0o600);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
};

/** Beyond it the file is cut down to the latest rows. */
const MAX_BYTES = 1024 * 1024;

const parseRow = (line: string): StoredLogRow[] => {
  const value = parseJsonValue(line, STORED_DEPTH);
  return isRecord(value) && Object.hasOwn(value, 'id') ? [value as unknown as StoredLogRow] : [];
};

const readLines = (file: string): string[] => {
  try {
    return withFile(file, constants.O_RDONLY, (fd) => readFileSync(fd, 'utf8')).split('\n');
  } catch {
    return [];
  }
};

/** The latest rows, and of those as many as fill half of the file at most. */
const formatLatest = (lines: readonly string[]): string => {
  let text = '';
  for (const line of lines
    .filter((each) => parseRow(each).length > 0)
    .slice(-MAX_LOG_ROWS)
    .reverse()) {
    if (text.length + line.length > MAX_BYTES / 2) break;
    text = `${line}\n${text}`;
  }
  return text;
};

export const openLogFile = (file: string): RequestLog => ({
  add(row) {
    try {
      // On a line of its own, also after one that was torn off.
      withFile(file, APPEND_FLAGS, (fd) => appendFileSync(fd, `\n${stringifyJson(row)}`));
      if (statSync(file).size > MAX_BYTES)
        writeFileSync(file, formatLatest(readLines(file)), { mode: 0o600 });
    } catch {
      // A log is no reason to fail.
    }
  },
  rows: () => readLines(file).flatMap(parseRow).slice(-MAX_LOG_ROWS),
  clear: () => rmSync(file, { force: true }),
});
