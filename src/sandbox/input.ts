import { type HandlerAnswer, invalid, Refusal, type SandboxRequest } from './answer.ts';
import { isJsonObject, readJson } from './basics.ts';
import { findRecord } from './state.ts';
import type { Membership, RecordMap, User, Workspace, World } from './world.ts';

/** What a handler gets: the fields of a request, the readers that check them, and what the lists have in common. */

export interface Call {
  readonly world: World;
  readonly user: User;
  /** The sandbox's time: ms, and as records carry it. */
  readonly now: number;
  readonly time: string;
  readonly input: RequestInput;
  readonly path: Readonly<Record<string, string>>;
  readonly workspace: Workspace;
  /** The caller's membership: an active Owner or Executive Manager. */
  readonly me: Membership;
}

interface RouteOptions {
  readonly form?: true;
  /**
   * Where `workspace_id` is documented to stand. Absent: in the query of a read; of a write, in either, for there the
   * documentation names no place or two. `none`: it takes none, and its call has no `workspace` and no `me`.
   */
  readonly workspace?: 'body' | 'none';
  /** What it tells webhooks: names of events (docs/service.md, Deliveries). */
  readonly events?: readonly string[];
}

export interface Route extends RouteOptions {
  /** In the specification's own words: `PUT /timesheets/{timesheetId}/approve`. */
  readonly route: string;
  readonly handle: (call: Call) => HandlerAnswer;
}

/** @param options or the one event that webhooks hear of it */
export function route(operation: string, options: RouteOptions | string, handle: Route['handle']): Route {
  const more = typeof options === 'string' ? { events: [options] } : options;
  return { route: operation, ...more, handle };
}

/** The answer of a write: `data` is null. @param event what webhooks hear of it */
export function done(event?: object): HandlerAnswer {
  return { data: null, ...(event && { event }) };
}

export function created(data: unknown, event: object): HandlerAnswer {
  return { status: 201, data, event };
}

/** The record of this workspace, if it is one that is meant. @throws Refusal (404) */
export function requireRecord<T>(
  records: RecordMap<T>,
  kind: string,
  id: string | number = '',
  isMeant: (record: T) => boolean = () => true,
): T {
  const record = findRecord(records, id);
  if (record !== undefined && isMeant(record)) return record;
  throw new Refusal(404, `No ${kind} ${id} in this workspace.`);
}

/**
 * Reads one value, or throws a refusal that names the field. `wire` is true for a value from a query or a form,
 * where everything is text; in JSON the type must be right.
 */
export type Reader<T> = (raw: unknown, name: string, wire: boolean) => T;

type Fields = Map<string, { readonly raw: unknown; readonly wire: boolean }>;
export type SentFields = Readonly<Record<'query' | 'body', Fields>>;

export class RequestInput {
  readonly #sent: SentFields;
  readonly #namesRead = new Set<string>();

  constructor(sent: SentFields) {
    this.#sent = sent;
  }

  maybe<T>(name: string, reader: Reader<T>, location: keyof SentFields = 'body'): T | undefined {
    this.#namesRead.add(`${location}.${name}`);
    const sent = this.#sent[location].get(name);
    return sent === undefined || sent.raw === null ? undefined : reader(sent.raw, name, sent.wire);
  }

  need<T>(name: string, reader: Reader<T>): T {
    return requirePresent(name, this.maybe(name, reader));
  }

  given<R extends Readonly<Record<string, Reader<unknown>>>>(
    readers: R,
  ): { [N in keyof R]?: R[N] extends Reader<infer T> ? T : never } {
    const all = Object.entries(readers).map(([name, one]) => [name, this.maybe(name, one)] as const);
    const given = Object.fromEntries(all.filter(([, value]) => value !== undefined));
    return given as ReturnType<typeof this.given<R>>;
  }

  filter<T>(name: string, reader: Reader<T>): T | undefined {
    return this.maybe(name, reader, 'query');
  }

  /** As `maybe`; a value in the query that differs from the body's is refused (docs/service.md, Where values travel). */
  either<T>(name: string, reader: Reader<T>): T | undefined {
    const [inBody, inQuery] = [this.maybe(name, reader), this.filter(name, reader)];
    if (inBody !== undefined && inQuery !== undefined && inBody !== inQuery)
      throw invalid(name, `The ${name} in the query and in the body are different.`);
    return inBody ?? inQuery;
  }

  /** The records that have the values that the query asks for; an empty text asks for none. */
  select<T extends object>(
    records: RecordMap<T>,
    readers: { readonly [N in keyof T & string]?: Reader<T[N]> },
  ): T[] {
    const wanted = Object.entries(readers as Record<string, Reader<unknown>>)
      .map(([name, reader]) => [name, this.filter(name, reader)] as const)
      .filter(([, value]) => value !== undefined && value !== '');
    return Object.values(records).filter((row) =>
      wanted.every(([name, value]) => row[name as keyof T] === value),
    );
  }

  /** Whether the days from `first` to `last`, both inclusive, have one of the range that the query asks for. */
  rangeFilter(): (first: string, last: string) => boolean {
    // Days are text of one form, so that their order is the order of the text.
    const [from, to] = [this.filter('date_from', day), this.filter('date_to', day)];
    if (from !== undefined && to !== undefined && to < from)
      throw invalid('date_to', 'The date_to field must not be before date_from.');
    return (first, last) => (from ?? last) <= last && first <= (to ?? first);
  }

  /**
   * The page of `rows` that the query asks for; one after the last is empty. Only its rows are shown, so that a long
   * list costs no more than its page.
   * @param options.fixed the list takes `page` only
   */
  page<T>(
    rows: readonly T[],
    show: (row: T) => unknown,
    { perPage = 20, fixed = false }: { readonly perPage?: number; readonly fixed?: boolean } = {},
  ): HandlerAnswer {
    const page = this.filter('page', wholeNumber(1)) ?? 1;
    const size = (fixed ? undefined : this.filter('per_page', wholeNumber(1, 100))) ?? perPage;
    const start = (page - 1) * size;
    const pageRows = rows.slice(start, start + size);
    return {
      data: pageRows.map(show),
      pagination: {
        total: rows.length,
        per_page: size,
        current_page: page,
        last_page: Math.max(1, Math.ceil(rows.length / size)),
        from: pageRows.length === 0 ? null : start + 1,
        to: pageRows.length === 0 ? null : start + pageRows.length,
      },
    };
  }

  namesRead(): string[] {
    return [...this.#namesRead].map((name) => name.replace(/^body\./, ''));
  }

  unread(): string[] {
    return (['query', 'body'] as const)
      .flatMap((location) => [...this.#sent[location].keys()].map((name) => `${location}.${name}`))
      .filter((name) => !this.#namesRead.has(name));
  }
}

export function requirePresent<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw invalid(name, `The ${name} field is required.`);
  return value;
}

/**
 * @param takesForm whether the operation takes a form (webhooks create and update)
 * @throws Refusal (400) for a body that cannot be read
 */
export function parseFields(request: SandboxRequest, takesForm: boolean): SentFields {
  const query = pairsToFields(request.query);
  if (request.body === '') return { query, body: new Map() };
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded') {
    if (!takesForm) throw new Refusal(400, 'Only webhooks accept a form: send application/json.');
    return { query, body: pairsToFields(new URLSearchParams(request.body), 'list') };
  }
  if (type !== '' && type !== 'application/json')
    throw new Refusal(400, `The content type ${type} is not accepted: send application/json.`);
  const body = readJson(request.body);
  if (!isJsonObject(body)) throw new Refusal(400, 'The body must be a JSON object.');
  return { query, body: toFields(body) };
}

export function toFields(object: object): Fields {
  return new Map(Object.entries(object).map(([name, raw]) => [name, { raw, wire: false }]));
}

/**
 * `events[]=a&events[]=b` and `events[0]=a` as the framework reads them. Of `a=1&a=2` the last counts, but where
 * repeated names make a list.
 */
function pairsToFields(pairs: Iterable<readonly [string, string]>, repeated?: 'list'): Fields {
  const fields: Fields = new Map();
  for (const [key, value] of pairs) {
    const [, name = key] = /^(.+)\[\d*\]$/.exec(key) ?? [];
    const previous = [fields.get(name)?.raw ?? []].flat();
    const isList = name !== key || (repeated === 'list' && previous.length > 0);
    fields.set(name, { raw: isList ? [...previous, value] : value, wire: true });
  }
  return fields;
}

function reader<T>(what: string, parse: (raw: unknown, wire: boolean) => T | undefined): Reader<T> {
  return (raw, name, wire) => {
    const value = parse(raw, wire);
    if (value === undefined) throw invalid(name, `The ${name} field must be ${what}.`);
    return value;
  };
}

function matches(raw: unknown, pattern: RegExp): raw is string {
  return typeof raw === 'string' && pattern.test(raw);
}

function textReader(what: string, pattern: RegExp): Reader<string> {
  return reader(what, (raw) => (matches(raw, pattern) ? raw : undefined));
}

export const anyText = textReader('a string', /^/);
export const filledText = textReader('a string that is not empty', /\S/);
export const address = textReader('a valid email address', /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/);

export function wholeNumber(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Reader<number> {
  const atLeast = min === Number.MIN_SAFE_INTEGER ? '' : ` of at least ${min}`;
  const range = max === Number.MAX_SAFE_INTEGER ? atLeast : ` between ${min} and ${max}`;
  return reader(`an integer${range}`, (raw, wire) => {
    const value = parseNumber(raw, wire, /^-?\d{1,15}$/);
    return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
  });
}

export const amount = reader('a number of at least 0', (raw, wire) => {
  const value = parseNumber(raw, wire, /^\d+(\.\d+)?$/);
  return value >= 0 ? value : undefined;
});

function parseNumber(raw: unknown, wire: boolean, pattern: RegExp): number {
  if (typeof raw === 'number') return Math.abs(raw) > Number.MAX_SAFE_INTEGER ? Number.NaN : raw;
  return wire && matches(raw, pattern) ? Number(raw) : Number.NaN;
}

export const flag = reader('true or false', (raw, wire) => {
  if (raw === true || raw === 1 || (wire && (raw === '1' || raw === 'true'))) return true;
  return raw === false || raw === 0 || (wire && (raw === '0' || raw === 'false')) ? false : undefined;
});

export function isCalendarDay(raw: unknown): raw is string {
  if (!matches(raw, /^\d{4}-\d{2}-\d{2}$/)) return false;
  const date = new Date(`${raw}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(raw);
}

export const day = reader('a date in the format YYYY-MM-DD', (raw) => (isCalendarDay(raw) ? raw : undefined));

const DATETIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** An ISO 8601 moment; without an offset it is UTC. Returns it in UTC. */
export const moment = reader('an ISO 8601 date and time', (raw) => {
  const parts = typeof raw === 'string' ? DATETIME.exec(raw) : null;
  const iso = parts === null ? '' : `${parts[0].replace(' ', 'T')}${parts[3] === undefined ? 'Z' : ''}`;
  const isOne = isCalendarDay(iso.slice(0, 10)) && !Number.isNaN(Date.parse(iso));
  return isOne ? new Date(iso).toISOString() : undefined;
});

export function choice<const T extends string | number>(values: readonly T[]): Reader<T> {
  return reader(`one of: ${values.join(', ')}`, (raw, wire) =>
    values.find((candidate) => candidate === raw || (wire && String(candidate) === raw)),
  );
}

export function list<T>(item: Reader<T>): Reader<T[]> {
  return (sent, name, wire) => {
    // In a form a list of one item may look like its item.
    const raw = wire && typeof sent === 'string' ? [sent] : sent;
    if (!Array.isArray(raw)) throw invalid(name, `The ${name} field must be an array.`);
    return raw.map((one, index) => item(one, `${name}.${index}`, wire));
  };
}

export const zone = reader('a valid time zone', (raw) => {
  if (!matches(raw, /\S/)) return undefined;
  // An unknown zone must be refused, and the list of zones belongs to the platform.
  try {
    new Intl.DateTimeFormat('en', { timeZone: raw });
    return raw;
  } catch {
    return undefined;
  }
});
