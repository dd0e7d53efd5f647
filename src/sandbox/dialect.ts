import type { HandlerAnswer, Refusal, SandboxResponse } from './answer.ts';
import { Problem, suggestFrom } from './basics.ts';
import type { SentFields } from './input.ts';
import { findRecord, formatFullName } from './state.ts';
import type { World } from './world.ts';

/**
 * Ways in which services of this family differ where the documentation is silent or names two (docs/service.md).
 * The first value of each is the default. Handlers know the defaults alone:
 * a request is rewritten on its way in (`readDialect`), an answer on its way out (`writeAnswer`, `writeRefusal`).
 */
export const DIALECT_CHOICES = {
  pagination: ['meta', 'top', 'none'],
  created: ['documented', '200', '201'],
  invalid: ['400', '422'],
  ids: ['uuid', 'opaque'],
  empty: ['null', 'object'],
  unset: ['absent', 'null'],
  timestamp: ['micro', 'plain'],
  timesheets: ['documented', 'newer'],
  webhooks: ['documented', 'newer'],
  ignorePerPage: ['no', 'yes'],
  ignorePage: ['no', 'yes'],
} as const;

type DialectName = keyof typeof DIALECT_CHOICES;
export type ServiceDialect = { readonly [N in DialectName]: (typeof DIALECT_CHOICES)[N][number] };

export const DEFAULT_DIALECT = Object.fromEntries(
  Object.entries(DIALECT_CHOICES).map(([name, [first]]) => [name, first]),
) as ServiceDialect;

/** Reads `pagination=top,ignorePage`: a name alone means `yes`. @throws Problem for an unknown name or value, with a suggestion */
export function parseDialect(text: string): ServiceDialect {
  const choices: Record<string, string> = {};
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue;
    const [name = '', value = 'yes'] = part.split('=').map((piece) => piece.trim());
    choices[requireWord('dialect', name, Object.keys(DIALECT_CHOICES))] = value;
    requireWord(`value of the dialect ${name}`, value, DIALECT_CHOICES[name as DialectName]);
  }
  return { ...DEFAULT_DIALECT, ...choices };
}

function requireWord(kind: string, word: string, words: readonly string[]): string {
  if (words.includes(word)) return word;
  throw new Problem(`unknown ${kind}: ${word}`, { hint: suggestFrom(word, words) });
}

/**
 * Text ids as the dialect shows them. The state keeps UUIDs; `opaque` shows the same bits as `r` and 22
 * characters of base64url, so that a client cannot take the form of an id for granted.
 */
export function toOutwardId(dialect: ServiceDialect, id: string): string {
  if (dialect.ids === 'uuid' || !UUID.test(id)) return id;
  return `r${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function toInwardId(dialect: ServiceDialect, id: string): string {
  if (dialect.ids === 'uuid' || !/^r[A-Za-z0-9_-]{22}$/.test(id)) return id;
  const hex = Buffer.from(id.slice(1), 'base64url').toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function showIds(dialect: ServiceDialect, value: unknown): unknown {
  if (dialect.ids === 'uuid' || value === undefined) return value;
  return JSON.parse(JSON.stringify(value), (name, part) =>
    isIdName(name) && typeof part === 'string' ? toOutwardId(dialect, part) : part,
  );
}

function isIdName(name: string): boolean {
  return /(^|_)id$/.test(name);
}

interface SentRequest extends SentFields {
  readonly path: Readonly<Record<string, string>>;
}

export function readDialect(dialect: ServiceDialect, route: string, sent: SentRequest): SentRequest {
  const readFields = (fields: SentFields['query']): SentFields['query'] => {
    const toInward = (name: string, raw: unknown) =>
      isIdName(name) && typeof raw === 'string' ? toInwardId(dialect, raw) : raw;
    return new Map([...fields].map(([name, { raw, wire }]) => [name, { raw: toInward(name, raw), wire }]));
  };
  const path = Object.entries(sent.path).map(([name, id]) => [name, toInwardId(dialect, id)]);
  const query = readFields(sent.query);
  if (dialect.ignorePage === 'yes') query.delete('page');
  if (dialect.ignorePerPage === 'yes') query.delete('per_page');
  const status = query.get('status');
  // Newer generations say `pending` for `open`, and know no `open`.
  if (isNewer(dialect, route) && status?.raw === 'pending') query.set('status', { ...status, raw: 'open' });
  else if (isNewer(dialect, route) && status?.raw === 'open')
    query.set('status', { ...status, raw: 'pending' });
  return { path: Object.fromEntries(path), query, body: readFields(sent.body) };
}

function isNewer(dialect: ServiceDialect, route = ''): boolean {
  return dialect.timesheets === 'newer' && / \/timesheets\b/.test(route);
}

export interface AnswerForm {
  readonly dialect: ServiceDialect;
  readonly now: number;
  readonly route: string | undefined;
  readonly event: string | undefined;
  readonly users: World['users'];
}

type Headers = Readonly<Record<string, string>>;

export function writeAnswer(form: AnswerForm, answer: HandlerAnswer, headers: Headers): SandboxResponse {
  const { dialect, route = '' } = form;
  const { pagination } = answer;
  let data = showIds(dialect, answer.data);
  if (data === null) data = dialect.empty === 'object' ? {} : null;
  // What has no value is undefined, which JSON leaves out.
  else if (dialect.unset === 'null' && / \/members\b/.test(route))
    data = JSON.parse(JSON.stringify(data, (_name, value) => (value === undefined ? null : value)));
  else if (isNewer(dialect, route) && Array.isArray(data))
    data = data.map(({ total_hours, status, ...sheet }) => ({
      ...sheet,
      total_minutes: Math.round(total_hours * 60),
      member: { id: sheet.user_id, name: formatFullName(findRecord(form.users, sheet.user_id)) },
      status: status === 'open' ? 'pending' : status,
    }));
  if (route === 'GET /webhooks' && dialect.webhooks === 'documented' && pagination !== undefined) {
    const { per_page: max_rows, current_page, last_page: total_pages } = pagination;
    return createResponse(200, { max_rows, current_page, total_pages, data }, headers);
  }
  // On most answers, but not on lists (docs/service.md, Envelope).
  const [noun = '', verb = ''] = form.event?.split('.') ?? [];
  const told = `The ${noun.replace('_', ' ')} has been ${verb}.`;
  const message = form.event === undefined && /^GET .*\}$/.test(route) ? 'Found.' : form.event && told;
  const isCreation = /^POST \/[\w-]+$/.test(route) && dialect.created !== 'documented';
  const body = {
    ...{ success: true, message, data, ...(dialect.pagination === 'top' ? { pagination } : {}) },
    meta: { ...createMeta(form), ...(dialect.pagination === 'meta' ? { pagination } : {}) },
  };
  return createResponse(isCreation ? Number(dialect.created) : (answer.status ?? 200), body, headers);
}

export function writeRefusal(form: AnswerForm, refusal: Refusal, headers: Headers): SandboxResponse {
  const { dialect, route } = form;
  const status = refusal.status === 400 ? Number(dialect.invalid) : refusal.status;
  const { field, meta, detail = null } = refusal.facts;
  const message = isNewer(dialect, route) ? refusal.message.replace(/\bopen\b/g, 'pending') : refusal.message;
  const errors = status === 422 && field !== undefined ? { errors: { [field]: [message] } } : {};
  const body = { success: false, message, error: detail, ...errors, meta: { ...createMeta(form), ...meta } };
  return createResponse(status, body, { ...headers, ...refusal.facts.headers });
}

function createMeta({ now, dialect }: AnswerForm) {
  const iso = new Date(now).toISOString();
  const timestamp = dialect.timestamp === 'plain' ? `${iso.slice(0, 19)}Z` : `${iso.slice(0, -1)}000Z`;
  return { api_version: '2.0.0', timestamp };
}

function createResponse(status: number, body: object, more: Headers): SandboxResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache, private', ...more };
  return { status, headers, body: JSON.stringify(body) };
}
