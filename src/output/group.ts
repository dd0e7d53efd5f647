import { formatShortfallWarning, type ListPage, type Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { stringifyJson, toNumber, toText } from '../json.ts';
import { collectFields, formatCell, formatTitle, getField } from './cell.ts';
import type { Column, ListView } from './list-view.ts';
import { addDecimals, type Decimal, parseDecimal, toAmount, ZERO } from './scalars.ts';
import { sortRows } from './sort.ts';
import type { Grouping, Streams } from './streams.ts';

/** `--group-by`: the rows of a list counted by the values of fields, and other fields summed. */

interface Group {
  readonly values: readonly unknown[];
  count: number;
  /** Of each summed field; undefined until a row has a value. */
  readonly sums: (Decimal | undefined)[];
  /** Of each summed field: rows that have no number there. */
  readonly missing: number[];
}

/** Memory grows with the groups, not with the rows. */
interface GroupCounts {
  readonly groups: Map<string, Group>;
  rows: number;
  readonly seen: Set<string>;
  last: ListPage | undefined;
}

const isNothing = (value: unknown): boolean => value === null || value === undefined;

/** One text for all that mean the same: `40` and `"40.00"` hours, `17` and `"17"`, a status in any case. */
const toKey = (value: unknown, kind: Column['kind']): string | null => {
  if (isNothing(value)) return null;
  const text = typeof value === 'object' ? stringifyJson(value) : toText(value);
  if (kind === 'state') return text.toLowerCase();
  const number = kind === 'number' || kind === 'hours' || kind === 'money' ? toNumber(value) : Number.NaN;
  return Number.isNaN(number) ? text : String(number);
};

const addRow = (
  { groups, seen }: GroupCounts,
  row: Row,
  { by, sums }: Grouping,
  columns: readonly Column[],
): void => {
  for (const field of [...by, ...sums]) if (getField(row, field) !== undefined) seen.add(field);
  const values = by.map((field) => getField(row, field) ?? null);
  const key = stringifyJson(values.map((value, i) => toKey(value, columns[i]?.kind)));
  const group = groups.get(key) ?? { values, count: 0, sums: [], missing: sums.map(() => 0) };
  groups.set(key, group);
  group.count += 1;
  for (const [i, field] of sums.entries()) {
    const amount = parseDecimal(getField(row, field));
    if (amount !== undefined) group.sums[i] = addDecimals(group.sums[i] ?? ZERO, amount);
    else group.missing[i] = (group.missing[i] ?? 0) + 1;
  }
};

/** A sum of nothing would look like zero. @throws UsageError for a field that no row has */
const requireFields = ({ seen, rows }: GroupCounts, { by, sums }: Grouping, page: readonly Row[]): void => {
  const flags = [...by.map((field) => ['--group-by', field]), ...sums.map((field) => ['--sum', field])];
  const [flag, field] = flags.find(([, name = '']) => rows > 0 && !seen.has(name)) ?? [];
  if (field === undefined) return;
  throw new UsageError(`${flag}: no record has "${field}"`, {
    code: 'unknown_field',
    hint: `Known fields: ${collectFields(page).join(', ')}.`,
  });
};

const sumField = (field: string): string => `sum_${field}`;

const formatMissing = (field: string, missing: number, rows: number): string =>
  `${missing} of ${rows} rows ${missing === 1 ? 'has' : 'have'} no number in ${field}`;

const toGroupRow = ({ values, count, sums, missing }: Group, grouping: Grouping): Row => {
  const warnings = grouping.sums.flatMap((field, i) =>
    (missing[i] ?? 0) === 0 ? [] : [formatMissing(field, missing[i] ?? 0, count)],
  );
  return {
    ...Object.fromEntries(grouping.by.map((field, i) => [field, values[i]])),
    count,
    ...Object.fromEntries(grouping.sums.map((field, i) => [sumField(field), toSum(sums[i])])),
    ...(warnings.length > 0 && { warnings }),
  };
};

const toSum = (sum: Decimal | undefined): number | null => (sum === undefined ? null : toAmount(sum));

type NamedId = Required<Pick<Column, 'field' | 'title' | 'load' | 'show'>>;

/** The ids among the keys that have a name: `user_id` is called `member` in the list. */
const findNamedIds = (view: ListView, { by }: Grouping): readonly NamedId[] =>
  by.flatMap((field) => {
    const { title, load, show } = findColumn(view, field);
    const isId = /(^|_)id$/.test(field) && load !== undefined && show !== undefined;
    return isId && title !== undefined && !by.includes(title) ? [{ field, title, load, show }] : [];
  });

const withNames = async (groups: readonly Row[], named: readonly NamedId[]): Promise<readonly Row[]> => {
  for (const { load } of named) await load(groups);
  return groups.map((group) => ({
    ...Object.fromEntries(
      named.map(({ field, title, show }) => [title, isNothing(group[field]) ? null : show(group)]),
    ),
    ...group,
  }));
};

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
  report(context: Streams): void;
}

const formatTotals = (
  streams: Streams,
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
      return `; ${title} ${formatCell(toAmount(total), kind, streams.style, 'plain')}`;
    })
    .join('');

const formatRowCount = ({ rows, last }: GroupCounts): string => {
  if (last?.shortened !== true) return `${rows}`;
  return last.total === undefined ? `the first ${rows}` : `${rows} of ${last.total}`;
};

const warnNotSummed = (streams: Streams, { groups, rows }: GroupCounts, sums: readonly string[]): void => {
  for (const [i, field] of sums.entries()) {
    const count = [...groups.values()].reduce((all, { missing }) => all + (missing[i] ?? 0), 0);
    if (count > 0) streams.warn(`${formatMissing(field, count, rows)}: they are left out of its sum`);
  }
};

export const groupList = (
  pages: AsyncIterable<ListPage>,
  view: ListView,
  grouping: Grouping,
): GroupedList => {
  const { by, sums } = grouping;
  const summary: GroupCounts = { groups: new Map(), rows: 0, seen: new Set(), last: undefined };
  let rows: readonly Row[] = [];
  let some: readonly Row[] = [];
  const named = findNamedIds(view, grouping);
  const keys = by.map((field) => findColumn(view, field));
  async function* read(): AsyncGenerator<ListPage> {
    for await (const page of pages) {
      summary.rows += page.rows.length;
      summary.last = { ...page, rows: [], total: page.total ?? summary.last?.total };
      for (const row of page.rows) addRow(summary, row, grouping, keys);
      if (some.length === 0) some = page.rows.slice(0, 1);
    }
    requireFields(summary, grouping, some);
    const groups = [...summary.groups.values()].map((group) => toGroupRow(group, grouping));
    const order = by.map((field) => ({ field, descending: false }));
    const sorted = sortRows(groups, [{ field: 'count', descending: true }, ...order]);
    rows = await withNames(sorted, named);
    yield { rows, total: rows.length };
  }
  const columns = [
    ...by.map((field) => groupColumn(view, field)),
    { field: 'count', kind: 'number' } as const,
    ...sums.map((field) => sumColumn(view, field)),
    barColumn(grouping, () => rows),
  ];
  const cells = [...named.map(({ title }) => title), ...by, 'count', ...sums.map(sumField)];
  return {
    pages: read(),
    view: { noun: view.noun, columns, id: by[0] ?? 'count', cells },
    report: (streams) => {
      warnNotSummed(streams, summary, sums);
      if (summary.last?.came !== undefined) streams.warn(formatShortfallWarning(view.noun, summary.last));
      const count = summary.groups.size === 1 ? '1 group' : `${summary.groups.size} groups`;
      const sum = formatTotals(streams, view, summary, grouping);
      if (summary.rows > 0) streams.note(`${view.noun}: ${formatRowCount(summary)} in ${count}${sum}`);
    },
  };
};
