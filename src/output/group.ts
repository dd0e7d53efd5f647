import { formatShortfallWarning, type ListPage, type Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { isDecimal, stringifyJson, toNumber, toText } from '../json.ts';
import { collectFields, formatCell, formatTitle, getField, isNothing } from './cell.ts';
import type { Column, ListView } from './list-view.ts';
import { sortRows } from './sort.ts';
import type { Grouping, Streams } from './streams.ts';

/** `--group-by`: the rows of a list counted by the values of fields, and other fields summed. */

interface Group {
  readonly values: readonly unknown[];
  count: number;
  readonly sums: readonly Sum[];
}

interface Sum {
  /** Undefined until a row has a value. */
  amount: number | undefined;
  /** The most decimals that a value has: 0.1 and 0.2 are 0.3. */
  scale: number;
  /** Rows that have no number there. */
  missing: number;
}

/**
 * Reads all rows. Memory grows with the groups, not with the rows.
 * @returns the greatest groups first, and what says over how many rows they are and what could not be summed
 * @throws UsageError for a field that no row has: a sum of nothing would look like zero
 */
export async function groupList(
  pages: AsyncIterable<ListPage>,
  view: ListView,
  { by, sums }: Grouping,
): Promise<{ rows: readonly Row[]; view: ListView; report(streams: Streams): void }> {
  const keys = by.map((field) => findColumn(view, field));
  const summed = sums.map((field) => findColumn(view, field));
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
      addRow(groups, row, keys, sums);
    }
  }
  const [missing] = unseen;
  if (first !== undefined && missing !== undefined) {
    const flag = by.includes(missing) ? '--group-by' : '--sum';
    const hint = `Known fields: ${collectFields([first]).join(', ')}.`;
    throw new UsageError(`${flag}: no record has "${missing}"`, { code: 'unknown_field', hint });
  }
  const all = [...groups.values()];
  const unnamed = all.map((group) => toRow(group, by, sums));
  const order = [{ field: 'count', descending: true }, ...by.map((field) => ({ field, descending: false }))];
  const sorted = sortRows(unnamed, order);
  // The ids among the keys that have a name: `user_id` is called `member` in the list.
  const named = keys.flatMap(({ field, title, load, show }) => {
    const isId = /(^|_)id$/.test(field) && load !== undefined && show !== undefined;
    return isId && title !== undefined && !by.includes(title) ? [{ field, title, load, show }] : [];
  });
  for (const { load } of named) await load(sorted);
  const rows = sorted.map((row) => ({
    ...Object.fromEntries(
      named.map(({ field, title, show }) => [title, isNothing(row[field]) ? null : show(row)]),
    ),
    ...row,
  }));
  const sumColumns = summed.map((column): Column => {
    const { field, kind = 'number' } = column;
    return { field: `sum_${field}`, title: formatTitle(column), kind };
  });
  const columns: readonly Column[] = [
    ...keys.map(toKeyColumn),
    { field: 'count', kind: 'number' },
    ...sumColumns,
    toBar(sums[0] === undefined ? 'count' : `sum_${sums[0]}`, rows),
  ];
  const cells = [...named.map(({ title }) => title), ...by, 'count', ...sums.map((field) => `sum_${field}`)];
  return {
    rows,
    view: { noun: view.noun, columns, id: by[0] ?? 'count', cells },
    report: (streams) => {
      const totals = sums.map((_, i) => addUp(all.flatMap((group) => group.sums[i] ?? [])));
      for (const [i, field] of sums.entries()) {
        const without = formatMissing(field, totals[i], count);
        if (without !== undefined) streams.warn(`${without}: they are left out of its sum`);
      }
      if (last?.came !== undefined) streams.warn(formatShortfallWarning(view.noun, last));
      if (count === 0) return;
      const words = sumColumns.map(({ title, kind = 'number' }, i) => {
        return `; ${title} ${formatCell(toAmount(totals[i]) ?? 0, kind, streams.style, 'plain')}`;
      });
      let counted = `${count}`;
      if (last?.shortened === true)
        counted = last.total === undefined ? `the first ${count}` : `${count} of ${last.total}`;
      const groupCount = all.length === 1 ? '1 group' : `${all.length} groups`;
      streams.note(`${view.noun}: ${counted} in ${groupCount}${words.join('')}`);
    },
  };
}

function findColumn(view: ListView, name: string): Column {
  return view.columns.find(({ field }) => field === name) ?? { field: name };
}

function addRow(
  groups: Map<string, Group>,
  row: Row,
  keys: readonly Column[],
  sums: readonly string[],
): void {
  const values = keys.map(({ field }) => getField(row, field) ?? null);
  // One text for all that mean the same: `40` and `"40.00"` hours, `17` and `"17"`, a status in any case.
  const texts = values.map((value, i) => {
    const kind = keys[i]?.kind ?? '';
    if (isNothing(value)) return null;
    const text = typeof value === 'object' ? stringifyJson(value) : toText(value);
    if (kind === 'state') return text.toLowerCase();
    const number = ['number', 'hours', 'money'].includes(kind) ? toNumber(value) : Number.NaN;
    return Number.isNaN(number) ? text : String(number);
  });
  const key = stringifyJson(texts);
  const empty = { amount: undefined, scale: 0, missing: 0 };
  const group = groups.get(key) ?? { values, count: 0, sums: sums.map(() => ({ ...empty })) };
  groups.set(key, group);
  group.count += 1;
  for (const [i, sum] of group.sums.entries()) {
    const value = getField(row, sums[i] ?? '');
    if (typeof value === 'string' ? !isDecimal(value) : typeof value !== 'number') sum.missing += 1;
    else {
      const [, decimals = '', exponent = '0'] = /(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value)) ?? [];
      sum.amount = (sum.amount ?? 0) + Number(value);
      sum.scale = Math.max(sum.scale, decimals.length - Number(exponent));
    }
  }
}

function toRow({ values, count, sums }: Group, by: readonly string[], summed: readonly string[]): Row {
  const warnings = summed.flatMap((field, i) => formatMissing(field, sums[i], count) ?? []);
  return {
    ...Object.fromEntries(by.map((field, i) => [field, values[i]])),
    count,
    ...Object.fromEntries(summed.map((field, i) => [`sum_${field}`, toAmount(sums[i])])),
    ...(warnings.length > 0 && { warnings }),
  };
}

function toBar(measure: string, rows: readonly Row[]): Column {
  const highest = rows.reduce((most, row) => Math.max(most, Number(row[measure])), 0);
  const show = (row: Row): number => (highest === 0 ? 0 : Math.max(0, Number(row[measure])) / highest);
  return { field: 'bar', title: '', kind: 'bar', least: 6, drop: 1, show };
}

function addUp(sums: readonly Sum[]): Sum {
  return {
    amount: sums.reduce((total, { amount = 0 }) => total + amount, 0),
    scale: sums.reduce((most, { scale }) => Math.max(most, scale), 0),
    missing: sums.reduce((total, { missing }) => total + missing, 0),
  };
}

function toAmount(sum: Sum | undefined): number | null {
  if (sum?.amount === undefined) return null;
  // No more decimals can be asked for.
  return Number(sum.amount.toFixed(Math.min(sum.scale, 100)));
}

function formatMissing(field: string, sum: Sum | undefined, rows: number): string | undefined {
  const { missing = 0 } = sum ?? {};
  if (missing === 0) return undefined;
  return `${missing} of ${rows} rows ${missing === 1 ? 'has' : 'have'} no number in ${field}`;
}

/** As the list shows the field, with the names of ids. */
function toKeyColumn({ drop, sparse, onRequest, short, wrap, derived, show, ...column }: Column): Column {
  const { field } = column;
  const shown = (row: Row): unknown => (derived === true ? undefined : show?.(row)) ?? getField(row, field);
  return { ...column, show: (row) => (isNothing(getField(row, field)) ? '(none)' : shown(row)) };
}
