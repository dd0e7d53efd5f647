import { formatShortfallWarning } from '../../api/page.ts';
import type { RawRequest } from '../../api/raw.ts';
import type { ApiReply } from '../../api/reply.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { HttpQuery } from '../../http/transport.ts';
import { isRecord, isSameJson } from '../../json.ts';
import type { CompiledQuery } from '../../query/compile.ts';
import { parsePath } from './request.ts';

/** All pages of a list that may page in any way: by numbers, by a total, by a link or a cursor to the next page. */

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
  const base = settings.baseUrl?.value;
  const size = raw.query.find(([name]) => name === 'per_page')?.[1] ?? PER_PAGE;
  const filters = raw.query.filter(([name]) => name !== 'page' && name !== 'per_page');
  const records: unknown[] = [];
  const asked = new Set<string>();
  let isPicked = false;
  let previous: readonly unknown[] = [];
  let request: RawRequest | undefined = { ...raw, query: [...filters, ['page', '1'], ['per_page', size]] };
  let doubt: string | undefined;
  while (request !== undefined) {
    let link: string | undefined;
    const sent: RawRequest = request;
    asked.add(formatTarget(sent));
    const reply = await context.raw({ ...sent, onResponse: ({ headers }) => (link = headers.link) });
    interrupted.throwIfAborted();
    const picked = pickRecords(reply, raw.path, query);
    isPicked ||= picked.isPicked;
    const isRepeated = picked.records.length > 0 && isSameJson(picked.records, previous);
    if (isRepeated) doubt = 'the service sent the same page again';
    else for (const record of picked.records) records.push(record);
    const next = isRepeated ? undefined : findNext(reply, link, picked.records.length, records.length);
    request = next && toRequest(sent, filters, next, base);
    if (next !== undefined && request === undefined)
      doubt = `the next page is at another address: ${next.url}`;
    if (request !== undefined && asked.has(formatTarget(request))) {
      doubt = 'the next page is one that was read before';
      request = undefined;
    }
    previous = picked.records;
    const total = readTotal(reply);
    if (request !== undefined || total === undefined) continue;
    doubt = undefined;
    if (records.length < total)
      output.warn(formatShortfallWarning('records', { came: records.length, total }));
  }
  if (doubt !== undefined) output.warn(`the list may be incomplete: ${doubt}`);
  return { records, isPicked };
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

/** Where the next page is: its number (`NaN`: the one after this), a cursor, or an address. */
interface NextPage {
  readonly page?: number;
  readonly cursor?: string;
  readonly url?: string;
}

/** Nothing where the list ends. What the documentation promises counts first: `meta.pagination`. */
function findNext(
  reply: ApiReply,
  link: string | undefined,
  came: number,
  all: number,
): NextPage | undefined {
  const { page, lastPage } = reply.pagination ?? {};
  if (page !== undefined && lastPage !== undefined) return page < lastPage ? { page: page + 1 } : undefined;
  const places = listPlaces(reply.envelope);
  const url = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(link ?? '')?.[1];
  const told =
    places.map(readNext).find((next) => next !== undefined) ?? (url === undefined ? undefined : { url });
  if (told !== undefined) return told;
  const tellsEnd =
    link !== undefined || places.some((place) => NEXT_NAMES.some((name) => place[name] === null));
  const total = readTotal(reply);
  return came === 0 || tellsEnd || (total !== undefined && all >= total) ? undefined : { page: Number.NaN };
}

function readNext(place: Readonly<Record<string, unknown>>): NextPage | undefined {
  const url = readText(place['next']) ?? readText(place['next_page_url']) ?? readText(place['next_url']);
  const { next_cursor: cursor, next_page: page, next } = place;
  if (url !== undefined) return /^\d+$/.test(url) ? { page: Number(url) } : { url };
  if (typeof cursor === 'string' && cursor !== '') return { cursor };
  const number = [next, page].find((one) => typeof one === 'number');
  return typeof number === 'number' ? { page: number } : undefined;
}

const NEXT_NAMES = ['next', 'next_page_url', 'next_url', 'next_cursor', 'next_page'];

/** Where services say how their lists go on. */
function listPlaces(envelope: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(envelope)) return [];
  const { meta, pagination, paging, links, _links } = envelope;
  const { pagination: inner, links: innerLinks } = isRecord(meta) ? meta : {};
  const deepest = isRecord(inner) ? inner['links'] : undefined;
  return [envelope, links, _links, meta, innerLinks, inner, deepest, pagination, paging].filter(isRecord);
}

/** A text, also that of `{"href": …}`. */
function readText(value: unknown): string | undefined {
  const text = isRecord(value) ? value['href'] : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function readTotal({ envelope, pagination }: ApiReply): number | undefined {
  const found = listPlaces(envelope).map((place) => place['total'] ?? place['total_count']);
  return pagination?.total ?? found.find((total) => typeof total === 'number');
}

/** The request of the next page; undefined for an address outside the base URL. Filters that a link leaves out stay. */
function toRequest(
  sent: RawRequest,
  filters: HttpQuery,
  { page, cursor, url }: NextPage,
  base: string | undefined,
): RawRequest | undefined {
  const size = sent.query.filter(([name]) => name === 'per_page');
  if (cursor !== undefined) return { ...sent, query: [...filters, ['cursor', cursor], ...size] };
  if (page !== undefined) {
    const last = Number(sent.query.find(([name]) => name === 'page')?.[1] ?? 1);
    return { ...sent, query: [...filters, ['page', String(Number.isNaN(page) ? last + 1 : page)], ...size] };
  }
  try {
    const text = url?.startsWith('?') ? `${sent.path}${url}` : (url ?? '');
    const { path, query } = parsePath(stripBasePath(text, base), base);
    const named = new Set(query.map(([name]) => name));
    return {
      ...sent,
      path,
      query: [...[...filters, ...size].filter(([name]) => !named.has(name)), ...query],
    };
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** `/api/v2/members?page=2` of a base URL that ends with `/api/v2`. */
function stripBasePath(text: string, base: string | undefined): string {
  const path = base === undefined ? '' : new URL(base).pathname.replace(/\/$/, '');
  return path !== '' && text.startsWith(`${path}/`) ? text.slice(path.length) : text;
}
