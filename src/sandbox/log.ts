import { createRedactor } from '../http/redact.ts';
import { parseJson } from '../json.ts';
import type { LogEntry } from './app.ts';
import type { SandboxRequest } from './exchange.ts';
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
