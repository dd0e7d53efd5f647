import type { ListPage, Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { findNearest } from '../parsing/text.ts';
import { collectFields, formatTitle, getField, pickFields } from './cell.ts';
import type { Column, ListView } from './list-view.ts';

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
  readonly columns: readonly string[] | undefined;
}

/** The columns to show: those asked for, else the view's that are not empty, else every field of these rows. */
export const selectColumns = ({ view, columns }: Choice, rows: readonly Row[]): readonly Column[] => {
  const chosen = chooseColumns(view.columns, columns);
  if (columns !== undefined) return chosen;
  const known = removeEmptyColumns(chosen, rows);
  return known.length > 0 ? known : collectFields(rows).map((field) => ({ field }));
};

/** `--columns +rate,-status`: the columns that a list has by itself, with one more and without another. */

const SIGN = /^[+-]/;

export const stripSign = (name: string): string => name.replace(SIGN, '');

const hasSigns = (names: readonly string[] | undefined): names is readonly string[] =>
  names?.some((name) => SIGN.test(name)) === true;

/** Of changes of one column the last one counts. */
const takeLast = (changes: readonly string[]): readonly string[] => [
  ...new Map(changes.map((name) => [stripSign(name), name])).values(),
];

export const listPrinted = (names: readonly string[]): string[] =>
  takeLast(names)
    .filter((name) => !name.startsWith('-'))
    .map(stripSign);

/** What is added stands before the id, which is last, and stays though it is empty or wide. */
function changeColumns(view: readonly Column[], changes: readonly string[]): readonly Column[] {
  const listNames = (sign: string) =>
    takeLast(changes)
      .filter((name) => name.startsWith(sign))
      .map(stripSign);
  const [added, removed] = [listNames('+'), listNames('-')];
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

const changeFields = (fields: readonly string[], changes: readonly string[]): readonly string[] =>
  changeColumns(
    fields.map((field) => ({ field })),
    changes,
  ).map(({ field }) => field);

/** The names of `--columns`, with changes of these columns spelled out. */
export const expandNames = (
  columns: readonly Column[],
  names: readonly string[] | undefined,
): readonly string[] | undefined =>
  hasSigns(names)
    ? changeFields(
        columns.filter(({ onRequest }) => onRequest !== true).map(({ field }) => field),
        names,
      )
    : names;

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
  const documented = async () => {
    const fields = (await view.documented?.()) ?? [];
    return fields.length === 0 ? fields : changeFields(fields, names);
  };
  return {
    view: { ...view, documented, ...(view.cells && { cells: changeFields(view.cells, names) }) },
    columns: undefined,
    toShown: shape === 'id-lines' ? toShown : (row) => pickFields(row, changeFields(Object.keys(row), names)),
  };
}

/** Which fields `--columns`, `--sort`, `--group-by` and `--sum` mean: by the API's names, or by a table's headings. */

export interface NamedFields {
  readonly flag: string;
  readonly names: readonly string[];
}

export interface KnownFields {
  readonly columns: readonly Column[];
  readonly documented: () => Promise<readonly string[]>;
}

export interface ResolvedFields {
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
