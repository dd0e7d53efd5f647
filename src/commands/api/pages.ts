import { formatShortfallWarning } from '../../api/page.ts';
import type { RawRequest } from '../../api/raw.ts';
import type { ApiReply } from '../../api/reply.ts';
import type { Context } from '../../context.ts';
import { isSameJson } from '../../json/number.ts';
import { UsageError } from '../../outcome.ts';
import type { CompiledQuery } from '../../query/compile.ts';
import { parsePath } from './request.ts';

/** All pages of a list that pages by numbers, or by a link to the next page. */

interface AllPages {
  readonly records: readonly unknown[];
  /** Whether the records were picked by the query. */
  readonly isPicked: boolean;
}

/** Rows of one request, unless another size is asked for. */
const PER_PAGE = '100';

/**
 * Reads one page after another. Where it cannot tell that all is there, it warns.
 * @param query picks the records of a page that has no list in `data`
 * @throws UsageError for a page without a list
 */
export async function readAllPages(
  context: Context,
  raw: RawRequest,
  query: CompiledQuery | undefined,
): Promise<AllPages> {
  const { output, settings, interrupted } = context;
  const size = raw.query.find(([name]) => name === 'per_page')?.[1] ?? PER_PAGE;
  const filters = raw.query.filter(([name]) => name !== 'page' && name !== 'per_page');
  const toPage = (page: number): RawRequest => ({
    ...raw,
    query: [...filters, ['page', String(page)], ['per_page', size]],
  });
  const records: unknown[] = [];
  const asked = new Set<string>();
  let isPicked = false;
  let previous: readonly unknown[] = [];
  let doubt: string | undefined;
  for (let request: RawRequest | undefined = toPage(1), page = 1; request !== undefined; page += 1) {
    let link: string | undefined;
    asked.add(formatTarget(request));
    const reply = await context.raw({ ...request, onResponse: ({ headers }) => (link = headers.link) });
    interrupted.throwIfAborted();
    const picked = pickRecords(reply, raw.path, query);
    isPicked ||= picked.isPicked;
    if (picked.records.length > 0 && isSameJson(picked.records, previous)) {
      doubt = 'the service sent the same page again';
      break;
    }
    previous = picked.records;
    for (const record of previous) records.push(record);
    const url = findNextLink(link);
    if (url === undefined && isLastPage(reply, link, page, previous.length)) {
      warnShortfall(output, records.length, reply);
      break;
    }
    request =
      url === undefined ? toPage(page + 1) : followLink(toPage(page + 1), url, settings.baseUrl?.value);
    if (request === undefined) doubt = `the next page is at another address: ${url}`;
    else if (asked.has(formatTarget(request))) {
      doubt = 'the next page is one that was read before';
      break;
    }
  }
  if (doubt !== undefined) output.warn(`the list may be incomplete: ${doubt}`);
  return { records, isPicked };
}

const findNextLink = (link = ''): string | undefined => /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(link)?.[1];

/** What the documentation promises counts first; a link to other pages than the next one says that this is the last. */
function isLastPage({ pagination }: ApiReply, link: string | undefined, page: number, came: number): boolean {
  const { lastPage } = pagination ?? {};
  return lastPage === undefined ? link !== undefined || came === 0 : page >= lastPage;
}

function warnShortfall({ warn }: Context['output'], came: number, { pagination }: ApiReply): void {
  const total = pagination?.total;
  if (total !== undefined && came < total) warn(formatShortfallWarning('records', { came, total }));
}

const formatTarget = ({ path, query }: RawRequest): string =>
  JSON.stringify([path, query.map(String).sort()]);

function pickRecords({ data, envelope }: ApiReply, path: string, query: CompiledQuery | undefined): AllPages {
  if (Array.isArray(data)) return { records: data, isPicked: false };
  const hint = 'Name the records with --query, for example: --paginate --query items';
  if (query === undefined)
    throw new UsageError(`--paginate needs a list, but ${path} did not return one`, { hint });
  const records = query(envelope);
  if (!Array.isArray(records)) throw new UsageError(`--query gives no list on a page of ${path}`, { hint });
  return { records, isPicked: true };
}

/** The request that a link means; what it leaves out of filters stays. Undefined for an address outside the base URL. */
function followLink(next: RawRequest, url: string, base: string | undefined): RawRequest | undefined {
  try {
    const { path, query } = parsePath(url, base);
    const named = new Set(query.map(([name]) => name));
    return {
      ...next,
      path,
      query: [...next.query.filter(([name]) => name !== 'page' && !named.has(name)), ...query],
    };
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
