import { formatShortfallWarning, type ListPage, type Row } from '../api/page.ts';
import { UsageError } from '../errors.ts';
import { isDecimal, stringifyJson, toNumber, toText } from '../json.ts';
import { collectFields, formatCell, formatTitle, getField, isNothing } from './cell.ts';
import { sortRows } from './columns.ts';
import type { Column, ListView } from './list-view.ts';
import type { Grouping, Streams } from './streams.ts';

/** `--group-by`: the rows of a list counted by the values of fields, and other fields summed. */

interface Group {
  readonly values: readonly unknown[];
  count: number;
  readonly sums: readonly Sum[];
}

interface Sum {
  readonly field: string;
  amount: number | undefined;
  /** The most decimals that a value has: 0.1 and 0.2 are 0.3. */
  scale: number;
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
  const findColumn = (name: string): Column =>
    view.columns.find(({ field }) => field === name) ?? { field: name };
  const keys = by.map(findColumn);
  const open = (values: readonly unknown[]): Group => ({
    ...{ values, count: 0 },
    sums: sums.map((field) => ({ field, amount: undefined, scale: 0, missing: 0 })),
  });
  const [groups, total] = [new Map<string, Group>(), open([])];
  const unseen = new Set([...by, ...sums]);
  let last: ListPage | undefined;
  let first: Row | undefined;
  for await (const page of pages) {
    last = { ...page, rows: [], total: page.total ?? last?.total };
    first ??= page.rows[0];
    for (const row of page.rows) {
      for (const field of unseen) if (getField(row, field) !== undefined) unseen.delete(field);
      const values = keys.map(({ field }) => getField(row, field) ?? null);
      const key = stringifyJson(values.map((value, i) => toKey(value, keys[i]?.kind)));
      const group = groups.get(key) ?? open(values);
      groups.set(key, group);
      for (const one of [group, total]) addRow(one, row);
    }
  }
  if (first !== undefined) for (const field of unseen) throw createProblem(field, by, first);
  const unnamed = [...groups.values()].map(({ values, count, sums: own }): Row => {
    const warnings = own.flatMap((sum) => formatMissing(sum, count) ?? []);
    return {
      ...Object.fromEntries(by.map((field, i) => [field, values[i]])),
      count,
      ...Object.fromEntries(own.map((sum) => [`sum_${sum.field}`, toAmount(sum)])),
      ...(warnings.length > 0 && { warnings }),
    };
  });
  const order = [{ field: 'count', descending: true }, ...by.map((field) => ({ field, descending: false }))];
  const sorted = sortRows(unnamed, order);
  // The ids among the keys that have a name: `user_id` is called `member` in the list.
  const named = keys.flatMap(({ field, title, load, show }) => {
    const isId = /(^|_)id$/.test(field) && load !== undefined && show !== undefined;
    return isId && title !== undefined && !by.includes(title) ? [{ field, title, load, show }] : [];
  });
  for (const { load } of named) await load(sorted);
  const rows = sorted.map((row) => {
    const names = named.map(({ field, title, show }) => [title, isNothing(row[field]) ? null : show(row)]);
    return { ...Object.fromEntries(names), ...row };
  });
  const sumColumns = sums.map(findColumn).map((column) => {
    const { field, kind = 'number' } = column;
    return { field: `sum_${field}`, title: formatTitle(column), kind };
  });
  const cells = [...named.map(({ title }) => title), ...by, 'count', ...sumColumns.map(({ field }) => field)];
  const columns = [...keys.map(toKeyColumn), { field: 'count', kind: 'number' } as const, ...sumColumns];
  return {
    rows,
    view: { noun: view.noun, columns, id: by[0] ?? 'count', cells },
    report: (streams) => {
      const { count } = total;
      for (const sum of total.sums) {
        const without = formatMissing(sum, count);
        if (without !== undefined) streams.warn(`${without}: they are left out of its sum`);
      }
      if (last?.came !== undefined) streams.warn(formatShortfallWarning(view.noun, last));
      if (count === 0) return;
      const words = total.sums.map((sum, i) => {
        const { title, kind = 'number' } = sumColumns[i] ?? {};
        return `; ${title} ${formatCell(toAmount(sum) ?? 0, kind, streams.style, 'plain')}`;
      });
      const first = last?.shortened === true ? 'the first ' : '';
      const groupCount = groups.size === 1 ? '1 group' : `${groups.size} groups`;
      streams.note(`${view.noun}: ${first}${count} in ${groupCount}${words.join('')}`);
    },
  };
}

function createProblem(field: string, by: readonly string[], row: Row): UsageError {
  const flag = by.includes(field) ? '--group-by' : '--sum';
  const hint = `Known fields: ${collectFields([row]).join(', ')}.`;
  return new UsageError(`${flag}: no record has "${field}"`, { code: 'unknown_field', hint });
}

/** One text for all that mean the same: `40` and `"40.00"` hours, `17` and `"17"`, a status in any case. */
function toKey(value: unknown, kind: Column['kind'] = 'text'): string | null {
  if (isNothing(value)) return null;
  const text = typeof value === 'object' ? stringifyJson(value) : toText(value);
  if (kind === 'state') return text.toLowerCase();
  const number = ['number', 'hours', 'money'].includes(kind) ? toNumber(value) : Number.NaN;
  return Number.isNaN(number) ? text : String(number);
}

function addRow(group: Group, row: Row): void {
  group.count += 1;
  for (const sum of group.sums) {
    const value = getField(row, sum.field);
    if (typeof value === 'string' ? !isDecimal(value) : typeof value !== 'number') sum.missing += 1;
    else {
      const [, decimals = '', exponent = '0'] = /(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value)) ?? [];
      sum.amount = (sum.amount ?? 0) + Number(value);
      sum.scale = Math.max(sum.scale, decimals.length - Number(exponent));
    }
  }
}

function toAmount({ amount, scale }: Sum): number | null {
  return amount === undefined ? null : Number(amount.toFixed(Math.min(scale, 100)));
}

function formatMissing({ field, missing }: Sum, rows: number): string | undefined {
  if (missing === 0) return undefined;
  return `${missing} of ${rows} rows ${missing === 1 ? 'has' : 'have'} no number in ${field}`;
}

function toKeyColumn({ drop, sparse, onRequest, short, wrap, derived, show, ...column }: Column): Column {
  const { field } = column;
  const shown = (row: Row): unknown => (derived === true ? undefined : show?.(row)) ?? getField(row, field);
  return { ...column, show: (row) => (isNothing(getField(row, field)) ? '(none)' : shown(row)) };
}
