import type { ListPage, Row } from '../api/page.ts';
import { UsageError } from '../outcome.ts';
import { findNearest } from '../parsing/names.ts';
import { collectFields, formatTitle, getField } from './cell.ts';
import type { Column, ListView, RowJoins } from './list-view.ts';

/** The columns that people see: those asked for, as the view describes them, else the view's. */
export const chooseColumns = (
  view: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] =>
  names?.map((name) => view.find((column) => column.field === name) ?? { field: name }) ??
  view.filter(({ onRequest }) => onRequest === undefined);

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Whether none of these rows has a value for the column. */
export const isEmpty = ({ field, show, derived }: Column, rows: readonly Row[]): boolean =>
  rows.every((row) => isNothing(derived === true ? show?.(row) : getField(row, field)));

/** The columns but the sparse ones that none of these rows has a value for. */
export const removeEmptyColumns = (columns: readonly Column[], rows: readonly Row[]): readonly Column[] =>
  columns.filter((column) => column.sparse === undefined || !isEmpty(column, rows));

interface Choice {
  readonly view: ListView;
  /** `--columns`. */
  readonly columns: readonly string[] | undefined;
}

/** The columns to show: those asked for, else the view's that are not empty, else every field of these rows. */
export const selectColumns = ({ view, columns }: Choice, rows: readonly Row[]): readonly Column[] => {
  const chosen = chooseColumns(view.columns, columns);
  if (columns !== undefined) return chosen;
  const known = removeEmptyColumns(chosen, rows);
  return known.length > 0 ? known : collectFields(rows).map((field) => ({ field }));
};

const addDerivedFields = (row: Row, columns: readonly Column[]): Row => {
  const missing = columns.filter(({ field }) => !Object.hasOwn(row, field));
  return { ...row, ...Object.fromEntries(missing.map(({ field, show }) => [field, show?.(row) ?? null])) };
};

/** The rows with the derived fields of the view that an option names, so that every format and option has them. */
export async function* withDerived(
  pages: AsyncIterable<ListPage>,
  { columns }: ListView,
  names: readonly string[],
): AsyncGenerator<ListPage> {
  const derived = columns.filter(({ derived, field }) => derived === true && names.includes(field));
  if (derived.length === 0) yield* pages;
  else
    for await (const page of pages)
      yield { ...page, rows: page.rows.map((row) => addDerivedFields(row, derived)) };
}

export async function* toOnePage(pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
  const { joinPages } = await import('./sort.ts');
  yield await joinPages(pages);
}

/** The rows with fields of other records, each under its whole name. */
export async function* withJoined(
  pages: AsyncIterable<ListPage>,
  joins: () => Promise<RowJoins>,
  names: readonly string[],
): AsyncGenerator<ListPage> {
  const { fields: all, ofAll = [], find } = await joins();
  const fields = names.filter((name) => all.includes(name));
  for await (const page of fields.some((name) => ofAll.includes(name)) ? toOnePage(pages) : pages) {
    const joined = fields.length === 0 ? [] : await find(page.rows, fields);
    const listFields = (i: number) => fields.map((name) => [name, getField(joined[i] ?? {}, name) ?? null]);
    yield { ...page, rows: page.rows.map((row, i) => ({ ...row, ...Object.fromEntries(listFields(i)) })) };
  }
}

/** Which fields `--columns`, `--sort`, `--group-by` and `--sum` mean: by the API's names, or by a table's headings. */

export interface NamedFields {
  /** `--columns` */
  readonly flag: string;
  readonly names: readonly string[];
}

export interface KnownFields {
  /** Columns of the view. */
  readonly columns: readonly Column[];
  /** Fields that records may have though none of these does. */
  readonly documented: () => Promise<readonly string[]>;
}

export interface ResolvedFields {
  /** The same pages. */
  readonly pages: AsyncIterable<ListPage>;
  /** The field that a name means; one that nothing has is itself. */
  readonly resolve: (name: string) => string;
  /** What is wrong with the names; `undefined` where nothing is, or no record says otherwise. */
  readonly problem?: UsageError;
}

const toHeadingKey = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_');

/** The headings of a column as one may write them: `asked_by`; of a sum `hours` and `sum_hours`. */
const listHeadings = (column: Column): readonly string[] => {
  const title = toHeadingKey(formatTitle(column));
  return column.field.startsWith('sum_') ? [title, `sum_${title}`] : [title];
};

const findByHeading = (columns: readonly Column[], name: string): string | undefined =>
  columns.find((column) => listHeadings(column).includes(toHeadingKey(name)))?.field;

const createProblem = (
  missing: readonly string[],
  requested: readonly NamedFields[],
  fields: readonly string[],
) => {
  const lines = requested.flatMap(({ flag, names }) =>
    names.filter((name) => missing.includes(name)).map((name) => `${flag}: no record has "${name}"`),
  );
  const near = missing.map((name) => findNearest(toHeadingKey(name), fields));
  const suggestions = near.filter((name) => name !== undefined);
  const suggestion =
    suggestions.length === 0 ? [] : [`Did you mean ${[...new Set(suggestions)].join(', ')}?`];
  const available = suggestions.length === near.length ? [] : [`Known fields: ${fields.join(', ')}.`];
  return new UsageError(lines.join('\n'), {
    code: 'unknown_field',
    hint: [...suggestion, ...available].join(' '),
  });
};

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

/** Whether other records may have it: a member of a documented field that no record has. */
const isPossible = (name: string, documented: readonly string[], rows: readonly Row[]): boolean => {
  const head = name.split('.', 1)[0] ?? name;
  return head !== name && documented.includes(head) && rows.every((row) => row[head] == null);
};

/** Names that are no field of the view nor documented, until it is found what they are. */
interface UnresolvedNames {
  readonly names: Set<string>;
  /** Those that mean the field under a heading. */
  readonly headings: Map<string, string>;
}

const resolveHeadings = ({ names, headings }: UnresolvedNames, columns: readonly Column[]): void => {
  for (const name of [...names]) {
    const field = findByHeading(columns, name);
    if (field !== undefined && names.delete(name)) headings.set(name, field);
  }
};

/** Reads until each name is found in a record. The first records decide whether a heading is meant. */
const readUntil = async (
  pages: AsyncIterator<ListPage>,
  unresolved: UnresolvedNames,
  columns: readonly Column[],
): Promise<readonly ListPage[]> => {
  const read: ListPage[] = [];
  while (unresolved.names.size > 0) {
    const next = await pages.next();
    if (next.done === true) break;
    const { rows } = next.value;
    read.push(next.value);
    for (const name of [...unresolved.names])
      if (rows.some((row) => getField(row, name) !== undefined)) unresolved.names.delete(name);
    if (rows.length > 0) resolveHeadings(unresolved, columns);
  }
  resolveHeadings(unresolved, columns);
  return read;
};

/**
 * Finds what the names mean. A field of the view or of the documented record is that field; else one that the first
 * records have; else the one under the heading of that name. For any other the pages are held back until a record has
 * it: a name that none has is found out before anything is written.
 */
export const resolveFieldNames = async (
  pages: AsyncIterable<ListPage>,
  { columns, documented }: KnownFields,
  requested: readonly NamedFields[],
): Promise<ResolvedFields> => {
  const view = columns.filter(({ kind }) => kind !== 'bar');
  const fields = view.map(({ field }) => field);
  const undisplayed = requested.flatMap(({ names }) => names).filter((name) => !fields.includes(name));
  if (undisplayed.length === 0) return { pages, resolve: (name) => name };
  const known = await documented();
  const headings = new Map<string, string>();
  const unresolved = { names: new Set(undisplayed.filter((name) => !known.includes(name))), headings };
  const iterator = pages[Symbol.asyncIterator]();
  const read = await readUntil(iterator, unresolved, view);
  const rows = read.flatMap((page) => page.rows);
  const missing =
    rows.length === 0 ? [] : [...unresolved.names].filter((name) => !isPossible(name, known, rows));
  const all = [...new Set([...fields, ...known, ...Object.keys(rows[0] ?? {})])];
  return {
    pages: replay(read, iterator),
    resolve: (name) => headings.get(name) ?? name,
    ...(missing.length === 0 ? {} : { problem: createProblem(missing, requested, all) }),
  };
};
