import type { RawRequest } from '../../api/client.ts';
import { allOperations } from '../../api/operations.ts';
import { formatShortfallWarning } from '../../api/page.ts';
import type { ApiReply } from '../../api/reply.ts';
import { readSecrets } from '../../changes/input/files.ts';
import { UsageError } from '../../errors.ts';
import { isSecretKey } from '../../http/redact.ts';
import type { HttpQuery, Method } from '../../http/transport.ts';
import { isRecord, isSameJson, toText } from '../../json.ts';
import type { CompiledQuery } from '../../query/run.ts';
import type { Run } from '../../run.ts';
import type { RawParameters } from '../values.ts';

/** A call as the command line gives it: checked, but not against the table, which only says where `workspace_id` goes. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What URLs read as `.` and `..`, by which a path would leave the base URL. */
const DOT_SEGMENT = /^(\.|%2e){1,2}$/i;
/** An address of its own, a fragment, or what a URL parser would turn into a slash or drop. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const INVALID_PATH = /^[a-z][a-z\d+.-]*:|^\/\/|[\\#\u0000-\u001f]/i;

/** `C:/Program Files/Git/members`: what Git Bash makes of `/members`. */
const DRIVE = /^[a-z]:[\\/]/i;

/**
 * @param base the base URL of this run: an address below it is a path too
 * @throws UsageError for another address
 */
export function parsePath(text: string, base: string | undefined): { path: string; query: HttpQuery } {
  const below = base !== undefined && text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const queryStart = below.indexOf('?');
  const [path, search] =
    queryStart < 0 ? [below, ''] : [below.slice(0, queryStart), below.slice(queryStart + 1)];
  if (INVALID_PATH.test(path) || path.split('/').some((part) => DOT_SEGMENT.test(part)))
    throw new UsageError(`"${text}" is not a path under the base URL`, { hint: getPathHint(path) });
  return { path: `/${path.replace(/^\/+/, '')}`, query: [...new URLSearchParams(search)] };
}

function getPathHint(path: string): string {
  return DRIVE.test(path)
    ? 'Git Bash rewrites a leading slash. Omit it: members/17'
    : 'Use a path such as /members/17';
}

/** What `ttctl` sets itself, and why. */
const OWN_HEADERS = new Map([
  ['host', 'Requests go to the base URL of the profile.'],
  ['connection', 'It belongs to the connection.'],
  ['content-length', 'It is computed from the body.'],
  ['transfer-encoding', 'It belongs to the connection.'],
  ['x-request-id', 'It is the id of the request in the history.'],
]);

/** By these a service may take a read for a write, or another path: past dry runs, read-only profiles and scopes. */
const OVERRIDE_HEADER = /method|^x-(?:original|rewrite|override)/;

export interface RequestOptions {
  readonly method?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly workspace?: boolean | undefined;
}

/**
 * The request of `api [method] <path>`. Fields are the query of a GET, and the body of every other request.
 * @throws UsageError for what cannot be sent
 */
export async function buildApiRequest(
  run: Run,
  words: readonly string[],
  { method: flag, header = [], workspace }: RequestOptions,
): Promise<RawRequest> {
  const [word, pathText = ''] = words.length > 1 ? words : [undefined, ...words];
  if (word === undefined && isMethod(pathText))
    throw new UsageError('missing <path>', {
      hint: `Write the path too: ${run.commandLine`ttctl api -X ${pathText} /members`}`,
    });
  const { raws } = run;
  const method = chooseMethod([flag, word], raws.input !== undefined || Object.keys(raws.fields).length > 0);
  const { path, query } = parsePath(pathText, run.settings.baseUrl?.value);
  const isGet = method === 'GET';
  const fieldQuery = isGet
    ? Object.entries(raws.fields).map(([name, value]) => [name, toText(value)] as const)
    : [];
  const body = isGet ? raws.input : buildBody(raws);
  const request: RawRequest = {
    method,
    path,
    query: [...query, ...raws.query, ...fieldQuery],
    headers: await readHeaders(run, header),
    ...(body === undefined ? {} : { body }),
  };
  return workspace === false ? request : withWorkspace(run, request);
}

function isMethod(text: string): boolean {
  return METHODS.includes(text.toUpperCase());
}

/** The method that is written, else the one that a body means. */
function chooseMethod(words: readonly (string | undefined)[], given: boolean): Method {
  const [method, other] = words.flatMap((word) => (word === undefined ? [] : parseMethod(word)));
  if (other !== undefined && other !== method)
    throw new UsageError(`the method is both ${method} and ${other}`, { hint: 'Name it once.' });
  return method ?? (given ? 'POST' : 'GET');
}

function parseMethod(text: string): Method {
  if (isMethod(text)) return text.toUpperCase() as Method;
  throw new UsageError(`"${text}" is not an HTTP method`, {
    hint: text.includes('/')
      ? 'One path is taken. To filter the response, use --query with a JMESPath expression.'
      : `Use ${METHODS.join(', ')}.`,
  });
}

/** Fields lie over an `--input` that is an object. */
function buildBody({ fields, input }: RawParameters): unknown {
  if (Object.keys(fields).length === 0) return input;
  if (input === undefined) return fields;
  if (!isRecord(input)) {
    throw new UsageError('--field needs a JSON object in --input');
  }
  return { ...input, ...fields };
}

/** `name: value`, or `@file`: one header a line. */
async function readHeaders(
  { machine }: Run,
  texts: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const headers: [name: string, value: string][] = [];
  for (const text of texts) {
    if (!text.startsWith('@')) headers.push(parseHeader(text, false));
    else
      for (const line of (await readSecrets(machine, text.slice(1))).split(/\r?\n/))
        if (line.trim() !== '') headers.push(parseHeader(line, true));
  }
  return Object.fromEntries(headers);
}

/** @param isFromFile whether others cannot see it: command lines are seen, and written down */
function parseHeader(text: string, isFromFile: boolean): [name: string, value: string] {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/s.exec(text) ?? [];
  if (name === '')
    throw new UsageError('a header must be written as name:value', { hint: '-H "Accept-Language: de"' });
  // Some servers read `_` as `-`.
  const key = name.toLowerCase().replaceAll('_', '-');
  if (/^(?:proxy-)?authorization$/.test(key))
    throw new UsageError(`the header ${name} is set by ttctl`, {
      hint: 'For the token, set TTCTL_TOKEN or sign in.',
    });
  if (!isFromFile && isSecretKey(key))
    throw new UsageError(`the header ${name} holds a secret, and secrets cannot be passed as flags`, {
      hint: 'Read it from a file with a line "name: value": -H @file',
    });
  const reason = OWN_HEADERS.get(key);
  if (reason !== undefined) throw new UsageError(`the header ${name} is set by ttctl`, { reason });
  if (OVERRIDE_HEADER.test(key))
    throw new UsageError(`the header ${name} would make another request of this one`, {
      hint: 'Say the method and the path as they are: -X DELETE /members/17',
    });
  if (key === 'content-type' && !/^application\/json\s*(;|$)/i.test(value))
    throw new UsageError('the body is always sent as application/json');
  return [name.toLowerCase(), value];
}

async function withWorkspace(run: Run, raw: RawRequest): Promise<RawRequest> {
  const { body = {} } = raw;
  if (raw.query.some(([name]) => name === 'workspace_id')) return raw;
  if (isRecord(body) && Object.hasOwn(body, 'workspace_id')) return raw;
  const workspace = await run.knownWorkspaceId();
  if (workspace === undefined) return raw;
  return isRecord(body) && takesWorkspaceInBody(raw)
    ? { ...raw, body: { workspace_id: workspace, ...body } }
    : { ...raw, query: [['workspace_id', String(workspace)], ...raw.query] };
}

/** Whether the service reads `workspace_id` only in the body of this call. */
function takesWorkspaceInBody({ method, path }: RawRequest): boolean {
  return allOperations.some(
    (operation) =>
      operation.workspace === 'body' &&
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path),
  );
}

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
  run: Run,
  raw: RawRequest,
  query: CompiledQuery | undefined,
): Promise<AllPages> {
  const { output, settings, interrupted } = run;
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
    const reply = await run.raw({ ...sent, onResponse: ({ headers }) => (link = headers.link) });
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

function formatTarget({ path, query }: RawRequest): string {
  return JSON.stringify([path, query.map(String).sort()]);
}

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
