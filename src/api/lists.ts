import { EXIT, Failure } from '../errors.ts';
import { toText } from '../json.ts';
import type { Api, ApiCall } from './client.ts';
import { findOperation } from './operations.ts';
import type { ListPage, Row } from './page.ts';
import type { Values } from './plan.ts';
import { KINDS, type RecordKind } from './records.ts';

/** A list with the filters that it is asked for with. */
export type ListCall = Pick<ApiCall, 'operation' | 'values' | 'pages' | 'ownWorkspace'>;

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
  readonly #records = new Map<string, KnownRecord>();
  readonly #singles = new Map<string, { readonly at: number; readonly row: Promise<MaybeRow> }>();

  constructor(api: Api, now: () => number) {
    this.#api = api;
    this.#now = now;
  }

  /** The list of all records of a kind. @param filters by the API's names */
  of(kind: RecordKind, filters: Values = {}): ApiCall {
    const { noun, listedBy = 'list' } = KINDS[kind];
    const operation = findOperation(`${noun}.${listedBy}`);
    if (operation === undefined) throw new Error(`${noun} are not in the table`);
    return this.#api.call(operation, filters);
  }

  /**
   * A list page by page. After a failure it is read anew, unless it may not be read at all.
   * @param since what was begun to be read before is read again
   */
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
        if (row?.id != null) this.#records.set(`${kindOf(call)} ${toText(row.id)}`, { row, at, list: call });
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

  /** The same list as another call of it. */
  once(call: ListCall): ListCall {
    return { ...call, pages: () => this.pages(call) };
  }

  has(call: ListCall): boolean {
    return this.#readings.has(keyOf(call));
  }

  async rows(call: ListCall, since = 0): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for await (const page of this.pages(call, since)) for (const row of page.rows) rows.push(row);
    return rows;
  }

  /** A record by its id, where any list of its kind that was read had it. */
  find(list: ListCall, id: string, since = 0): Row | undefined {
    const known = this.#records.get(`${kindOf(list)} ${id}`);
    return known !== undefined && known.at >= since ? known.row : undefined;
  }

  /** The lists that had these records. */
  listsOf(list: ListCall, ids: Iterable<string>): readonly ListCall[] {
    const lists = new Map<string, ListCall>();
    for (const id of ids) {
      const known = this.#records.get(`${kindOf(list)} ${id}`)?.list;
      if (known !== undefined) lists.set(keyOf(known), known);
    }
    return [...lists.values()];
  }

  /**
   * A record by itself, read once.
   * @param kind of a list of such records, or a word for them
   */
  record(kind: ListCall | string, id: string, read: () => Promise<MaybeRow>, since = 0): Promise<MaybeRow> {
    const key = `${typeof kind === 'string' ? kind : kindOf(kind)} ${id}`;
    const known = this.#records.get(key);
    if (known !== undefined && known.at >= since) return Promise.resolve(known.row);
    let single = this.#singles.get(key);
    if (single === undefined || single.at < since) {
      const at = this.#now();
      const keep = (row: MaybeRow): MaybeRow => {
        if (row != null) this.#records.set(key, { row, at });
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
   * @param wanted what the records are called
   * @param nameOf default: their ids
   * @returns the rows by what they are called; `whole`: others are in none of the lists
   */
  async search(
    calls: readonly ListCall[],
    wanted: ReadonlySet<string>,
    { since = 0, nameOf = (row: Row) => toText(row.id) } = {},
  ): Promise<{ readonly rows: ReadonlyMap<string, readonly Row[]>; readonly whole: boolean }> {
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

function keyOf({ operation, values, ownWorkspace }: ListCall): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const filters = given.map(([name, value]) => `${name}=${toText(value)}`).sort();
  return [operation.id, toText(ownWorkspace ?? ''), ...filters].join('\n');
}

/** What the ids of a list are ids of. */
function kindOf({ operation, ownWorkspace }: ListCall): string {
  return `${operation.record} ${toText(ownWorkspace ?? '')}`;
}
