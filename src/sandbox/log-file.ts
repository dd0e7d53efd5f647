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
import { isRecord } from '../json/number.ts';
import { parseJsonValue, STORED_DEPTH } from '../json/parse.ts';
import { stringifyJson } from '../json/stringify.ts';
import { MAX_LOG_ROWS, type RequestLog, type StoredLogRow } from './log.ts';

/**
 * The log of the embedded sandbox (an adapter): NDJSON beside its state. It is written plainly within the lock of
 * the state: what a kill tears off is one line. Where the disk takes nothing more, the service goes on without it.
 */

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

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
const MOST_BYTES = 1024 * 1024;

const rowOf = (line: string): StoredLogRow[] => {
  const value = parseJsonValue(line, STORED_DEPTH);
  return isRecord(value) && Object.hasOwn(value, 'id') ? [value as unknown as StoredLogRow] : [];
};

const linesIn = (file: string): string[] => {
  try {
    return withFile(file, constants.O_RDONLY, (fd) => readFileSync(fd, 'utf8')).split('\n');
  } catch {
    return [];
  }
};

/** The latest rows, and of those as many as fill half of the file at most. */
const latest = (lines: readonly string[]): string => {
  let text = '';
  for (const line of lines
    .filter((each) => rowOf(each).length > 0)
    .slice(-MAX_LOG_ROWS)
    .reverse()) {
    if (text.length + line.length > MOST_BYTES / 2) break;
    text = `${line}\n${text}`;
  }
  return text;
};

/** Where the log of a state file is. */
export const getLogFile = (state: string): string => `${state}.log`;

export const openLogFile = (file: string): RequestLog => ({
  add(row) {
    try {
      // On a line of its own, also after one that was torn off.
      withFile(file, APPEND, (fd) => appendFileSync(fd, `\n${stringifyJson(row)}`));
      if (statSync(file).size > MOST_BYTES) writeFileSync(file, latest(linesIn(file)), { mode: 0o600 });
    } catch {
      // A log is no reason to fail.
    }
  },
  rows: () => linesIn(file).flatMap(rowOf).slice(-MAX_LOG_ROWS),
  clear: () => rmSync(file, { force: true }),
});
