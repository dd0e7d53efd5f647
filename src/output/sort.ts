import type { ListPage, Row } from '../api/page.ts';
import { stringifyJson } from '../json.ts';
import { getField, isNothing, toDay } from './cell.ts';

export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** A sorted copy; rows that are equal keep their order, and those without a value come last in either direction. */
export function sortRows(rows: readonly Row[], keys: readonly SortKey[]): Row[] {
  return [...rows].sort((a, b) => {
    for (const { field, descending } of keys) {
      const [left, right] = [getField(a, field), getField(b, field)];
      const isLast = Number(isNothing(left)) - Number(isNothing(right));
      const order = isNothing(left) || isNothing(right) ? 0 : compare(left, right);
      if (isLast !== 0 || order !== 0) return isLast || (descending ? -order : order);
    }
    return 0;
  });
}

/** Numbers by size and before text; text without regard to case first, and the same on every machine. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
  const [left, right] = [asText(a), asText(b)];
  return compareCodeUnits(left.toLowerCase(), right.toLowerCase()) || compareCodeUnits(left, right);
}

/** Days in words are sorted by the calendar. */
function asText(value: unknown): string {
  if (typeof value === 'object') return stringifyJson(value);
  const text = String(value);
  return /, \d{4}$/.test(text) ? (toDay(text) ?? text) : text;
}

function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export async function joinPages(pages: AsyncIterable<ListPage>): Promise<ListPage> {
  const joined: Row[] = [];
  let last: ListPage | undefined;
  for await (const page of pages) {
    for (const row of page.rows) joined.push(row);
    last = { ...last, ...page, total: page.total ?? last?.total };
  }
  return { total: undefined, ...last, rows: joined };
}

/** Holds all pages back, and gives one, sorted. */
export async function* toOnePage(
  pages: AsyncIterable<ListPage>,
  keys: readonly SortKey[] = [],
): AsyncGenerator<ListPage> {
  const page = await joinPages(pages);
  yield { ...page, rows: keys.length === 0 ? page.rows : sortRows(page.rows, keys) };
}
