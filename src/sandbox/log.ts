import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRedactor } from '../http/redact.ts';
import { isRecord, parseJson, parseJsonValue, STORED_DEPTH, stringifyJson } from '../json.ts';
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

const MAX_LOG_ROWS = 1000;
const MAX_BODY_LENGTH = 4000;
const MAX_ID_LENGTH = 200;

const redactor = createRedactor();

/** @param took milliseconds */
export function createLogRow(
  { request, at_ms, ...entry }: LogEntry,
  took: number,
  random: () => number,
): StoredLogRow {
  const { method, path, query, headers, body } = request;
  const { status, unread, route = null, fault = null, remaining = null, member = null } = entry;
  let shown: unknown = null;
  if (body.length > MAX_BODY_LENGTH) shown = `${body.length} characters`;
  else if (headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true)
    shown = redactor.json(groupByName(new URLSearchParams(body)));
  else if (body !== '') {
    const parsed = parseJson(body);
    shown = redactor.json('value' in parsed ? parsed.value : body);
  }
  return {
    id: createSecret(random, 10).toLowerCase(),
    request_id: redactor.text((headers['x-request-id'] ?? '').slice(0, MAX_ID_LENGTH)) || null,
    at: new Date(at_ms).toISOString(),
    method,
    path: redactor.text(path),
    query: redactor.json(groupByName(query)) as StoredLogRow['query'],
    body: shown,
    ...{ route, status, fault, remaining, unread, member, duration_ms: took },
  };
}

/** `events[]=a&events[]=b` is a list, and so is a name that comes twice. */
function groupByName(pairs: Iterable<readonly [name: string, value: string]>) {
  const fields: Record<string, string | string[]> = {};
  for (const [key, value] of pairs) {
    const name = key.replace(/\[\d*\]$/, '');
    const previous = fields[name];
    if (previous === undefined) fields[name] = key === name ? value : [value];
    else fields[name] = [previous, value].flat();
  }
  return fields;
}

export interface RequestLog {
  add(row: StoredLogRow): void;
  /** The oldest first. */
  rows(): readonly StoredLogRow[];
  clear(): void;
}

export function createMemoryLog(maxRows = MAX_LOG_ROWS): RequestLog {
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
}

/** Beyond it the file is cut down to the latest rows. */
const MAX_BYTES = 1024 * 1024;

/**
 * The log of the embedded sandbox: NDJSON beside its state. It is written plainly within the lock of the state: what a
 * kill tears off is one line. Where the disk takes nothing more, the service goes on without it.
 */
export function openLogFile(file: string): RequestLog {
  return {
    add(row) {
      try {
        // A pipe in its place would be waited for.
        if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) return;
        // On a line of its own, also after one that was torn off.
        appendFileSync(file, `\n${stringifyJson(row)}`, { mode: 0o600 });
        if (statSync(file).size <= MAX_BYTES) return;
        let text = '';
        for (const line of readRows(file)
          .map((kept) => stringifyJson(kept))
          .reverse()) {
          if (text.length + line.length > MAX_BYTES / 2) break;
          text = `${line}\n${text}`;
        }
        writeFileSync(file, text, { mode: 0o600 });
      } catch {
        // A log is no reason to fail.
      }
    },
    rows: () => readRows(file),
    clear: () => rmSync(file, { force: true }),
  };
}

function readRows(file: string): StoredLogRow[] {
  let text = '';
  try {
    if (statSync(file).isFile()) text = readFileSync(file, 'utf8');
  } catch {
    // There is none yet.
  }
  return text
    .split('\n')
    .flatMap((line) => {
      const value = parseJsonValue(line, STORED_DEPTH);
      return isRecord(value) && Object.hasOwn(value, 'id') ? [value as unknown as StoredLogRow] : [];
    })
    .slice(-MAX_LOG_ROWS);
}
