import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { SandboxRequest } from './answer.ts';
import { isJsonObject, readJson } from './basics.ts';
import { createSecret } from './state.ts';

/** What came in and what became of it, as it is kept: without secrets, and not for ever. */

export interface StoredLogRow extends LogEntry {
  readonly id: string;
  /** Its `X-Request-Id`; null: it had none. */
  readonly request_id: string | null;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Masked; a list where a name came several times. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  readonly duration_ms: number;
}

export interface LogEntry {
  /** `PUT /timesheets/{timesheetId}/approve`; null: no such operation. */
  route: string | null;
  status: number | null;
  fault: string | null;
  /** Requests left of the minute; null: not counted. */
  remaining: number | null;
  /** What was sent and nobody read: `query.page`, `body.color`. Empty where it was refused before it was read. */
  unread: readonly string[];
  /** E-mail address of whose token it was; null: no good one. */
  member: string | null;
}

const MAX_LOG_ROWS = 1000;
const MAX_BODY_LENGTH = 4000;

/** @param now the sandbox's time, ms @param duration_ms how long it took */
export function createLogRow(
  { method, path, query, headers, body }: SandboxRequest,
  entry: LogEntry,
  now: number,
  duration_ms: number,
  random: () => number,
): StoredLogRow {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  const sent = isForm ? groupByName(new URLSearchParams(body)) : readJson(body);
  const isShown = body === '' || (sent !== undefined && body.length <= MAX_BODY_LENGTH);
  return {
    id: createSecret(random, 10).toLowerCase(),
    request_id: maskText(headers['x-request-id'] ?? '') || null,
    at: new Date(now).toISOString(),
    ...{ method, path: maskText(path), query: mask(groupByName(query)) as StoredLogRow['query'] },
    body: isShown ? mask(sent ?? null) : `${body.length} characters`,
    ...entry,
    duration_ms,
  };
}

/** `access_token`, `auth[password]`, `auth%5Bpassword%5D`; what follows `code` and `state` in a sign-in. */
const SECRET_NAME =
  /(?:token|secret|password|authorization|cookie|api[_-]?key|code[_-]?verifier|(?<![a-z_-])(?:code|state))(?:$|[.[\]]|%5[bd])/i;

function mask(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, part) => {
    const isText = typeof part === 'string';
    if (SECRET_NAME.test(name) && (isText || typeof part === 'number' || Array.isArray(part))) return '***';
    return isText ? maskText(part) : part;
  });
}

/** The sandbox's own tokens and secrets, credentials of a header or a URL, and what has a secret name in a query. */
function maskText(text: string): string {
  return text
    .replace(/\b(?:sbx_(?!app_)|whsec_)\w+/g, '***')
    .replace(/\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]{6,}/gi, '$1 ***')
    .replace(/(:\/\/[^\s/?#:@"'<>\\]*:)[^\s/?#@"'<>\\]+(?=@)/g, '$1***')
    .replace(/((?:^|[?&#\s"'])([\w.%[\]-]{1,100})=)[^&#\s"'<>\\]+/g, (all, start: string, name: string) =>
      SECRET_NAME.test(name) ? `${start}***` : all,
    );
}

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

export type RequestLog = ReturnType<typeof createMemoryLog>;

export function createMemoryLog() {
  const stored: StoredLogRow[] = [];
  return {
    add(row: StoredLogRow): void {
      stored.push(row);
      if (stored.length > MAX_LOG_ROWS) stored.shift();
    },
    rows: (): readonly StoredLogRow[] => stored,
    clear(): void {
      stored.length = 0;
    },
  };
}

/** Beyond it the file is cut down to the latest rows. */
const MAX_BYTES = 1024 * 1024;

/**
 * The log of the embedded sandbox: NDJSON beside its state. It is written plainly, and for a read without a lock: what a
 * kill tears off is one line. Where the disk takes nothing more, the service goes on without it.
 */
export function openLogFile(file: string): RequestLog {
  return {
    add(row) {
      try {
        // On a line of its own, also after one that was torn off.
        appendFileSync(file, `\n${JSON.stringify(row)}`, { mode: 0o600 });
        if (statSync(file).size <= MAX_BYTES) return;
        // The line that the cut goes through is none any more. Replaced, for others may read and cut it too.
        const rest = `${file}.${row.id}.tmp`;
        writeFileSync(rest, readFileSync(file).subarray(-MAX_BYTES / 2), { mode: 0o600 });
        renameSync(rest, file);
      } catch {}
    },
    rows() {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      const whole = lines.map(readJson).filter((row) => isJsonObject(row) && Object.hasOwn(row, 'id'));
      return whole.slice(-MAX_LOG_ROWS) as StoredLogRow[];
    },
    clear: () => rmSync(file, { force: true }),
  };
}
