import { ERROR_CODES } from '../../error-codes.ts';
import type { DecisionReason } from '../../http/transport.ts';
import { EXIT_MEANING } from '../../outcome.ts';

/** The JSON Schemas of what every command has in common: results, errors, jobs, lines of a log (draft 2020-12). */

export type Json = Readonly<Record<string, unknown>>;

/** Raised when a key is removed or changes its meaning; new keys do not raise it. */
const VERSION = 1;

/** @param name what stands behind `ttctl` in the title */
export const createSchemaHead = (name: string): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:ttctl:schema:${name.replaceAll(' ', '.')}:${VERSION}`,
  title: ['ttctl', name].join(' ').trim(),
});

const string: Json = { type: 'string' };
const integer: Json = { type: 'integer' };
const dateTime: Json = { type: 'string', format: 'date-time' };
const orNull = ({ type, ...schema }: Json): Json => ({ type: [type, 'null'], ...schema });
export const createArray = (items: Json): Json => ({ type: 'array', items });
export const createObject = (properties: Json, required: readonly string[] = []): Json => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties,
});
const all = (names: readonly string[], schema: Json): Json =>
  Object.fromEntries(names.map((name) => [name, schema]));

/** Of what waits, or is decided in a dry run: null where it is not known whether there are any. */
export const TEXTS: Json = { type: ['array', 'null'], items: string };

const METHOD: Json = { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] };
const EXIT: Json = { enum: Object.keys(EXIT_MEANING).map(Number) };
/** Those of today, and room for others. */
const CODE: Json = {
  anyOf: [{ enum: Object.keys(ERROR_CODES) }, { type: 'string', pattern: '^[a-z][a-z0-9_]*$' }],
};

/** An error: what every one may have, and what some have beside. */
const ERROR: Json = createObject(
  {
    code: CODE,
    exit: EXIT,
    ...all(['message', 'reason', 'hint', 'log'], string),
    // Of a response of the service.
    status: integer,
    request: string,
    errors: {},
    ...all(['required_scope', 'granted_scope'], createArray(string)),
    retry_after: integer,
    // Of the network, of files, of settings.
    ...all(['host', 'proxy', 'error', 'path', 'file', 'place', 'errno', 'source', 'name', 'profile'], string),
    profiles: createArray(string),
    ...all(['line', 'pid', 'error_count'], integer),
    // Of writes.
    ...all(['job', 'failed_file'], string),
    created: { type: ['string', 'integer'] },
    fields: createArray(string),
    done: integer,
  },
  ['code', 'exit', 'message'],
);

const STATUS: Json = { enum: ['done', 'unchanged', 'failed', 'unknown', 'skipped', 'planned'] };

/** A result. */
const RESULT: Json = createObject(
  {
    target: string,
    status: STATUS,
    operation: string,
    ...all(['label', 'message'], string),
    data: {},
    before: { type: 'object' },
    after: { type: ['object', 'null'] },
    request: createObject({ method: METHOD, path: string, query: { type: 'object' }, body: {} }, [
      'method',
      'path',
    ]),
    error: { $ref: '#/$defs/error' },
    ...all(['warnings', 'warning_messages'], TEXTS),
  },
  ['target', 'status', 'operation'],
);

const JOB_COUNTS = ['done', 'failed', 'unknown', 'left'];

/** A run, as `jobs list` has it. */
const JOB: Json = createObject(
  {
    id: string,
    command: orNull(string),
    state: string,
    ...all(JOB_COUNTS, orNull(integer)),
    started_at: orNull(dateTime),
    failed_file: orNull(string),
  },
  ['id', 'state'],
);

/** A row of a run, as `jobs show` has it. */
const JOB_ROW: Json = createObject(
  {
    ...all(['target', 'operation'], string),
    status: { enum: ['planned', 'sending', 'done', 'unchanged', 'failed', 'unknown', 'skipped'] },
    at: orNull(dateTime),
    message: orNull(string),
    error: { anyOf: [{ $ref: '#/$defs/error' }, { type: 'null' }] },
  },
  ['target', 'status', 'operation'],
);

/** What schemas refer to by name. */
const DEFINITIONS: Readonly<Record<string, Json>> = {
  result: RESULT,
  error: ERROR,
  job: JOB,
  job_row: JOB_ROW,
};

/** The compiler knows whether any is missing. */
const REASONS: Readonly<Record<DecisionReason, true>> = {
  ...{ rate_limit: true, rate_limited: true, not_sent: true, fault: true, token_renewed: true },
  ...{ max_wait: true, retries: true, service_down: true, unknown_outcome: true },
  ...{ done: true, not_done: true, failed: true, unknown: true },
};

const EVENTS: Readonly<Record<string, Json>> = {
  'run.start': {
    ...all(['version', 'command', 'profile', 'base', 'workspace'], string),
    pid: integer,
    dry_run: { const: true },
  },
  request: { base: string, query: { type: 'object' }, waited_ms: integer },
  response: { status: integer, ms: integer, error: {} },
  decision: {
    decision: { enum: ['wait', 'retry', 'give_up', 'reconcile'] },
    reason: { enum: Object.keys(REASONS) },
    ms: integer,
  },
  result: { outcome: STATUS, message: string, error: {} },
  'run.end': { exit: integer, ms: integer, requests: integer, error: {} },
};

/** Lines about a request, or about a write. */
const SUBJECT: Json = {
  ...all(['n', 'attempt'], integer),
  ...all(['operation', 'target', 'path', 'request_id'], string),
  method: METHOD,
};

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'run.start': ['version', 'pid', 'command', 'profile'],
  request: ['n', 'attempt', 'method', 'path', 'request_id'],
  response: ['n', 'attempt', 'method', 'path', 'request_id', 'ms'],
  decision: ['decision', 'reason'],
  result: ['operation', 'target', 'outcome'],
  'run.end': ['exit', 'ms', 'requests'],
};

/** A line of `--log`. */
const LOG: Json = {
  anyOf: Object.entries(EVENTS).map(([event, members]) =>
    createObject(
      {
        time: dateTime,
        run: string,
        event: { const: event },
        ...(event.startsWith('run.') ? {} : SUBJECT),
        ...members,
        ...('error' in members && {
          error: createObject({ code: CODE, message: string }, ['code', 'message']),
        }),
      },
      ['time', 'run', 'event', ...(REQUIRED[event] ?? [])],
    ),
  ),
};

/** A schema with what it refers to. */
export const withDefinitions = (schema: Json, more: Json = {}): Json => {
  const defs: Record<string, unknown> = { ...more };
  const add = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/"#\/\$defs\/(\w+)"/g)) {
      const definition = DEFINITIONS[name];
      if (definition === undefined || name in defs) continue;
      defs[name] = definition;
      add(JSON.stringify(definition));
    }
  };
  add(JSON.stringify(schema));
  return { ...schema, ...(Object.keys(defs).length > 0 && { $defs: defs }) };
};

/** By the flag of `ttctl schema` that prints it. */
export const COMMON_SCHEMAS: Readonly<Record<string, () => Json>> = {
  'error-schema': () =>
    withDefinitions({
      ...createSchemaHead('error'),
      ...createObject({ error: { $ref: '#/$defs/error' } }, ['error']),
    }),
  'result-schema': () => withDefinitions({ ...createSchemaHead('result'), ...RESULT }),
  'job-schema': () =>
    withDefinitions({ ...createSchemaHead('job'), ...JOB }, { job_row: JOB_ROW, error: ERROR }),
  'log-schema': () => ({ ...createSchemaHead('log'), ...LOG }),
};
