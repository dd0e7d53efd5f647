import type { ListPage, Row } from '../../api/page.ts';
import type { Column, Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { lazy } from '../../lazy.ts';
import { formatPersonName } from '../../resources/kinds.ts';
import { isInState, type Resource } from '../../resources/resource.ts';

/** What every kind of record that a person picks from is made of. */

export interface PickSource {
  readonly pages: AsyncIterable<ListPage>;
  readonly columns: readonly Column[];
  readonly order?: (one: Row, other: Row) => number;
  /** What a command line calls the record. Default: its `id`. */
  readonly idOf?: (row: Row) => unknown;
}

/** What the records have to fit. */
export interface PickFilter {
  /** Of the command: `restore`. */
  readonly verb: string;
  /** Its other flags, by their keys. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The state that they have to be in. */
  readonly from: string | undefined;
  /** The value of another parameter or positional, by its name; asked for when it is missing and `must` be known. */
  value(name: string, required: boolean): Promise<string | undefined>;
}

export const fieldText = toText;

/** `Team 2` comes before `Team 10`. */
const collator = lazy(() => new Intl.Collator(undefined, { numeric: true }));

export const orderBy =
  (...fields: readonly string[]) =>
  (one: Row, other: Row): number => {
    const [a = '', b = ''] = [one, other].map((row) =>
      fields.map((field) => fieldText(row[field])).join('  '),
    );
    return collator().compare(a, b);
  };

export const orderByLatest =
  (...fields: readonly string[]) =>
  (one: Row, other: Row): number =>
    orderBy(...fields)(other, one);

export async function* filterPages(
  pages: AsyncIterable<ListPage>,
  keep: (row: Row) => boolean,
): AsyncGenerator<ListPage> {
  for await (const page of pages) yield { ...page, rows: page.rows.filter(keep) };
}

export async function* createSinglePage(rows: readonly Row[]): AsyncGenerator<ListPage> {
  yield { rows, total: rows.length };
}

/** Each person once, whoever has how many contracts. */
export const distinctBy = (field: string): ((row: Row) => boolean) => {
  const seen = new Set<string>();
  return (row) => {
    const id = fieldText(row[field]);
    return id !== '' && !seen.has(id) && seen.add(id) !== undefined;
  };
};

/** An archived one can only be restored or looked at; restoring is for archived ones alone. */
export const filterByArchived =
  (verb: string, isArchived: (row: Row) => boolean) =>
  (row: Row): boolean =>
    verb === 'get' || isArchived(row) === (verb === 'restore');

export const stateColumn: Column = { field: 'status', kind: 'state', drop: 3 };
export const createPickPersonColumn = (prefix = ''): Column => ({
  field: `${prefix}firstname`,
  title: 'name',
  show: (row) => formatPersonName(row, prefix),
});
export const numberColumn: Column = { field: 'id', drop: 1 };

export const createPeopleSource = (pages: AsyncIterable<ListPage>, role: Column): PickSource => ({
  pages,
  columns: [createPickPersonColumn(), { field: 'email', drop: 2 }, role, stateColumn],
  order: orderBy('firstname', 'lastname', 'email'),
});

export const filterByState =
  (resource: Resource, { from }: PickFilter) =>
  (row: Row): boolean =>
    from === undefined || isInState(resource, row, from);

export type CreatePickSource = (context: Context, filter: PickFilter) => PickSource | Promise<PickSource>;
