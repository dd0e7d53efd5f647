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

const SHORTFALL_REASON = 'The service left some out, or they changed while they were read.';

/** @param noun plural, for people @param page the last of a list that came short */
export function formatShortfallWarning(noun: string, page: Pick<ListPage, 'came' | 'total'>): string {
  return `the list of ${noun} is incomplete: got ${page.came} of ${page.total}. ${SHORTFALL_REASON}`;
}

/** The rows of all pages that fit; by default all. Of a page as long as a service likes: no argument list holds it. */
export async function collectRows<T>(
  pages: AsyncIterable<{ readonly rows: readonly T[] }>,
  fits: (row: T) => boolean = () => true,
): Promise<T[]> {
  const found: T[] = [];
  for await (const { rows } of pages) for (const row of rows) if (fits(row)) found.push(row);
  return found;
}

/** Rows that are there already, as a list of one page. @param limit how many are shown; default: all */
export async function* toPages(all: readonly Row[], limit?: number): AsyncGenerator<ListPage> {
  const rows = all.slice(0, limit);
  yield { rows, total: all.length, shortened: rows.length < all.length };
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

type Query = { page?: number; per_page?: number };

/**
 * A list as pages, in order. Where the service tells the last page the others are read ahead; where it does not,
 * one follows another. A page that is empty or repeats the one before ends the list, whatever was told: a server
 * may ignore `page`. Where fewer rows came than the service counts, that is told. A short page is no end: a server
 * may ignore `per_page`.
 * @param paging what the operation takes; `none` sends neither `page` nor `per_page`, but follows an answer that
 *   says there is more
 * @param noun plural, for people
 * @param window without one, the list is wanted whole
 * @throws Failure (exit 7) at the end of a list that is wanted whole and came short
 */
export async function* fetchPages<T>(
  fetch: (query: Query) => Promise<ApiReply<readonly T[]>>,
  paging: Paging,
  noun: string,
  window?: PageWindow,
): AsyncGenerator<ListPage<T>> {
  const { limit = Number.POSITIVE_INFINITY, page: onlyPage, interrupted } = window ?? {};
  const start = onlyPage ?? 1;
  const size = sizeOf(paging, window ?? {});
  const read = async (query: Query) => {
    const { data, pagination } = await fetch(query);
    const rows: readonly T[] = Array.isArray(data) ? data : [];
    await takeTurnBefore(rows);
    interrupted?.throwIfAborted();
    return { rows, ...pagination };
  };
  const { rows, lastPage, total } = await read(
    paging === 'none' && onlyPage === undefined ? {} : { page: start, ...size },
  );
  const last = lastPage ?? (paging === 'none' ? start : Number.POSITIVE_INFINITY);
  const goesOn = (page: number, { length }: readonly T[]): boolean =>
    page < last && (lastPage !== undefined || length >= (size.per_page ?? 1));
  const count = new RowCount<T>(limit, total, onlyPage !== undefined);
  yield count.take(rows, goesOn(start, rows), total);
  if (count.left <= 0 || onlyPage !== undefined) return;
  const needed = rows.length === 0 ? 0 : Math.ceil(count.left / rows.length);
  const end = Math.min(last, start + needed);
  let previous = rows;
  let page = start;
  const readPage = (number: number) => read({ page: number, ...size });
  for await (const next of readAhead(readPage, start + 1, end, lastPage === undefined ? 1 : READ_AHEAD)) {
    if (next.rows.length === 0 || isSameJson(next.rows, previous)) break;
    page += 1;
    yield count.take(next.rows, goesOn(page, next.rows), next.total);
    if (count.left <= 0) return;
    previous = next.rows;
  }
  yield* count.listShortfall(window === undefined ? noun : undefined);
}

/** How many rows a request asks for. With `--page` it stays the same: which rows a page has must not depend on `--limit`. */
function sizeOf(paging: Paging, { limit = DEFAULT_PER_PAGE, page, perPage }: PageWindow): Query {
  if (paging !== 'pages') return {};
  return { per_page: perPage ?? (page === undefined ? Math.min(DEFAULT_PER_PAGE, limit) : DEFAULT_PER_PAGE) };
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

/**
 * Takes the rows of a list as they come, until the limit is reached, and counts them. Where the service counts others on
 * a later page, the rows have moved while they were read: one that came twice stands for one that never came.
 */
class RowCount<T> {
  /** How many more are wanted. */
  left: number;
  readonly #shown: number | undefined;
  readonly #isOnePage: boolean;
  #total: number | undefined;
  #seen = 0;
  #repeated = 0;
  #hasChanged = false;
  #previous: ReadonlySet<string> = new Set();

  constructor(limit: number, total: number | undefined, isOnePage: boolean) {
    this.left = limit;
    this.#shown = total;
    this.#isOnePage = isOnePage;
  }

  /** @param goesOn whether the list goes on after these rows @param told how many the service counts now */
  take(rows: readonly T[], goesOn: boolean, told: number | undefined): ListPage<T> {
    this.#total ??= told;
    this.#hasChanged ||= told !== undefined && told !== this.#total;
    const all = rows.map((row) => (row as { readonly id?: unknown } | null)?.id);
    const ids = all.filter((id) => id != null).map(toText);
    this.#seen += rows.length;
    this.#repeated += ids.filter((id) => this.#previous.has(id)).length;
    this.#previous = new Set(ids);
    const kept = rows.slice(0, this.left);
    this.left -= kept.length;
    const isCut = kept.length < rows.length || (goesOn && this.left <= 0);
    const shortened = isCut || (this.#isOnePage && (goesOn || (this.#shown ?? 0) > kept.length));
    return { rows: kept, total: this.#shown, ...(shortened && { shortened }) };
  }

  /** An empty page, where fewer rows came than the service counts. @param whole what is wanted whole: then it throws */
  listShortfall(whole: string | undefined): readonly ListPage<never>[] {
    const came = this.#hasChanged ? this.#seen - this.#repeated : this.#seen;
    const total = this.#total ?? 0;
    if (came >= total) return [];
    if (whole === undefined) return [{ rows: [], total, shortened: true, came }];
    throw new Failure(`the list of ${whole} is incomplete: got ${came} of ${total}`, {
      code: 'incomplete',
      exit: EXIT.tryLater,
      reason: SHORTFALL_REASON,
      hint: 'Try again.',
    });
  }
}
