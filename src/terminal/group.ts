import type { Page, Row } from '../api/page.ts';
import { isNumber, valueKey } from '../json/number.ts';
import { stringifyJson } from '../json/stringify.ts';
import { cellText, titleOf } from './cell.ts';
import type { Desk, Grouping } from './desk.ts';
import { reach } from './fields.ts';
import type { Column, ListView } from './list-view.ts';
import { amountOf, type Decimal, decimalOf, plus, ZERO } from './quantity.ts';
import { sortRows } from './sort.ts';

/** `--group-by`: the rows of a list counted by the values of fields, and other fields summed. */

interface Group {
  readonly values: readonly unknown[];
  count: number;
  readonly sums: Decimal[];
}

/** Memory grows with the groups, not with the rows. */
interface Tally {
  readonly groups: Map<string, Group>;
  rows: number;
  /** Of each summed field: rows that have something there which is no number. */
  readonly wrong: number[];
  last: Page | undefined;
}

const isNothing = (value: unknown): boolean => value === null || value === undefined;

/** Numbers go by their value, however they are written. */
const keyOf = (values: readonly unknown[]): string =>
  stringifyJson(values.map((value) => (isNumber(value) ? ['number', valueKey(value)] : ['', value])));

const add = ({ groups, wrong }: Tally, row: Row, { by, sums }: Grouping): void => {
  const values = by.map((field) => reach(row, field) ?? null);
  const key = keyOf(values);
  const group = groups.get(key) ?? { values, count: 0, sums: sums.map(() => ZERO) };
  groups.set(key, group);
  group.count += 1;
  for (const [i, field] of sums.entries()) {
    const value = reach(row, field);
    const amount = decimalOf(value);
    if (amount !== undefined) group.sums[i] = plus(group.sums[i] ?? ZERO, amount);
    else if (!isNothing(value)) wrong[i] = (wrong[i] ?? 0) + 1;
  }
};

/** The name of a sum in the groups. */
const sumField = (field: string): string => `sum_${field}`;

const rowOf = ({ values, count, sums }: Group, grouping: Grouping): Row => ({
  ...Object.fromEntries(grouping.by.map((field, i) => [field, values[i]])),
  count,
  ...Object.fromEntries(grouping.sums.map((field, i) => [sumField(field), amountOf(sums[i] ?? ZERO)])),
});

const columnOf = (view: ListView, name: string): Column =>
  view.columns.find(({ field }) => field === name) ?? { field: name };

/** As the list shows the field, with the names of ids. */
const groupColumn = (view: ListView, field: string): Column => {
  const { title, kind, least, load, show, derived } = columnOf(view, field);
  const shown = (row: Row): unknown => (derived === true ? undefined : show?.(row)) ?? reach(row, field);
  return {
    field,
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    ...(least === undefined ? {} : { least }),
    ...(load === undefined ? {} : { load }),
    show: (row) => (isNothing(reach(row, field)) ? '(none)' : shown(row)),
  };
};

const sumColumn = (view: ListView, field: string): Column => {
  const column = columnOf(view, field);
  return { field: sumField(field), title: titleOf(column), kind: column.kind ?? 'number' };
};

/** The longest bar is the greatest group, by the first sum or else by the count. */
const barColumn = ({ sums: [sum] }: Grouping, rows: () => readonly Row[]): Column => {
  const amount = (row: Row): number => Number(row[sum === undefined ? 'count' : sumField(sum)]);
  let most: number | undefined;
  return {
    field: 'bar',
    title: '',
    kind: 'bar',
    least: 6,
    drop: 1,
    show: (row) => {
      most ??= rows().reduce((max, one) => Math.max(max, amount(one)), 0);
      return most === 0 ? 0 : Math.max(0, amount(row)) / most;
    },
  };
};

export interface GroupedList {
  /** One page: the groups, the greatest count first. */
  readonly pages: AsyncGenerator<Page>;
  readonly view: ListView;
  /** What is said after the groups: over how many rows they are, and what could not be summed. */
  tell(desk: Desk): void;
}

const totalsOf = (desk: Desk, view: ListView, { groups }: Tally, { sums }: Grouping): string =>
  sums
    .map((field, i) => {
      const total = [...groups.values()].reduce((sum, group) => plus(sum, group.sums[i] ?? ZERO), ZERO);
      const { title, kind = 'number' } = sumColumn(view, field);
      return `; ${title} ${cellText(amountOf(total), kind, desk.context(view).style, 'plain')}`;
    })
    .join('');

const rowsRead = ({ rows, last }: Tally): string => {
  if (last?.shortened !== true) return `${rows}`;
  return last.total === undefined ? `the first ${rows}` : `${rows} of ${last.total}`;
};

/** The groups of a list, made as its pages come. */
export const groupList = (pages: AsyncIterable<Page>, view: ListView, grouping: Grouping): GroupedList => {
  const { by, sums } = grouping;
  const tally: Tally = { groups: new Map(), rows: 0, wrong: [], last: undefined };
  let rows: readonly Row[] = [];
  async function* read(): AsyncGenerator<Page> {
    for await (const page of pages) {
      tally.rows += page.rows.length;
      tally.last = { ...page, rows: [], total: page.total ?? tally.last?.total };
      for (const row of page.rows) add(tally, row, grouping);
    }
    const found = [...tally.groups.values()].map((group) => rowOf(group, grouping));
    const order = by.map((field) => ({ field, descending: false }));
    rows = sortRows(found, [{ field: 'count', descending: true }, ...order]);
    yield { rows, total: rows.length };
  }
  const columns = [
    ...by.map((field) => groupColumn(view, field)),
    { field: 'count', kind: 'number' } as const,
    ...sums.map((field) => sumColumn(view, field)),
    barColumn(grouping, () => rows),
  ];
  return {
    pages: read(),
    view: { noun: view.noun, columns, id: by[0] ?? 'count' },
    tell: (desk) => {
      for (const [i, field] of sums.entries()) {
        const wrong = tally.wrong[i] ?? 0;
        if (wrong > 0)
          desk.warn(`${field} is not a number in ${wrong} of ${tally.rows} rows; they are not in its sum`);
      }
      const count = tally.groups.size === 1 ? '1 group' : `${tally.groups.size} groups`;
      const sum = totalsOf(desk, view, tally, grouping);
      if (tally.rows > 0) desk.note(`${view.noun}: ${rowsRead(tally)} in ${count}${sum}`);
    },
  };
};
