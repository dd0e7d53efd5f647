import { isSameJson } from '../json/number.ts';
import type { Paging } from './operation.ts';
import type { ListPage } from './page.ts';
import type { ApiReply } from './reply.ts';

/** Which part of a list is wanted (`--limit`, `--page`, `--per-page`). */
export interface PageWindow {
  readonly limit?: number;
  readonly page?: number;
  readonly perPage?: number;
}

/** Rows of one request when nothing else is said: the most that the service allows (docs/service.md, Paging). */
export const DEFAULT_PER_PAGE = 100;
/** How many requests are on their way ahead of the page that is being written. */
const READ_AHEAD = 4;

type Fetch<T> = (query: Query) => Promise<ApiReply<readonly T[]>>;

const rowsOf = <T>(reply: ApiReply<readonly T[]>): readonly T[] =>
  Array.isArray(reply.data) ? reply.data : [];

/** Fetches the pages from `from` to `to`, `width` at once, and yields them in order. */
async function* ahead<T>(fetch: (page: number) => Promise<T>, from: number, to: number, width: number) {
  const underway: Promise<T>[] = [];
  let next = from;
  try {
    while (next <= to || underway.length > 0) {
      while (next <= to && underway.length < width) {
        const page = fetch(next++);
        page.catch(() => {}); // told when its turn comes
        underway.push(page);
      }
      yield await (underway.shift() as Promise<T>);
    }
  } finally {
    await Promise.allSettled(underway);
  }
}

/** Takes rows until the limit is reached, and tells when something of the list is left out. */
const cutter = <T>({ limit = Number.POSITIVE_INFINITY, page }: PageWindow, total: number | undefined) => {
  let left = limit;
  return {
    left: () => left,
    /** @param more whether the list goes on after these rows */
    cut(rows: readonly T[], more: boolean): ListPage<T> {
      const kept = rows.length > left ? rows.slice(0, left) : rows;
      left -= kept.length;
      const onePage = page !== undefined && (more || (total ?? 0) > kept.length);
      const shortened = kept.length < rows.length || (more && left <= 0) || onePage;
      return { rows: kept, total, ...(shortened ? { shortened } : {}) };
    },
  };
};

/** What is told where a list ends before all that the service counts has come. */
const withheld = (seen: number, total: number | undefined): readonly ListPage<never>[] =>
  seen < (total ?? 0) ? [{ rows: [], total, shortened: true }] : [];

type Query = { page?: number; per_page?: number };

/** What the first request asks for, and what every later one does beside its page. */
const sizes = (paging: Paging, { limit, page, perPage }: PageWindow) => {
  // Which rows a page has must not hang on how many of them are wanted.
  const least = page === undefined ? Math.min(DEFAULT_PER_PAGE, limit ?? DEFAULT_PER_PAGE) : DEFAULT_PER_PAGE;
  const size: Query = paging === 'pages' ? { per_page: perPage ?? least } : {};
  const first: Query = paging === 'none' && page === undefined ? {} : { page: page ?? 1, ...size };
  return { size, first };
};

/** Whether the list goes on after its first page, and whether the service told. */
const outlook = (paging: Paging, lastPage: number | undefined, start: number, rows: number) => {
  const untold = lastPage === undefined && paging !== 'none';
  return { untold, goesOn: lastPage === undefined ? untold && rows > 0 : lastPage > start };
};

/**
 * A list as pages, in order. Where the service tells the last page the others are read ahead; where it does not,
 * one follows another. A page that is empty or repeats the one before ends the list, whatever was told: a server
 * may ignore `page`. Where fewer rows came than the service counts, that is told. A short page is no end: a server
 * may ignore `per_page`.
 * @param paging what the operation takes; `none` sends neither `page` nor `per_page`, but follows an answer that
 *   says there is more
 */
export async function* fetchPages<T>(
  fetch: Fetch<T>,
  paging: Paging,
  window: PageWindow = {},
): AsyncGenerator<ListPage<T>> {
  const { size, first } = sizes(paging, window);
  const start = window.page ?? 1;
  const reply = await fetch(first);
  const { lastPage, total } = reply.pagination ?? {};
  const { cut, left } = cutter<T>(window, total);
  let before = rowsOf(reply);
  const { untold, goesOn } = outlook(paging, lastPage, start, before.length);
  yield cut(before, goesOn && (!untold || before.length >= (size.per_page ?? 1)));
  if (!goesOn || left() <= 0 || window.page !== undefined) return;

  const needed = start + Math.ceil(left() / Math.max(1, before.length));
  const end = Math.min(lastPage ?? Number.POSITIVE_INFINITY, needed);
  let page = start;
  let seen = before.length;
  const get = (n: number) => fetch({ page: n, ...size });
  for await (const next of ahead(get, start + 1, end, untold ? 1 : READ_AHEAD)) {
    const rows = rowsOf(next);
    if (rows.length === 0 || isSameJson(rows, before)) return yield* withheld(seen, total);
    page += 1;
    seen += rows.length;
    yield cut(rows, lastPage === undefined || page < lastPage);
    if (left() <= 0) return;
    before = rows;
  }
}
