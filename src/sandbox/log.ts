import { createRedactor } from '../http/redact.ts';
import { parseJson } from '../json/parse.ts';
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

const LONGEST_BODY = 4000;

const redactor = createRedactor();

type Pairs = Iterable<readonly [name: string, value: string]>;

/** `events[]=a&events[]=b` is a list, and so is a name that comes twice. */
const byName = (pairs: Pairs): Record<string, string | string[]> => {
  const fields: Record<string, string | string[]> = {};
  for (const [key, value] of pairs) {
    const name = key.replace(/\[\d*\]$/, '');
    const before = fields[name];
    if (before === undefined) fields[name] = key === name ? value : [value];
    else fields[name] = [...(Array.isArray(before) ? before : [before]), value];
  }
  return fields;
};

const parsed = ({ headers, body }: SandboxRequest): unknown => {
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true) {
    return byName(new URLSearchParams(body));
  }
  const result = parseJson(body);
  return 'value' in result ? result.value : body;
};

const bodyOf = (request: SandboxRequest): unknown => {
  const { body } = request;
  if (body === '') return null;
  return body.length > LONGEST_BODY ? `${body.length} characters` : redactor.json(parsed(request));
};

const queryOf = ({ query }: SandboxRequest): StoredLogRow['query'] =>
  redactor.json(byName(query)) as StoredLogRow['query'];

const LONGEST_ID = 200;

const requestIdOf = ({ headers }: SandboxRequest): string | null => {
  const id = headers['x-request-id'];
  return id === undefined ? null : redactor.text(id.slice(0, LONGEST_ID));
};

export interface RowFacts {
  /** Milliseconds. */
  readonly took: number;
  readonly random: () => number;
}

export const createLogRow = (entry: LogEntry, { took, random }: RowFacts): StoredLogRow => ({
  id: createSecret(random, 10).toLowerCase(),
  request_id: requestIdOf(entry.request),
  at: new Date(entry.at_ms).toISOString(),
  method: entry.request.method,
  path: redactor.text(entry.request.path),
  query: queryOf(entry.request),
  body: bodyOf(entry.request),
  route: entry.route ?? null,
  status: entry.status,
  fault: entry.fault ?? null,
  remaining: entry.remaining ?? null,
  unread: entry.unread,
  member: entry.member ?? null,
  duration_ms: took,
});

/** The rows after the one with this id; all where it is no more among them, or none is named. */
export const listRowsAfter = (
  rows: readonly StoredLogRow[],
  after: string | undefined,
): readonly StoredLogRow[] => {
  const index = after === undefined ? -1 : rows.findIndex(({ id }) => id === after);
  return index < 0 ? rows : rows.slice(index + 1);
};

/** Where rows are kept. */
export interface RequestLog {
  add(row: StoredLogRow): void;
  /** The oldest first. */
  rows(): readonly StoredLogRow[];
  clear(): void;
}

/** The latest rows, in memory. */
export const createMemoryLog = (most = MAX_LOG_ROWS): RequestLog => {
  let kept: StoredLogRow[] = [];
  return {
    add(row) {
      kept.push(row);
      // In batches: shifting at every request would move all of them.
      if (kept.length >= most * 2) kept = kept.slice(-most);
    },
    rows: () => kept.slice(-most),
    clear() {
      kept = [];
    },
  };
};
