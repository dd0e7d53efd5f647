import { type Fields, formatPersonName, toWord } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import type { Names } from './names.ts';

/** Whose name stands behind an id; behind any other a member's. */
const NAMED: Readonly<Record<string, 'project' | 'category' | 'policy'>> = {
  project_id: 'project',
  category_id: 'category',
  policy_id: 'policy',
};

/**
 * A column that shows the name behind an id; the other formats give the id.
 * @param known the name where it comes with the record: it is not fetched then
 */
export function createNameColumn(
  names: Names,
  field: string,
  more: Partial<Column> = {},
  known: (row: Row) => unknown = () => undefined,
): Column {
  const title = NAMED[field] ?? 'member';
  const source = names[title];
  return {
    field,
    title,
    load: (rows) => source.load(rows.filter((row) => known(row) == null).map((row) => row[field])),
    show: (row) => known(row) ?? source.of(row[field]),
    least: 10,
    ...more,
  };
}

/** The columns of a record's fields: heading, kind and words are those of the field. */
export function createColumns<F extends Fields>(fields: F) {
  return (field: keyof F & string, more: Partial<Column> = {}): Column => {
    const { title, kind, words } = fields[field] ?? {};
    return {
      field,
      ...(title === undefined ? {} : { title }),
      ...(kind === undefined ? {} : { kind }),
      ...(words === undefined ? {} : { show: (row) => toWord(words, row[field]) }),
      ...more,
    };
  };
}

export const personColumn: Column = {
  field: 'name',
  derived: true,
  show: (row) => formatPersonName(row),
  least: 12,
};

/** From one day to another, in one column. As a value it is an ISO 8601 interval. */
export function createPeriodColumn(from: string, to: string): Column {
  return {
    field: 'period',
    kind: 'period',
    derived: true,
    show: (row) =>
      row[from] == null && row[to] == null ? null : `${toText(row[from] ?? '..')}/${toText(row[to] ?? '..')}`,
  };
}

export function createPeriodColumns(from: string, to: string): readonly Column[] {
  return [
    createPeriodColumn(from, to),
    { field: from, title: 'from', kind: 'date', onRequest: true },
    { field: to, title: 'to', kind: 'date', onRequest: true },
  ];
}

/** Every field of the record in its own order, shown as these columns say where they know it. */
export function createRecordColumns(
  record: Row,
  columns: readonly Column[],
  fields: Fields,
): readonly Column[] {
  return Object.keys(record).map((field) => {
    const column = columns.find((one) => one.field === field) ?? createColumns(fields)(field);
    const { onRequest: _named, ...shown } = column;
    return shown;
  });
}

/** An id by its name, where that is known. */
export function nameIds(names: Names, column: Column): Column {
  const kind = column.field === 'user_id' ? 'member' : NAMED[column.field];
  if (kind === undefined) return column;
  return { ...column, kind: 'text', show: (row) => names[kind].of(row[column.field]) };
}
