import { takeTurnBefore } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import { isSameJson } from '../json.ts';
import type { Row } from './fields.ts';
import type { Operation } from './operation.ts';
import type { ApiReply } from './reply.ts';

export type { Row };

export interface ListPage {
  readonly rows: readonly Row[];
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

/** The rows of all pages. Of a page as long as a service likes: no argument list holds it. */
export async function collectRows<T>(pages: AsyncIterable<{ readonly rows: readonly T[] }>): Promise<T[]> {
  const found: T[] = [];
  for await (const { rows } of pages) for (const row of rows) found.push(row);
  return found;
}

/** Rows that are there already, as a list of one page. @param limit how many are shown; default: all */
export async function* toPages(all: readonly Row[], limit?: number): AsyncGenerator<ListPage> {
  const rows = all.slice(0, limit);
  yield { rows, total: all.length, shortened: rows.length < all.length };
}

export async function* onePage<Page>(page: Page): AsyncGenerator<Page> {
  yield page;
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
const DEFAULT_PER_PAGE = 100;
const READ_AHEAD = 4;

/**
 * A list as pages, in order. Where the service tells the last page the others are read ahead; where it does not,
 * one follows another. A page that is empty or repeats the one before ends the list, whatever was told: a server
 * may ignore `page`. A short page is no end: a server may ignore `per_page`.
 * @param paging what the operation takes; `none` sends neither `page` nor `per_page`, but follows an answer that
 *   says there is more
 * @param window without one, the list is wanted whole
 * @throws Failure (exit 7) at the end of a list that is wanted whole and has fewer rows than the service counts
 */
export async function* fetchPages(
  fetch: (query: { page?: number; per_page?: number }) => Promise<ApiReply>,
  paging: Operation['paging'],
  noun: string,
  window?: PageWindow,
): AsyncGenerator<ListPage> {
  const {
    limit = Number.POSITIVE_INFINITY,
    page: onlyPage,
    perPage,
    interrupted,
  }: PageWindow = { ...window };
  const start = onlyPage ?? 1;
  // With `--page` it stays the same: which rows a page has must not depend on `--limit`.
  const size = perPage ?? Math.min(DEFAULT_PER_PAGE, onlyPage === undefined ? limit : DEFAULT_PER_PAGE);
  const readPage = async (page?: number) => {
    const query = { ...(page !== undefined && { page }), ...(paging === 'pages' && { per_page: size }) };
    const { data, pagination } = await fetch(query);
    const rows = (data ?? []) as readonly Row[];
    await takeTurnBefore(rows);
    interrupted?.throwIfAborted();
    return { rows, ...pagination };
  };
  const first = await readPage(paging === 'none' ? onlyPage : start);
  const { lastPage, total } = first;
  const last = lastPage ?? (paging === 'none' ? start : Number.POSITIVE_INFINITY);
  const fullPage = paging === 'pages' ? size : 1;
  let left = limit;
  let [came, counted] = [0, 0];
  const take = (page: number, { rows, total: told = 0 }: typeof first): ListPage => {
    came += rows.length;
    counted = Math.max(counted, told);
    const kept = rows.slice(0, left);
    left -= kept.length;
    const goesOn = page < last && (lastPage !== undefined || rows.length >= fullPage);
    const isCut = kept.length < rows.length || (goesOn && left <= 0);
    const shortened = isCut || (onlyPage !== undefined && (goesOn || (total ?? 0) > kept.length));
    return { rows: kept, total, shortened };
  };
  yield take(start, first);
  if (left <= 0 || onlyPage !== undefined) return;
  const end = first.rows.length === 0 ? start : Math.min(last, start + Math.ceil(left / first.rows.length));
  let [page, previous] = [start, first.rows];
  for await (const next of readAhead(readPage, start + 1, end, lastPage === undefined ? 1 : READ_AHEAD)) {
    if (next.rows.length === 0 || isSameJson(next.rows, previous)) break;
    page += 1;
    yield take(page, next);
    if (left <= 0) return;
    previous = next.rows;
  }
  if (came >= counted) return;
  if (window !== undefined) return yield { rows: [], total: counted, shortened: true, came };
  throw new Failure(`the list of ${noun} is incomplete: got ${came} of ${counted}`, {
    ...{ code: 'incomplete', exit: EXIT.tryLater, reason: SHORTFALL_REASON, hint: 'Try again.' },
  });
}

async function* readAhead<T>(fetch: (page: number) => Promise<T>, from: number, to: number, width: number) {
  const pending: Promise<T>[] = [];
  try {
    for (let next = from; next <= to || pending.length > 0; ) {
      for (; next <= to && pending.length < width; next += 1) {
        const page = fetch(next);
        page.catch(() => {}); // reported when it is yielded
        pending.push(page);
      }
      yield await (pending.shift() as Promise<T>);
    }
  } finally {
    await Promise.allSettled(pending);
  }
}
