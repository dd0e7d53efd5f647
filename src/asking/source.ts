import type { Page, Row } from '../api/page.ts';
import type { Column, Context } from '../context.ts';
import { textOf } from '../json/text.ts';
import { lazy } from '../lazy.ts';
import { personOf } from '../resources/person.ts';
import { isInState, type Resource } from '../resources/resource.ts';

/** What every kind of record that a person picks from is made of. */

export interface Source {
  readonly pages: AsyncIterable<Page>;
  readonly columns: readonly Column[];
  readonly order?: (one: Row, other: Row) => number;
  /** What a command line calls the record. Default: its `id`. */
  readonly idOf?: (row: Row) => unknown;
}

/** What the records have to fit. */
export interface Wish {
  /** Of the command: `restore`. */
  readonly verb: string;
  /** Its other flags, by their keys. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The state that they have to be in. */
  readonly from: string | undefined;
  /** The value of another parameter or positional, by its name; asked for when it is missing and `must` be known. */
  value(name: string, must: boolean): Promise<string | undefined>;
}

export const text = textOf;

/** `Team 2` comes before `Team 10`. */
const collator = lazy(() => new Intl.Collator(undefined, { numeric: true }));

export const by =
  (...fields: readonly string[]) =>
  (one: Row, other: Row): number => {
    const [a = '', b = ''] = [one, other].map((row) => fields.map((field) => text(row[field])).join('  '));
    return collator().compare(a, b);
  };

export const latest =
  (...fields: readonly string[]) =>
  (one: Row, other: Row): number =>
    by(...fields)(other, one);

export async function* only(pages: AsyncIterable<Page>, keep: (row: Row) => boolean): AsyncGenerator<Page> {
  for await (const page of pages) yield { ...page, rows: page.rows.filter(keep) };
}

export async function* once(rows: readonly Row[]): AsyncGenerator<Page> {
  yield { rows, total: rows.length };
}

/** Each person once, whoever has how many contracts. */
export const firstOf = (field: string): ((row: Row) => boolean) => {
  const seen = new Set<string>();
  return (row) => {
    const id = text(row[field]);
    return id !== '' && !seen.has(id) && seen.add(id) !== undefined;
  };
};

/** An archived one can only be restored or looked at; restoring is for archived ones alone. */
export const fitting =
  (verb: string, isArchived: (row: Row) => boolean) =>
  (row: Row): boolean =>
    verb === 'get' || isArchived(row) === (verb === 'restore');

export const state: Column = { field: 'status', kind: 'state', drop: 3 };
export const person = (prefix = ''): Column => ({
  field: `${prefix}firstname`,
  title: 'name',
  show: (row) => personOf(row, prefix),
});
export const number: Column = { field: 'id', drop: 1 };

export const people = (pages: AsyncIterable<Page>, role: Column): Source => ({
  pages,
  columns: [person(), { field: 'email', drop: 2 }, role, state],
  order: by('firstname', 'lastname', 'email'),
});

export const isIn =
  (resource: Resource, { from }: Wish) =>
  (row: Row): boolean =>
    from === undefined || isInState(resource, row, from);

export type Make = (context: Context, wish: Wish) => Source | Promise<Source>;
