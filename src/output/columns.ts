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

export function isEmpty(column: Column, rows: readonly Row[]): boolean {
  const { field, derived } = column;
  const isBlank = (value: unknown): boolean =>
    isNothing(value) || value === '' || (Array.isArray(value) && value.length === 0);
  return rows.every((row) => isBlank(derived === true ? getShownValue(column, row) : getField(row, field)));
}

/** `--columns +rate,-status`: the columns that a list has by itself, with one more and without another. */
const SIGN = /^[+-]/;

/** Whether each is added or left out, by its name; of several changes of one the last counts. */
function readChanges(names: readonly string[]): ReadonlyMap<string, boolean> {
  return new Map(names.map((name) => [name.replace(SIGN, ''), !name.startsWith('-')]));
}

export function listPrinted(names: readonly string[]): string[] {
  return [...readChanges(names)].flatMap(([name, isPrinted]) => (isPrinted ? name : []));
}

/** What is added stands before the id, which is last, and stays though it is empty or wide. */
function changeColumns(view: readonly Column[], changes: ReadonlyMap<string, boolean>): readonly Column[] {
  const keep = ({ onRequest, sparse, drop, ...column }: Column): Column => column;
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

/** By flag: what it names. */
export type NamedFields = Readonly<Record<string, readonly string[]>>;

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
  /** Each name with its flag; of a change of the columns without its sign. */
  const given = Object.entries(named).flatMap(([flag, names]) =>
    names.map((name) => [flag, flag === '--columns' ? name.replace(SIGN, '') : name] as const),
  );
  const others = given.map(([, name]) => name).filter((name) => !shown.includes(name));
  if (others.length === 0) return { pages, fields: named };
  const known = await documented();
  const unresolved = new Set(others.filter((name) => !known.includes(name)));
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
  // Other records may have a member of a documented field that none of these has.
  const isPossible = (name: string): boolean => {
    const [head = '', ...members] = name.split('.');
    return members.length > 0 && known.includes(head) && rows.every((row) => isNothing(row[head]));
  };
  const missing = rows.length === 0 ? [] : [...unresolved].filter((name) => !isPossible(name));
  const resolve = (name: string): string => {
    const field = name.replace(SIGN, '');
    return headings.get(name) ?? name.slice(0, -field.length) + (headings.get(field) ?? field);
  };
  async function* replay(): AsyncGenerator<ListPage> {
    try {
      yield* read;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  const all = [...new Set([...shown, ...known, ...Object.keys(rows[0] ?? {})])];
  const meant = Object.entries(named).map(([flag, names]) => [flag, names.map(resolve)]);
  return {
    pages: replay(),
    fields: Object.fromEntries(meant) as N,
    ...(missing.length > 0 && { problem: createProblem(missing, given, all) }),
  };
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

function createProblem(
  missing: readonly string[],
  given: readonly (readonly [flag: string, name: string])[],
  fields: readonly string[],
): UsageError {
  const lines = given
    .filter(([, name]) => missing.includes(name))
    .map(([flag, name]) => `${flag}: no record has "${name}"`);
  const near = missing.map((name) => findNearest(toHeadingKey(name), fields));
  const suggestions = near.filter((name) => name !== undefined);
  const hints = suggestions.length === 0 ? [] : [`Did you mean ${[...new Set(suggestions)].join(', ')}?`];
  if (suggestions.length < near.length) hints.push(`Known fields: ${fields.join(', ')}.`);
  return new UsageError(lines.join('\n'), { code: 'unknown_field', hint: hints.join(' ') });
}
