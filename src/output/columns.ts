import type { ListPage, Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { findNearest } from '../parsing/text.ts';
import { collectFields, formatTitle, getField, getShownValue, isNothing, pickFields } from './cell.ts';
import type { FormatContext } from './formats/row-writer.ts';
import type { Column, ListView } from './list-view.ts';

/** Which columns are shown, and which fields `--columns`, `--sort`, `--group-by` and `--sum` mean. */

/** The columns that people see: those asked for, as the view describes them, else the view's. */
export function chooseColumns(
  view: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] {
  if (names === undefined) return view.filter(({ onRequest }) => onRequest === undefined);
  return names.map((name) => view.find(({ field }) => field === name) ?? { field: name });
}

/**
 * The columns to show: those asked for, else the view's that are not empty, else every field of these rows.
 * @param live more rows come, which may have what these have not
 */
export function selectColumns(
  { view, columns, live }: Pick<FormatContext, 'view' | 'columns' | 'live'>,
  rows: readonly Row[],
): readonly Column[] {
  const chosen = chooseColumns(view.columns, columns);
  if (columns !== undefined) return chosen;
  const known = chosen.filter(
    (column) => column.sparse === undefined || live === true || !isEmpty(column, rows),
  );
  return known.length > 0 ? known : toColumns(collectFields(rows));
}

export function toColumns(names: readonly string[]): readonly Column[] {
  return names.map((field) => ({ field }));
}

/** Whether none of these rows has a value for the column. */
export function isEmpty(column: Column, rows: readonly Row[]): boolean {
  const { field, derived } = column;
  const isBlank = (value: unknown): boolean =>
    isNothing(value) || value === '' || (Array.isArray(value) && value.length === 0);
  return rows.every((row) => isBlank(derived === true ? getShownValue(column, row) : getField(row, field)));
}

/** `--columns +rate,-status`: the columns that a list has by itself, with one more and without another. */
const SIGN = /^[+-]/;

function stripSign(name: string): string {
  return name.replace(SIGN, '');
}

function hasSigns(names: readonly string[] | undefined): names is readonly string[] {
  return names?.some((name) => SIGN.test(name)) === true;
}

/** Of changes of one column the last one counts. */
function takeLast(changes: readonly string[]): readonly string[] {
  return [...new Map(changes.map((name) => [stripSign(name), name])).values()];
}

/** The fields that these names print. */
export function listPrinted(names: readonly string[]): string[] {
  return takeLast(names)
    .filter((name) => !name.startsWith('-'))
    .map(stripSign);
}

/** What is added stands before the id, which is last, and stays though it is empty or wide. */
function changeColumns(view: readonly Column[], changes: readonly string[]): readonly Column[] {
  const last = takeLast(changes);
  const added = last.filter((name) => name.startsWith('+')).map(stripSign);
  const removed = last.filter((name) => name.startsWith('-')).map(stripSign);
  const keep = ({ onRequest, sparse, drop, ...column }: Column): Column => column;
  const kept = view
    .filter(({ field, onRequest }) => onRequest !== true && !removed.includes(field))
    .map((column) => (added.includes(column.field) ? keep(column) : column));
  const more = added
    .filter((name) => !kept.some(({ field }) => field === name))
    .map((name) => keep(view.find(({ field }) => field === name) ?? { field: name }));
  const end = kept.at(-1)?.field === 'id' ? kept.length - 1 : kept.length;
  return [...kept.slice(0, end), ...more, ...kept.slice(end)];
}

/** The names of `--columns`, with changes of these fields spelled out. */
export function expandNames(
  fields: readonly string[],
  names: readonly string[] | undefined,
): readonly string[] | undefined {
  return hasSigns(names) ? changeColumns(toColumns(fields), names).map(({ field }) => field) : names;
}

export interface ShownView<V extends ListView> {
  readonly view: V;
  readonly columns: readonly string[] | undefined;
  readonly toShown: (row: Row) => Row;
}

/** With changes, people have other columns of the view, and programs other fields of each record. */
export function showView<V extends ListView>(
  view: V,
  names: readonly string[] | undefined,
  { forPeople, shape }: { readonly forPeople: boolean; readonly shape: string },
): ShownView<V> {
  const toShown = (row: Row): Row => row;
  if (!hasSigns(names)) return { view, columns: names, toShown };
  if (forPeople)
    return { view: { ...view, columns: changeColumns(view.columns, names) }, columns: undefined, toShown };
  const change = (fields: readonly string[]) => expandNames(fields, names) ?? fields;
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

/** By flag: what it names. */
export type NamedFields = Readonly<Record<string, readonly string[]>>;

/** Each name with its flag; of a change of the columns without its sign. */
function listNames(named: NamedFields): readonly (readonly [flag: string, name: string])[] {
  return Object.entries(named).flatMap(([flag, names]) =>
    names.map((name) => [flag, flag === '--columns' ? stripSign(name) : name] as const),
  );
}

export interface ResolvedFields<N extends NamedFields> {
  readonly pages: AsyncIterable<ListPage>;
  /** The fields that the names mean; one that nothing has is itself. */
  readonly fields: N;
  /** What is wrong with the names; `undefined` where nothing is, or no record says otherwise. */
  readonly problem?: UsageError;
}

/**
 * Finds what the names mean. A field of the view or of the documented record is that field; else one that the first
 * records have; else the one under the heading of that name. For any other the pages are held back until a record has
 * it: a name that none has is found out before anything is written.
 */
export async function resolveFields<N extends NamedFields>(
  pages: AsyncIterable<ListPage>,
  columns: readonly Column[],
  documented: () => Promise<readonly string[]>,
  named: N,
): Promise<ResolvedFields<N>> {
  const view = columns.filter(({ kind }) => kind !== 'bar');
  const shown = view.map(({ field }) => field);
  const undisplayed = listNames(named)
    .map(([, name]) => name)
    .filter((name) => !shown.includes(name));
  if (undisplayed.length === 0) return { pages, fields: named };
  const known = await documented();
  const unresolved = new Set(undisplayed.filter((name) => !known.includes(name)));
  /** The fields under the headings that names mean. */
  const headings = new Map<string, string>();
  const resolveHeadings = (): void => {
    for (const name of unresolved) {
      const field = findByHeading(view, name);
      if (field !== undefined && unresolved.delete(name)) headings.set(name, field);
    }
  };
  const iterator = pages[Symbol.asyncIterator]();
  const read: ListPage[] = [];
  while (unresolved.size > 0) {
    const next = await iterator.next();
    if (next.done === true) break;
    read.push(next.value);
    for (const name of unresolved)
      if (next.value.rows.some((row) => getField(row, name) !== undefined)) unresolved.delete(name);
    if (next.value.rows.length > 0) resolveHeadings();
  }
  resolveHeadings();
  const rows = read.flatMap((page) => page.rows);
  const missing = rows.length === 0 ? [] : [...unresolved].filter((name) => !isPossible(name, known, rows));
  const resolve = (name: string): string => {
    const field = stripSign(name);
    const sign = name.slice(0, name.length - field.length);
    return headings.get(name) ?? sign + (headings.get(field) ?? field);
  };
  const all = [...new Set([...shown, ...known, ...Object.keys(rows[0] ?? {})])];
  return {
    pages: replay(read, iterator),
    fields: Object.fromEntries(
      Object.entries(named).map(([flag, names]) => [flag, names.map(resolve)]),
    ) as unknown as N,
    ...(missing.length > 0 && { problem: createProblem(missing, named, all) }),
  };
}

async function* replay(
  pages: readonly ListPage[],
  iterator: AsyncIterator<ListPage>,
): AsyncGenerator<ListPage> {
  try {
    yield* pages;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

function toHeadingKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_');
}

/** By a heading as one may write it: `asked_by`; of a sum `hours` and `sum_hours`. */
function findByHeading(columns: readonly Column[], name: string): string | undefined {
  const key = toHeadingKey(name);
  return columns.find((column) => {
    const title = toHeadingKey(formatTitle(column));
    return key === title || (column.field.startsWith('sum_') && key === `sum_${title}`);
  })?.field;
}

/** Whether other records may have it: a member of a documented field that no record has. */
function isPossible(name: string, documented: readonly string[], rows: readonly Row[]): boolean {
  const head = name.split('.', 1)[0] ?? name;
  return head !== name && documented.includes(head) && rows.every((row) => isNothing(row[head]));
}

function createProblem(missing: readonly string[], named: NamedFields, fields: readonly string[]) {
  const lines = listNames(named)
    .filter(([, name]) => missing.includes(name))
    .map(([flag, name]) => `${flag}: no record has "${name}"`);
  const near = missing.map((name) => findNearest(toHeadingKey(name), fields));
  const suggestions = near.filter((name) => name !== undefined);
  const hints = suggestions.length === 0 ? [] : [`Did you mean ${[...new Set(suggestions)].join(', ')}?`];
  if (suggestions.length < near.length) hints.push(`Known fields: ${fields.join(', ')}.`);
  return new UsageError(lines.join('\n'), { code: 'unknown_field', hint: hints.join(' ') });
}
