import { formatShortfallWarning, type ListPage, type Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { isDecimal, isNumber, stringifyJson, toNumber, toText } from '../json.ts';
import { collectFields, formatCell, formatTitle, getField, isNothing } from './cell.ts';
import type { Column, ListView } from './list-view.ts';
import { sortRows } from './sort.ts';
import type { Grouping, Streams } from './streams.ts';

/** `--group-by`: the rows of a list counted by the values of fields, and other fields summed. */

interface GroupedList {
  /** The groups, the greatest count first. */
  readonly rows: readonly Row[];
  readonly view: ListView;
  /** What is said after the groups: over how many rows they are, and what could not be summed. */
  report(streams: Streams): void;
}

/** `units / 10 ** scale`. What is decimal stays so, as far as whole numbers go: 0.1 and 0.2 are 0.3. */
interface Sum {
  readonly units: number;
  readonly scale: number;
}

interface Group {
  readonly values: readonly unknown[];
  count: number;
  /** Of each summed field; undefined until a row has a value. */
  readonly sums: (Sum | undefined)[];
  /** Of each summed field: rows that have no number there. */
  readonly missing: number[];
}

/**
 * Reads all rows. Memory grows with the groups, not with the rows.
 * @throws UsageError for a field that no row has: a sum of nothing would look like zero
 */
export async function groupList(
  pages: AsyncIterable<ListPage>,
  view: ListView,
  grouping: Grouping,
): Promise<GroupedList> {
  const { by, sums } = grouping;
  const kinds = by.map((field) => findColumn(view, field).kind);
  const groups = new Map<string, Group>();
  const unseen = new Set([...by, ...sums]);
  let count = 0;
  let last: ListPage | undefined;
  let first: Row | undefined;
  for await (const page of pages) {
    count += page.rows.length;
    last = { ...page, rows: [], total: page.total ?? last?.total };
    first ??= page.rows[0];
    for (const row of page.rows) {
      for (const field of unseen) if (getField(row, field) !== undefined) unseen.delete(field);
      addRow(groups, row, grouping, kinds);
    }
  }
  const [missing] = unseen;
  if (first !== undefined && missing !== undefined) {
    const flag = by.includes(missing) ? '--group-by' : '--sum';
    const hint = `Known fields: ${collectFields([first]).join(', ')}.`;
    throw new UsageError(`${flag}: no record has "${missing}"`, { code: 'unknown_field', hint });
  }
  const order = [{ field: 'count', descending: true }, ...by.map((field) => ({ field, descending: false }))];
  const all = [...groups.values()];
  const sorted = sortRows(
    all.map((group) => toGroupRow(group, grouping)),
    order,
  );
  const named = findNamedIds(view, by);
  const rows = await withNames(sorted, named);
  const columns = [
    ...by.map((field) => groupColumn(view, field)),
    { field: 'count', kind: 'number' } as const,
    ...sums.map((field) => sumColumn(view, field)),
    barColumn(sums[0] === undefined ? 'count' : sumField(sums[0]), rows),
  ];
  const cells = [...named.map(({ title }) => title), ...by, 'count', ...sums.map(sumField)];
  return {
    rows,
    view: { noun: view.noun, columns, id: by[0] ?? 'count', cells },
    report: (streams) => {
      for (const [i, field] of sums.entries()) {
        const without = all.reduce((sum, group) => sum + (group.missing[i] ?? 0), 0);
        if (without > 0)
          streams.warn(`${formatMissing(field, without, count)}: they are left out of its sum`);
      }
      if (last?.came !== undefined) streams.warn(formatShortfallWarning(view.noun, last));
      const totals = sums.map((field, i) => {
        const { title, kind = 'number' } = sumColumn(view, field);
        const total = all.reduce((sum: Sum | undefined, group) => addSums(sum, group.sums[i]), undefined);
        return `; ${title} ${formatCell(toAmount(total) ?? 0, kind, streams.style, 'plain')}`;
      });
      const groupCount = all.length === 1 ? '1 group' : `${all.length} groups`;
      if (count > 0)
        streams.note(`${view.noun}: ${formatRowCount(count, last)} in ${groupCount}${totals.join('')}`);
    },
  };
}

function addRow(
  groups: Map<string, Group>,
  row: Row,
  { by, sums }: Grouping,
  kinds: readonly Column['kind'][],
): void {
  const values = by.map((field) => getField(row, field) ?? null);
  const key = stringifyJson(values.map((value, i) => toKey(value, kinds[i])));
  const group = groups.get(key) ?? { values, count: 0, sums: [], missing: sums.map(() => 0) };
  groups.set(key, group);
  group.count += 1;
  for (const [i, field] of sums.entries()) {
    const amount = readAmount(getField(row, field));
    group.sums[i] = addSums(group.sums[i], amount);
    if (amount === undefined) group.missing[i] = (group.missing[i] ?? 0) + 1;
  }
}

/** One text for all that mean the same: `40` and `"40.00"` hours, `17` and `"17"`, a status in any case. */
function toKey(value: unknown, kind: Column['kind']): string | null {
  if (isNothing(value)) return null;
  const text = typeof value === 'object' ? stringifyJson(value) : toText(value);
  if (kind === 'state') return text.toLowerCase();
  const number = kind === 'number' || kind === 'hours' || kind === 'money' ? toNumber(value) : Number.NaN;
  return Number.isNaN(number) ? text : String(number);
}

/** A number, or a text that is a decimal; anything else is `undefined`. */
function readAmount(value: unknown): Sum | undefined {
  if (typeof value === 'string' ? !isDecimal(value) : !isNumber(value)) return undefined;
  const [, whole = '', decimals = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value)) ?? [];
  const [units, scale] = [Number(whole + decimals), decimals.length - Number(exponent)];
  return scale >= 0 ? { units, scale } : { units: units * 10 ** -scale, scale: 0 };
}

function addSums(a: Sum | undefined, b: Sum | undefined): Sum | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const scale = Math.max(a.scale, b.scale);
  return { units: a.units * 10 ** (scale - a.scale) + b.units * 10 ** (scale - b.scale), scale };
}

function toAmount(sum: Sum | undefined): number | null {
  return sum === undefined ? null : sum.units / 10 ** sum.scale;
}

function sumField(field: string): string {
  return `sum_${field}`;
}

function formatMissing(field: string, missing: number, rows: number): string {
  return `${missing} of ${rows} rows ${missing === 1 ? 'has' : 'have'} no number in ${field}`;
}

function formatRowCount(count: number, last: ListPage | undefined): string {
  if (last?.shortened !== true) return `${count}`;
  return last.total === undefined ? `the first ${count}` : `${count} of ${last.total}`;
}

function toGroupRow({ values, count, sums, missing }: Group, grouping: Grouping): Row {
  const warnings = grouping.sums.flatMap((field, i) =>
    (missing[i] ?? 0) === 0 ? [] : [formatMissing(field, missing[i] ?? 0, count)],
  );
  return {
    ...Object.fromEntries(grouping.by.map((field, i) => [field, values[i]])),
    count,
    ...Object.fromEntries(grouping.sums.map((field, i) => [sumField(field), toAmount(sums[i])])),
    ...(warnings.length > 0 && { warnings }),
  };
}

type NamedId = Required<Pick<Column, 'field' | 'title' | 'load' | 'show'>>;

/** The ids among the keys that have a name: `user_id` is called `member` in the list. */
function findNamedIds(view: ListView, by: readonly string[]): readonly NamedId[] {
  return by.flatMap((field) => {
    const { title, load, show } = findColumn(view, field);
    const isId = /(^|_)id$/.test(field) && load !== undefined && show !== undefined;
    return isId && title !== undefined && !by.includes(title) ? [{ field, title, load, show }] : [];
  });
}

async function withNames(groups: readonly Row[], named: readonly NamedId[]): Promise<readonly Row[]> {
  for (const { load } of named) await load(groups);
  return groups.map((group) => ({
    ...Object.fromEntries(
      named.map(({ field, title, show }) => [title, isNothing(group[field]) ? null : show(group)]),
    ),
    ...group,
  }));
}

function findColumn(view: ListView, name: string): Column {
  return view.columns.find(({ field }) => field === name) ?? { field: name };
}

/** As the list shows the field, with the names of ids. */
function groupColumn(view: ListView, field: string): Column {
  const { title, kind, least, load, show, derived } = findColumn(view, field);
  const shown = (row: Row): unknown => (derived === true ? undefined : show?.(row)) ?? getField(row, field);
  return {
    field,
    ...(title !== undefined && { title }),
    ...(kind !== undefined && { kind }),
    ...(least !== undefined && { least }),
    ...(load !== undefined && { load }),
    show: (row) => (isNothing(getField(row, field)) ? '(none)' : shown(row)),
  };
}

function sumColumn(view: ListView, field: string): Column {
  const column = findColumn(view, field);
  return { field: sumField(field), title: formatTitle(column), kind: column.kind ?? 'number' };
}

/** The longest bar is the greatest group. */
function barColumn(field: string, rows: readonly Row[]): Column {
  const highest = rows.reduce((most, row) => Math.max(most, Number(row[field])), 0);
  const show = (row: Row): number => (highest === 0 ? 0 : Math.max(0, Number(row[field])) / highest);
  return { field: 'bar', title: '', kind: 'bar', least: 6, drop: 1, show };
}
