import type { ListPage, Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { stringifyJson } from '../json.ts';
import { toDay } from '../parsing/calendar.ts';
import { findNearest } from '../parsing/text.ts';
import {
  collectFields,
  formatTitle,
  getField,
  getShownValue,
  isNothing,
  type PeopleStyle,
  pickFields,
} from './cell.ts';
import type { Column, ListView } from './list-view.ts';
import type { TextSink } from './sink.ts';

/** Which columns are shown, which fields `--columns`, `--sort`, `--group-by` and `--sum` mean, and the order of rows. */

export interface RowWriter {
  rows(rows: readonly Row[]): Promise<void>;
  end(): Promise<void>;
}

export interface FormatContext extends TextSink {
  note(text: string): void;
  readonly columns: readonly string[] | undefined;
  readonly joined?: readonly string[];
  readonly view: ListView;
  readonly header: boolean;
  /** Whether stdout is a terminal: then controls in data are made visible in every format. */
  readonly terminal: boolean;
  readonly style: PeopleStyle;
  /** Whether a field holds numbers, however the service writes them; undefined: nothing is known of it. */
  readonly isNumber?: ((field: string) => Promise<boolean | undefined>) | undefined;
}

export function chooseColumns(
  view: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] {
  if (names === undefined) return view.filter(({ onRequest }) => onRequest === undefined);
  return names.map((name) => view.find(({ field }) => field === name) ?? { field: name });
}

/** The columns to show: those asked for, else the view's that are not empty, else every field of these rows. */
export function selectColumns(
  { view, columns }: Pick<FormatContext, 'view' | 'columns'>,
  rows: readonly Row[],
): readonly Column[] {
  const chosen = chooseColumns(view.columns, columns);
  if (columns !== undefined) return chosen;
  const isBlank = (value: unknown): boolean =>
    isNothing(value) || value === '' || (Array.isArray(value) && value.length === 0);
  const isEmpty = (column: Column): boolean =>
    rows.every((row) => isBlank(column.derived ? getShownValue(column, row) : getField(row, column.field)));
  const known = chosen.filter((column) => column.sparse === undefined || !isEmpty(column));
  return known.length > 0 ? known : toColumns(collectFields(rows));
}

export function toColumns(names: readonly string[]): readonly Column[] {
  return names.map((field) => ({ field }));
}

/** `--columns +rate,-status`: the columns that a list has by itself, with one more and without another. */
const SIGN = /^[+-]/;

function readChanges(names: readonly string[]): ReadonlyMap<string, boolean> {
  return new Map(names.map((name) => [name.replace(SIGN, ''), !name.startsWith('-')]));
}

export function listPrinted(names: readonly string[]): string[] {
  return [...readChanges(names)].flatMap(([name, isPrinted]) => (isPrinted ? name : []));
}

/** What is added stands before the id, which is last, and stays though it is empty or wide. */
function changeColumns(view: readonly Column[], changes: ReadonlyMap<string, boolean>): readonly Column[] {
  const keep = ({ onRequest, sparse, drop, ...column }: Column): Column => ({ ...column, wrap: true });
  const kept = view
    .filter(({ field, onRequest }) => onRequest !== true && changes.get(field) !== false)
    .map((column) => (changes.has(column.field) ? keep(column) : column));
  const more = [...changes].flatMap(([name, isAdded]) => {
    const isNew = isAdded && !kept.some(({ field }) => field === name);
    return isNew ? keep(view.find(({ field }) => field === name) ?? { field: name }) : [];
  });
  const end = kept.at(-1)?.field === 'id' ? kept.length - 1 : kept.length;
  return [...kept.slice(0, end), ...more, ...kept.slice(end)];
}

/** With changes, people have other columns of the view, and programs other fields of each record. */
export function showView(
  view: ListView,
  names: readonly string[] | undefined,
  { forPeople, shape }: { readonly forPeople: boolean; readonly shape: string },
): { view: ListView; columns: readonly string[] | undefined; toShown: (row: Row) => Row } {
  const toShown = (row: Row): Row => row;
  if (names?.some((name) => SIGN.test(name)) !== true) return { view, columns: names, toShown };
  const changes = readChanges(names);
  const changed = { ...view, columns: changeColumns(view.columns, changes) };
  if (forPeople) return { view: changed, columns: undefined, toShown };
  const change = (fields: readonly string[]) =>
    changeColumns(toColumns(fields), changes).map(({ field }) => field);
  const documented = async () => {
    const fields = (await view.documented?.()) ?? [];
    return fields.length === 0 ? fields : change(fields);
  };
  return {
    view: { ...view, documented, ...(view.cells && { cells: change(view.cells) }) },
    columns: undefined,
    toShown: shape === 'id-lines' ? toShown : (row) => pickFields(row, change(Object.keys(row))),
  };
}

/**
 * Finds what the names mean: a field of the view or of the documented record is that field; else a heading stands for
 * its field. For any other name the pages are held back: one that no record has is found out before anything is written.
 * @param documented the names of its fields, if asked with those of joined records
 * @param named the names by their flags
 * @returns `fields`: those that are meant; `problem`: what is wrong with the names, as far as the records say so
 */
export async function resolveFields<N extends Readonly<Record<string, readonly string[]>>>(
  pages: AsyncIterable<ListPage>,
  columns: readonly Column[],
  documented: (withJoined?: boolean) => Promise<readonly string[]>,
  named: N,
): Promise<{ readonly pages: AsyncIterable<ListPage>; readonly fields: N; readonly problem?: UsageError }> {
  const shown = columns.map(({ field }) => field);
  const given = Object.entries(named).flatMap(([flag, names]) =>
    names.map((name) => ({ flag, name: flag === '--columns' ? name.replace(SIGN, '') : name })),
  );
  if (given.every(({ name }) => shown.includes(name))) return { pages, fields: named };
  const known = [...shown, ...(await documented())];
  const toKey = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_');
  // By a heading as one may write it: `asked_by`; of a sum `hours` and `sum_hours`.
  const findField = (name: string): string | undefined => {
    if (known.includes(name)) return name;
    const key = toKey(name);
    return columns.find((column) => {
      const title = toKey(formatTitle(column));
      return key === title || (column.field.startsWith('sum_') && key === `sum_${title}`);
    })?.field;
  };
  const resolve = (name: string): string => {
    const bare = name.replace(SIGN, '');
    return findField(name) ?? name.slice(0, -bare.length) + (findField(bare) ?? bare);
  };
  const meant = Object.entries(named).map(([flag, names]) => [flag, names.map(resolve)]);
  const fields = Object.fromEntries(meant) as N;
  const others = given.filter(({ name }) => findField(name) === undefined);
  if (others.length === 0) return { pages, fields };
  const page = await joinPages(pages);
  const { rows } = page;
  const missing = others.filter(({ name }) => {
    const [head = '', ...members] = name.split('.');
    // Other records may have a member of a documented field that none of these has.
    const isPossible =
      members.length > 0 && known.includes(head) && rows.every((row) => isNothing(row[head]));
    return rows.length > 0 && !isPossible && rows.every((row) => getField(row, name) === undefined);
  });
  async function* replay(): AsyncGenerator<ListPage> {
    yield page;
  }
  if (missing.length === 0) return { pages: replay(), fields };
  const all = [...new Set([...known, ...Object.keys(rows[0] ?? {}), ...(await documented(true))])];
  // `email` of a record that has none: `member.email`; and of one that is a member itself the other way about.
  const isNear = (name: string, one: string) => one.endsWith(`.${name}`) || name.endsWith(`.${one}`);
  const findNear = (name: string) => all.find((one) => isNear(name, one)) ?? findNearest(toKey(name), all);
  const near = [...new Set(missing.map(({ name }) => findNear(name)))];
  const suggestions = near.filter((name) => name !== undefined);
  const hints = suggestions.length === 0 ? [] : [`Did you mean ${suggestions.join(', ')}?`];
  if (suggestions.length < near.length) hints.push(`Known fields: ${all.join(', ')}.`);
  const lines = missing.map(({ flag, name }) => `${flag}: no record has "${name}"`);
  const problem = new UsageError(lines.join('\n'), { code: 'unknown_field', hint: hints.join(' ') });
  return { pages: replay(), fields, problem };
}

export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** A sorted copy; rows that are equal keep their order, and those without a value come last in either direction. */
export function sortRows(rows: readonly Row[], keys: readonly SortKey[]): Row[] {
  return [...rows].sort((a, b) => {
    for (const { field, descending } of keys) {
      const [left, right] = [getField(a, field), getField(b, field)];
      const isLast = Number(isNothing(left)) - Number(isNothing(right));
      const order = isNothing(left) || isNothing(right) ? 0 : compare(left, right);
      if (isLast !== 0 || order !== 0) return isLast || (descending ? -order : order);
    }
    return 0;
  });
}

/** Numbers by size and before text; text without regard to case first, and the same on every machine. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
  const [left, right] = [asText(a), asText(b)];
  return compareCodeUnits(left.toLowerCase(), right.toLowerCase()) || compareCodeUnits(left, right);
}

function asText(value: unknown): string {
  if (typeof value === 'object') return stringifyJson(value);
  const text = String(value);
  return /, \d{4}$/.test(text) ? (toDay(text) ?? text) : text;
}

function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export async function joinPages(pages: AsyncIterable<ListPage>): Promise<ListPage> {
  const joined: Row[] = [];
  let last: ListPage | undefined;
  for await (const page of pages) {
    for (const row of page.rows) joined.push(row);
    last = { ...last, ...page, total: page.total ?? last?.total };
  }
  return { total: undefined, ...last, rows: joined };
}

/** Holds all pages back, and gives one, sorted. */
export async function* toOnePage(
  pages: AsyncIterable<ListPage>,
  keys: readonly SortKey[] = [],
): AsyncGenerator<ListPage> {
  const page = await joinPages(pages);
  yield { ...page, rows: keys.length === 0 ? page.rows : sortRows(page.rows, keys) };
}
