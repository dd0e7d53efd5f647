import { EXIT, Failure } from '../errors.ts';
import { toText } from '../json.ts';
import { addDays, isDay } from '../parsing/calendar.ts';
import { foldWord, isSameValue } from '../parsing/names.ts';
import type { Api, ApiCall } from './client.ts';
import { findState, selectFields } from './fields.ts';
import type { Operation } from './operation.ts';
import { findOperation } from './operations.ts';
import { collectRows, type ListPage, type Row } from './page.ts';
import type { Values } from './plan.ts';
import { findRecordFacts, getListId, type RecordKind } from './records.ts';

export type ListCall = Pick<ApiCall, 'operation' | 'values' | 'pages'>;

/** A list as far as it has been read, since `at`. Times are milliseconds since the epoch. */
interface Reading {
  readonly at: number;
  readonly source: AsyncGenerator<ListPage>;
  readonly results: Promise<IteratorResult<ListPage>>[];
}

type MaybeRow = Row | null | undefined;

interface KnownRecord {
  readonly row: Row;
  readonly at: number;
  /** That had it. Absent: it was read by itself. */
  readonly list?: ListCall;
}

/** So many records are worth a list. */
export const LIST_FROM = 3;

/**
 * The lists of a run, by operation and filters: each comes from the service once, and only as far as somebody reads it.
 * Names, look-ups by e-mail address, old values, joined records, warnings and evidence are taken from here. Not what a
 * record shows after a write: that is read anew, with `since`.
 */
export class Lists {
  readonly #api: Api;
  readonly #now: () => number;
  readonly #readings = new Map<string, Reading>();
  /** What any of them had, by kind and id. */
  readonly records = new Map<string, KnownRecord>();
  readonly #singles = new Map<string, { readonly at: number; readonly row: Promise<MaybeRow> }>();

  constructor(api: Api, now: () => number) {
    this.#api = api;
    this.#now = now;
  }

  /** The list of all records of a kind. @param filters by the API's names */
  of(kind: RecordKind, filters: Values = {}): ApiCall {
    return this.#api.call(findOperation(getListId(kind)) as Operation, filters);
  }

  /** After a failure it is read anew, unless it may not be read at all. @param since what began before is read again */
  async *pages(call: ListCall, since = 0): AsyncGenerator<ListPage> {
    const key = keyOf(call);
    let reading = this.#readings.get(key);
    if (reading === undefined || reading.at < since) {
      reading = { at: this.#now(), source: call.pages(), results: [] };
      this.#readings.set(key, reading);
    }
    const { at, source, results } = reading;
    const keep = (result: IteratorResult<ListPage>) => {
      for (const row of result.done === true ? [] : result.value.rows)
        if (row?.id != null) this.records.set(`${kindOf(call)} ${toText(row.id)}`, { row, at, list: call });
      return result;
    };
    const forget = (error: unknown): never => {
      const isRefused = error instanceof Failure && error.exit === EXIT.forbidden;
      if (!isRefused && this.#readings.get(key) === reading) this.#readings.delete(key);
      throw error;
    };
    for (let i = 0; ; i += 1) {
      results[i] ??= source.next().then(keep, forget);
      const result = await results[i];
      if (result === undefined || result.done === true) return;
      yield result.value;
    }
  }

  once(call: ListCall): ListCall {
    return { ...call, pages: () => this.pages(call) };
  }

  has(call: ListCall): boolean {
    return this.#readings.has(keyOf(call));
  }

  rows(call: ListCall): Promise<readonly Row[]> {
    return collectRows(this.pages(call));
  }

  /** A record by its id, where any list of its kind that was read had it. */
  find(list: ListCall, id: string, since = 0): Row | undefined {
    const known = this.records.get(`${kindOf(list)} ${id}`);
    return known !== undefined && known.at >= since ? known.row : undefined;
  }

  listsOf(list: ListCall, ids: Iterable<string>): readonly ListCall[] {
    const lists = new Map<string, ListCall>();
    for (const id of ids) {
      const known = this.records.get(`${kindOf(list)} ${id}`)?.list;
      if (known !== undefined) lists.set(keyOf(known), known);
    }
    return [...lists.values()];
  }

  /** A record by itself, read once. @param kind of a list of such records, or a word for them */
  record(kind: ListCall | string, id: string, read: () => Promise<MaybeRow>, since = 0): Promise<MaybeRow> {
    const key = `${typeof kind === 'string' ? kind : kindOf(kind)} ${id}`;
    const known = this.records.get(key);
    if (known !== undefined && known.at >= since) return Promise.resolve(known.row);
    let single = this.#singles.get(key);
    if (single === undefined || single.at < since) {
      const at = this.#now();
      const keep = (row: MaybeRow): MaybeRow => {
        if (row != null) this.records.set(key, { row, at });
        return row;
      };
      const forget = (error: unknown): never => {
        this.#singles.delete(key);
        throw error;
      };
      single = { at, row: read().then(keep, forget) };
      this.#singles.set(key, single);
    }
    return single.row;
  }

  /**
   * Reads lists on while that takes fewer requests than asking for each of some records by itself: to their end where
   * the service tells how long they are and that is no more pages than records; else for as long as they have one of
   * the records a page.
   * @param wanted what the records are called (`nameOf`)
   * @returns the rows by what they are called; `whole`: others are in none of the lists
   */
  async search(
    calls: readonly ListCall[],
    wanted: ReadonlySet<string>,
    { since = 0, nameOf = (row: Row) => toText(row.id) } = {},
  ) {
    const found = new Map<string, Row[]>();
    let count = 0;
    for (const call of calls) {
      let end: number | undefined;
      for await (const { rows, total } of this.pages(call, since)) {
        count += 1;
        for (const row of rows.filter((one) => wanted.has(nameOf(one))))
          found.set(nameOf(row), [...(found.get(nameOf(row)) ?? []), row]);
        if (total !== undefined) end ??= count - 1 + Math.ceil(total / Math.max(1, rows.length));
        const isTooLong = end === undefined ? count >= found.size + wanted.size / 20 + 3 : end > wanted.size;
        if (found.size === wanted.size || isTooLong) return { rows: found, whole: false };
      }
    }
    return { rows: found, whole: true };
  }
}

function keyOf({ operation, values }: ListCall): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const filters = given.map(([name, value]) => `${name}=${toText(value)}`).sort();
  return [operation.id, ...filters].join('\n');
}

function kindOf({ operation }: ListCall): string {
  return String(operation.record);
}

/** Whether a row shows what a filter asked for, or does not show what it is about. */
function fitsFilter(name: string, sent: unknown, row: Row): boolean {
  if (name === 'date_from' || name === 'date_to') {
    const [days, moment] =
      name === 'date_from'
        ? [[row.date_to, row.end_date, row.start_date], row.end ?? row.start]
        : [[row.date_from, row.start_date], row.start];
    const toDay = (value: unknown, add: number): string | undefined => {
      const day = toText(value).slice(0, 10);
      return isDay(day) ? addDays(day, add) : undefined;
    };
    // The day of a moment depends on the time zone: it may be the next one.
    const sign = name === 'date_from' ? 1 : -1;
    const written = days.find((one) => one != null);
    const day = toDay(written, 0) ?? toDay(moment, sign);
    return day === undefined || (sign > 0 ? day >= toText(sent) : day <= toText(sent));
  }
  if (name === 'name') return row.name == null || foldWord(row.name).includes(foldWord(sent));
  // Newer generations of the service give the person as an object (docs/service.md, Timesheets).
  const { current_role, member } = row;
  const role = name === 'role' ? current_role : undefined;
  const shown = role ?? row[name] ?? (name === 'user_id' ? (member as Row | null)?.id : undefined);
  return shown == null || [sent].flat().some((one) => isSameValue(one, shown, { choices: [] }));
}

/** The rows that are ready and that the filters of the list mean. @param warn told at the end what was left out */
export async function* listMeant(
  call: ListCall,
  isReady: (row: Row) => boolean,
  warn: (text: string) => void,
): AsyncGenerator<ListPage> {
  const check = new RowCheck(call);
  const isMeant = (row: Row): boolean => check.hasStatus(row) && isReady(row) && check.fits(row);
  for await (const page of call.pages()) yield { ...page, rows: page.rows.filter(isMeant) };
  for (const text of check.describe()) warn(text);
}

/**
 * The rows of a list, held against the states that are known and the filters that it was asked for with: a server or a
 * proxy may ignore one, and what is written is chosen by them. A row that does not show what a filter is about is taken as
 * the service gives it.
 */
export class RowCheck {
  readonly #resource;
  readonly #filters: Row;
  /** By what is wrong, in words. */
  readonly #odd = new Map<string, number>();
  readonly #ignored = new Set<string>();
  #leftOut = 0;

  constructor({ operation, values }: Pick<ListCall, 'operation' | 'values'>) {
    // Balances and policies are lists of a noun too, but not of its records.
    const resource = findRecordFacts(operation.noun);
    this.#resource = operation.id === `${resource?.noun}.list` ? resource : undefined;
    const names = Object.keys(operation.parameters).filter((name) => values[name] != null);
    this.#filters = selectFields(values, names);
  }

  /** Whether its status is known, and one of those that were asked for; one that decides has to be there. */
  hasStatus({ status }: Row): boolean {
    const resource = this.#resource;
    if (resource?.states === undefined) return true;
    if (status == null && !resource.decisive?.includes('status')) return true;
    const state = findState(resource, { status });
    const asked = [this.#filters.status ?? status].flat();
    if (state !== undefined && asked.some((one) => findState(resource, { status: one }) === state))
      return true;
    const why = state === undefined ? 'is not known' : 'was not asked for';
    const shown = JSON.stringify(toText(status).toLowerCase().slice(0, 40));
    const words = status == null ? 'no status' : `the status ${shown}, which ${why}`;
    this.#odd.set(words, (this.#odd.get(words) ?? 0) + 1);
    return false;
  }

  /** Whether it shows nothing but what the filters asked for. */
  fits(row: Row): boolean {
    const ignored = Object.entries(this.#filters).find(([name, sent]) => !fitsFilter(name, sent, row));
    if (ignored === undefined) return true;
    this.#ignored.add(ignored[0]);
    this.#leftOut += 1;
    return false;
  }

  /** What was left out: `7 timesheets have the status "pending_review", which is not known` */
  describe(): readonly string[] {
    const [one, many] = this.#resource?.words ?? [];
    const texts = [...this.#odd].map(
      ([words, count]) => `${count} ${count === 1 ? `${one} has` : `${many} have`} ${words}`,
    );
    const count = this.#leftOut;
    const rows = count === 1 ? '1 row that did not match was' : `${count} rows that did not match were`;
    if (count > 0) texts.push(`the service ignored ${[...this.#ignored].join(' and ')}: ${rows} left out`);
    return texts;
  }
}
