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

const getRows = <T>(reply: ApiReply<readonly T[]>): readonly T[] =>
  Array.isArray(reply.data) ? reply.data : [];

/** Fetches the pages from `from` to `to`, `concurrency` at once, and yields them in order. */
async function* readAhead<T>(
  fetch: (page: number) => Promise<T>,
  from: number,
  to: number,
  concurrency: number,
) {
  const pending: Promise<T>[] = [];
  let next = from;
  try {
    while (next <= to || pending.length > 0) {
      while (next <= to && pending.length < concurrency) {
        const page = fetch(next++);
        page.catch(() => {}); // reported when it is yielded
        pending.push(page);
      }
      yield await (pending.shift() as Promise<T>);
    }
  } finally {
    await Promise.allSettled(pending);
  }
}

/** Takes rows until the limit is reached, and tells when something of the list is left out. */
const createRowLimiter = <T>(
  { limit = Number.POSITIVE_INFINITY, page }: PageWindow,
  total: number | undefined,
) => {
  let remaining = limit;
  return {
    remaining: () => remaining,
    /** @param hasMore whether the list goes on after these rows */
    take(rows: readonly T[], hasMore: boolean): ListPage<T> {
      const kept = rows.length > remaining ? rows.slice(0, remaining) : rows;
      remaining -= kept.length;
      const onePage = page !== undefined && (hasMore || (total ?? 0) > kept.length);
      const shortened = kept.length < rows.length || (hasMore && remaining <= 0) || onePage;
      return { rows: kept, total, ...(shortened ? { shortened } : {}) };
    },
  };
};

/** One empty page marked as shortened, where fewer rows came than the service counts. */
const listShortfall = (seen: number, total: number | undefined): readonly ListPage<never>[] =>
  seen < (total ?? 0) ? [{ rows: [], total, shortened: true }] : [];

type Query = { page?: number; per_page?: number };

/** The query of the first request, and what every later one has beside `page`. */
const buildQueries = (paging: Paging, { limit, page, perPage }: PageWindow) => {
  // With --page the size stays the same: which rows a page has must not depend on --limit.
  const defaultSize =
    page === undefined ? Math.min(DEFAULT_PER_PAGE, limit ?? DEFAULT_PER_PAGE) : DEFAULT_PER_PAGE;
  const size: Query = paging === 'pages' ? { per_page: perPage ?? defaultSize } : {};
  const first: Query = paging === 'none' && page === undefined ? {} : { page: page ?? 1, ...size };
  return { size, first };
};

/** Whether the list goes on after its first page, and whether the service leaves the last page out. */
const inspectFirstPage = (paging: Paging, lastPage: number | undefined, start: number, rows: number) => {
  const isLastPageUnknown = lastPage === undefined && paging !== 'none';
  return {
    isLastPageUnknown,
    hasMore: lastPage === undefined ? isLastPageUnknown && rows > 0 : lastPage > start,
  };
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
  const { size, first } = buildQueries(paging, window);
  const start = window.page ?? 1;
  const reply = await fetch(first);
  const { lastPage, total } = reply.pagination ?? {};
  const { take, remaining } = createRowLimiter<T>(window, total);
  let previous = getRows(reply);
  const { isLastPageUnknown, hasMore } = inspectFirstPage(paging, lastPage, start, previous.length);
  yield take(previous, hasMore && (!isLastPageUnknown || previous.length >= (size.per_page ?? 1)));
  if (!hasMore || remaining() <= 0 || window.page !== undefined) return;

  const needed = start + Math.ceil(remaining() / Math.max(1, previous.length));
  const end = Math.min(lastPage ?? Number.POSITIVE_INFINITY, needed);
  let page = start;
  let seen = previous.length;
  const fetchPage = (n: number) => fetch({ page: n, ...size });
  for await (const next of readAhead(fetchPage, start + 1, end, isLastPageUnknown ? 1 : READ_AHEAD)) {
    const rows = getRows(next);
    if (rows.length === 0 || isSameJson(rows, previous)) return yield* listShortfall(seen, total);
    page += 1;
    seen += rows.length;
    yield take(rows, lastPage === undefined || page < lastPage);
    if (remaining() <= 0) return;
    previous = rows;
  }
}
