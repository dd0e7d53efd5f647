import { takeTurnBefore } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import { isSameJson, toText } from '../json.ts';
import type { Paging } from './operation.ts';
import type { ApiReply } from './reply.ts';

/** A record as it came, seen as fields. */
export type Row = Readonly<Record<string, unknown>>;

/** One page of a list, in order. */
export interface ListPage<T = Row> {
  readonly rows: readonly T[];
  /** Rows of the whole list, where the service tells. */
  readonly total: number | undefined;
  /** Whether the list goes on after the rows that were asked for (`--limit`, `--page`). */
  readonly shortened?: boolean;
  /** At the end of a list that came short, on a page without rows: how many came of the total. */
  readonly came?: number;
}

/** @param noun plural, for people @param page the last of a list that came short */
export function formatShortfall(noun: string, { came, total }: Pick<ListPage, 'came' | 'total'>): string {
  return `the list of ${noun} is incomplete: got ${came} of ${total}`;
}

export const SHORTFALL_REASON = 'The service left some out, or they changed while they were read.';

export const formatShortfallWarning: typeof formatShortfall = (noun, page) =>
  `${formatShortfall(noun, page)}. ${SHORTFALL_REASON}`;

/** The rows of all pages that fit; by default all. Of a page as long as a service likes: no argument list holds it. */
export async function collectRows<T>(
  pages: AsyncIterable<{ readonly rows: readonly T[] }>,
  fits: (row: T) => boolean = () => true,
): Promise<T[]> {
  const found: T[] = [];
  for await (const { rows } of pages) for (const row of rows) if (fits(row)) found.push(row);
  return found;
}

/** Rows that are there already, as a list of one page. */
export async function* toPages(rows: readonly Row[]): AsyncGenerator<ListPage> {
  yield { rows, total: rows.length };
}

/** Which part of a list is wanted (`--limit`, `--page`, `--per-page`). */
export interface PageWindow {
  readonly limit?: number;
  readonly page?: number;
  readonly perPage?: number;
  /** Ends the list, at the latest when a page has come. */
  readonly interrupted?: AbortSignal;
}

/** Rows of one request when nothing else is said: the most that the service allows (docs/service.md, Paging). */
export const DEFAULT_PER_PAGE = 100;
/** How many requests are on their way ahead of the page that is being written. */
const READ_AHEAD = 4;

type Fetch<T> = (query: Query) => Promise<ApiReply<readonly T[]>>;

function getRows<T>(reply: ApiReply<readonly T[]>): readonly T[] {
  return Array.isArray(reply.data) ? reply.data : [];
}

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
function createRowLimiter<T>(
  { limit = Number.POSITIVE_INFINITY, page }: PageWindow,
  total: number | undefined,
) {
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
}

function getIds(rows: readonly unknown[]): readonly unknown[] {
  return rows.map((row) => (row as { readonly id?: unknown } | null)?.id);
}

/**
 * Counts the rows of a list as they come. Where the service counts others on a later page, the rows have moved while
 * they were read: one that came twice stands for one that never came.
 */
function createRowCount() {
  let [seen, repeated, hasChanged] = [0, 0, false];
  let total: number | undefined;
  let previous: ReadonlySet<string> = new Set();
  return {
    add(rows: readonly unknown[], told: number | undefined): void {
      total ??= told;
      hasChanged ||= told !== undefined && told !== total;
      const ids = getIds(rows)
        .filter((id) => id != null)
        .map(toText);
      seen += rows.length;
      repeated += ids.filter((id) => previous.has(id)).length;
      previous = new Set(ids);
    },
    /** One empty page marked as shortened, where fewer rows came than the service counts. */
    listShortfall(): readonly ListPage<never>[] {
      const came = hasChanged ? seen - repeated : seen;
      return came < (total ?? 0) ? [{ rows: [], total, shortened: true, came }] : [];
    },
  };
}

/**
 * A whole list, for what is decided by it.
 * @param noun plural, for people
 * @throws Failure (exit 7) at the end of a list that came short
 */
export async function* requireWhole<T>(
  pages: AsyncIterable<ListPage<T>>,
  noun: string,
): AsyncGenerator<ListPage<T>> {
  for await (const page of pages) {
    if (page.came === undefined) yield page;
    else {
      throw new Failure(formatShortfall(noun, page), {
        code: 'incomplete',
        exit: EXIT.tryLater,
        reason: SHORTFALL_REASON,
        hint: 'Try again.',
      });
    }
  }
}

type Query = { page?: number; per_page?: number };

/** The query of the first request, and what every later one has beside `page`. */
function buildQueries(paging: Paging, { limit, page, perPage }: PageWindow) {
  // With --page the size stays the same: which rows a page has must not depend on --limit.
  const defaultSize =
    page === undefined ? Math.min(DEFAULT_PER_PAGE, limit ?? DEFAULT_PER_PAGE) : DEFAULT_PER_PAGE;
  const size: Query = paging === 'pages' ? { per_page: perPage ?? defaultSize } : {};
  const first: Query = paging === 'none' && page === undefined ? {} : { page: page ?? 1, ...size };
  return { size, first };
}

/** Whether the list goes on after its first page, and whether the service leaves the last page out. */
function inspectFirstPage(paging: Paging, lastPage: number | undefined, start: number, rows: number) {
  const isLastPageUnknown = lastPage === undefined && paging !== 'none';
  return {
    isLastPageUnknown,
    hasMore: lastPage === undefined ? isLastPageUnknown && rows > 0 : lastPage > start,
  };
}

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
  const fetchPart = async (query: Query): Promise<ApiReply<readonly T[]>> => {
    const part = await fetch(query);
    await takeTurnBefore(getRows(part));
    window.interrupted?.throwIfAborted();
    return part;
  };
  const reply = await fetchPart(first);
  const { lastPage, total } = reply.pagination ?? {};
  const { take, remaining } = createRowLimiter<T>(window, total);
  const count = createRowCount();
  let previous = getRows(reply);
  count.add(previous, total);
  const { isLastPageUnknown, hasMore } = inspectFirstPage(paging, lastPage, start, previous.length);
  yield take(previous, hasMore && (!isLastPageUnknown || previous.length >= (size.per_page ?? 1)));
  if (remaining() <= 0 || window.page !== undefined) return;
  if (!hasMore) return yield* count.listShortfall();

  const needed = start + Math.ceil(remaining() / Math.max(1, previous.length));
  const end = Math.min(lastPage ?? Number.POSITIVE_INFINITY, needed);
  let page = start;
  const fetchPage = (n: number) => fetchPart({ page: n, ...size });
  for await (const next of readAhead(fetchPage, start + 1, end, isLastPageUnknown ? 1 : READ_AHEAD)) {
    const rows = getRows(next);
    if (rows.length === 0 || isSameJson(rows, previous)) break;
    page += 1;
    count.add(rows, next.pagination?.total);
    yield take(rows, lastPage === undefined || page < lastPage);
    if (remaining() <= 0) return;
    previous = rows;
  }
  yield* count.listShortfall();
}
