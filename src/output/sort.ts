import type { ListPage, Row } from '../api/page.ts';
import { isNumber, stringifyJson } from '../json.ts';
import { getField, isNothing, toDay } from './cell.ts';

export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** A sorted copy; rows that are equal keep their order. */
export function sortRows(rows: readonly Row[], keys: readonly SortKey[]): Row[] {
  return [...rows].sort((a, b) => {
    for (const key of keys) {
      const order = compareBy(key, a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function compareBy({ field, descending }: SortKey, a: Row, b: Row): number {
  const [left, right] = [getField(a, field), getField(b, field)];
  // Rows without a value come last in either direction.
  if (isNothing(left) || isNothing(right)) return Number(isNothing(left)) - Number(isNothing(right));
  return descending ? compare(right, left) : compare(left, right);
}

/** Numbers by size and before text; text without regard to case first, and the same on every machine. */
function compare(a: unknown, b: unknown): number {
  if (isNumber(a) && isNumber(b)) return a - b;
  if (isNumber(a)) return -1;
  if (isNumber(b)) return 1;
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
  const rows: Row[] = [];
  let total: number | undefined;
  let shortened = false;
  let came: number | undefined;
  for await (const page of pages) {
    for (const row of page.rows) rows.push(row);
    total = page.total ?? total;
    shortened = page.shortened ?? shortened;
    came = page.came ?? came;
  }
  return { rows, total, shortened, ...(came === undefined ? {} : { came }) };
}

export async function* toOnePage(pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
  yield await joinPages(pages);
}

export async function* takeRows(pages: AsyncIterable<ListPage>, limit: number): AsyncGenerator<ListPage> {
  let remaining = limit;
  for await (const page of pages) {
    const rows = page.rows.slice(0, remaining);
    remaining -= rows.length;
    const cut = rows.length < page.rows.length;
    yield cut ? { ...page, rows, total: page.total ?? page.rows.length, shortened: true } : page;
  }
}

/** Holds all pages back, and gives one sorted page. */
export async function* sortPages(
  pages: AsyncIterable<ListPage>,
  keys: readonly SortKey[],
): AsyncGenerator<ListPage> {
  const page = await joinPages(pages);
  yield { ...page, rows: sortRows(page.rows, keys) };
}
