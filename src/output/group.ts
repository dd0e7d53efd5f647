import { formatShortfallWarning, type ListPage, type Row } from '../api/page.ts';
import { stringifyJson } from '../json/stringify.ts';
import { formatCell, formatTitle, getField } from './cell.ts';
import type { Column, ListView } from './list-view.ts';
import type { Grouping, OutputContext } from './output-context.ts';
import { addDecimals, type Decimal, parseDecimal, toAmount, ZERO } from './scalars.ts';
import { sortRows } from './sort.ts';

/** `--group-by`: the rows of a list counted by the values of fields, and other fields summed. */

interface Group {
  readonly values: readonly unknown[];
  count: number;
  readonly sums: Decimal[];
}

/** Memory grows with the groups, not with the rows. */
interface GroupCounts {
  readonly groups: Map<string, Group>;
  rows: number;
  /** Of each summed field: rows that have something there which is no number. */
  readonly notNumeric: number[];
  last: ListPage | undefined;
}

const isNothing = (value: unknown): boolean => value === null || value === undefined;

const addRow = ({ groups, notNumeric }: GroupCounts, row: Row, { by, sums }: Grouping): void => {
  const values = by.map((field) => getField(row, field) ?? null);
  const key = stringifyJson(values);
  const group = groups.get(key) ?? { values, count: 0, sums: sums.map(() => ZERO) };
  groups.set(key, group);
  group.count += 1;
  for (const [i, field] of sums.entries()) {
    const value = getField(row, field);
    const amount = parseDecimal(value);
    if (amount !== undefined) group.sums[i] = addDecimals(group.sums[i] ?? ZERO, amount);
    else if (!isNothing(value)) notNumeric[i] = (notNumeric[i] ?? 0) + 1;
  }
};

/** The name of a sum in the groups. */
const sumField = (field: string): string => `sum_${field}`;

const toGroupRow = ({ values, count, sums }: Group, grouping: Grouping): Row => ({
  ...Object.fromEntries(grouping.by.map((field, i) => [field, values[i]])),
  count,
  ...Object.fromEntries(grouping.sums.map((field, i) => [sumField(field), toAmount(sums[i] ?? ZERO)])),
});

const findColumn = (view: ListView, name: string): Column =>
  view.columns.find(({ field }) => field === name) ?? { field: name };

/** As the list shows the field, with the names of ids. */
const groupColumn = (view: ListView, field: string): Column => {
  const { title, kind, least, load, show, derived } = findColumn(view, field);
  const shown = (row: Row): unknown => (derived === true ? undefined : show?.(row)) ?? getField(row, field);
  return {
    field,
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    ...(least === undefined ? {} : { least }),
    ...(load === undefined ? {} : { load }),
    show: (row) => (isNothing(getField(row, field)) ? '(none)' : shown(row)),
  };
};

const sumColumn = (view: ListView, field: string): Column => {
  const column = findColumn(view, field);
  return { field: sumField(field), title: formatTitle(column), kind: column.kind ?? 'number' };
};

/** The longest bar is the greatest group, by the first sum or else by the count. */
const barColumn = ({ sums: [sum] }: Grouping, rows: () => readonly Row[]): Column => {
  const amount = (row: Row): number => Number(row[sum === undefined ? 'count' : sumField(sum)]);
  let highest: number | undefined;
  return {
    field: 'bar',
    title: '',
    kind: 'bar',
    least: 6,
    drop: 1,
    show: (row) => {
      highest ??= rows().reduce((max, one) => Math.max(max, amount(one)), 0);
      return highest === 0 ? 0 : Math.max(0, amount(row)) / highest;
    },
  };
};

export interface GroupedList {
  /** One page: the groups, the greatest count first. */
  readonly pages: AsyncGenerator<ListPage>;
  readonly view: ListView;
  /** What is said after the groups: over how many rows they are, and what could not be summed. */
  report(context: OutputContext): void;
}

const formatTotals = (
  service: OutputContext,
  view: ListView,
  { groups }: GroupCounts,
  { sums }: Grouping,
): string =>
  sums
    .map((field, i) => {
      const total = [...groups.values()].reduce(
        (sum, group) => addDecimals(sum, group.sums[i] ?? ZERO),
        ZERO,
      );
      const { title, kind = 'number' } = sumColumn(view, field);
      return `; ${title} ${formatCell(toAmount(total), kind, service.context(view).style, 'plain')}`;
    })
    .join('');

const formatRowCount = ({ rows, last }: GroupCounts): string => {
  if (last?.shortened !== true) return `${rows}`;
  return last.total === undefined ? `the first ${rows}` : `${rows} of ${last.total}`;
};

const warnNotSummed = (
  { warn }: OutputContext,
  { notNumeric, rows }: GroupCounts,
  sums: readonly string[],
): void => {
  for (const [i, field] of sums.entries()) {
    const count = notNumeric[i] ?? 0;
    if (count > 0) warn(`${field} is not a number in ${count} of ${rows} rows; they are left out of its sum`);
  }
};

/** The groups of a list, made as its pages come. */
export const groupList = (
  pages: AsyncIterable<ListPage>,
  view: ListView,
  grouping: Grouping,
): GroupedList => {
  const { by, sums } = grouping;
  const summary: GroupCounts = { groups: new Map(), rows: 0, notNumeric: [], last: undefined };
  let rows: readonly Row[] = [];
  async function* read(): AsyncGenerator<ListPage> {
    for await (const page of pages) {
      summary.rows += page.rows.length;
      summary.last = { ...page, rows: [], total: page.total ?? summary.last?.total };
      for (const row of page.rows) addRow(summary, row, grouping);
    }
    const groups = [...summary.groups.values()].map((group) => toGroupRow(group, grouping));
    const order = by.map((field) => ({ field, descending: false }));
    rows = sortRows(groups, [{ field: 'count', descending: true }, ...order]);
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
    report: (service) => {
      warnNotSummed(service, summary, sums);
      if (summary.last?.came !== undefined) service.warn(formatShortfallWarning(view.noun, summary.last));
      const count = summary.groups.size === 1 ? '1 group' : `${summary.groups.size} groups`;
      const sum = formatTotals(service, view, summary, grouping);
      if (summary.rows > 0) service.note(`${view.noun}: ${formatRowCount(summary)} in ${count}${sum}`);
    },
  };
};
