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
import { createRedactor } from '../http/redact.ts';
import { isRecord, parseJson, parseJsonValue, STORED_DEPTH, stringifyJson } from '../json.ts';
import type { SandboxRequest } from './answer.ts';
import type { LogEntry } from './app.ts';
import { createSecret } from './state.ts';

/** What came in and what became of it, as it is kept: without secrets, and not for ever. */

export interface StoredLogRow {
  readonly id: string;
  /** Its `X-Request-Id`; null: it had none. */
  readonly request_id: string | null;
  /** The sandbox's time, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without the base path. */
  readonly path: string;
  /** Redacted; a list where a name came several times. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Redacted; null: there was none. */
  readonly body: unknown;
  /** `PUT /timesheets/{timesheetId}/approve`; null: no such operation. */
  readonly route: string | null;
  /** Null: the connection was cut before an answer. */
  readonly status: number | null;
  /** The fault that the call met, in words. */
  readonly fault: string | null;
  /** Requests left of the minute; null: not counted. */
  readonly remaining: number | null;
  /** What was sent and nobody read: `query.page`, `body.color`. */
  readonly unread: readonly string[];
  /** E-mail address of whose token it was; null: no good one. */
  readonly member: string | null;
  readonly duration_ms: number;
}

/** So many rows are kept. */
export const MAX_LOG_ROWS = 1000;

const MAX_BODY_LENGTH = 4000;

const redactor = createRedactor();

type Pairs = Iterable<readonly [name: string, value: string]>;

/** `events[]=a&events[]=b` is a list, and so is a name that comes twice. */
const groupByName = (pairs: Pairs): Record<string, string | string[]> => {
  const fields: Record<string, string | string[]> = {};
  for (const [key, value] of pairs) {
    const name = key.replace(/\[\d*\]$/, '');
    const previous = fields[name];
    if (previous === undefined) fields[name] = key === name ? value : [value];
    else fields[name] = [...(Array.isArray(previous) ? previous : [previous]), value];
  }
  return fields;
};

const parseBody = ({ headers, body }: SandboxRequest): unknown => {
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true) {
    return groupByName(new URLSearchParams(body));
  }
  const result = parseJson(body);
  return 'value' in result ? result.value : body;
};

const redactBody = (request: SandboxRequest): unknown => {
  const { body } = request;
  if (body === '') return null;
  return body.length > MAX_BODY_LENGTH ? `${body.length} characters` : redactor.json(parseBody(request));
};

const MAX_ID_LENGTH = 200;

/** @param took milliseconds */
export const createLogRow = (
  { request, ...entry }: LogEntry,
  took: number,
  random: () => number,
): StoredLogRow => ({
  id: createSecret(random, 10).toLowerCase(),
  request_id: redactor.text((request.headers['x-request-id'] ?? '').slice(0, MAX_ID_LENGTH)) || null,
  at: new Date(entry.at_ms).toISOString(),
  method: request.method,
  path: redactor.text(request.path),
  query: redactor.json(groupByName(request.query)) as StoredLogRow['query'],
  body: redactBody(request),
  route: entry.route ?? null,
  status: entry.status,
  fault: entry.fault ?? null,
  remaining: entry.remaining ?? null,
  unread: entry.unread,
  member: entry.member ?? null,
  duration_ms: took,
});

/** Where rows are kept. */
export interface RequestLog {
  add(row: StoredLogRow): void;
  /** The oldest first. */
  rows(): readonly StoredLogRow[];
  clear(): void;
}

/** The latest rows, in memory. */
export const createMemoryLog = (maxRows = MAX_LOG_ROWS): RequestLog => {
  let stored: StoredLogRow[] = [];
  return {
    add(row) {
      stored.push(row);
      // In batches: shifting at every request would move all of them.
      if (stored.length >= maxRows * 2) stored = stored.slice(-maxRows);
    },
    rows: () => stored.slice(-maxRows),
    clear() {
      stored = [];
    },
  };
};

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
