import type { RawRequest } from '../../api/client.ts';
import { allOperations } from '../../api/operations.ts';
import type { ApiReply } from '../../api/reply.ts';
import { readSecrets } from '../../changes/input/files.ts';
import { UsageError } from '../../errors.ts';
import { isSecretKey } from '../../http/redact.ts';
import type { HttpQuery, Method } from '../../http/transport.ts';
import { isRecord, isSameJson, toText } from '../../json.ts';
import type { CompiledQuery } from '../../query/run.ts';
import type { Run } from '../../run.ts';

/** A call as the command line gives it: checked, but not against the table, which only says where `workspace_id` goes. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What URLs read as `.` and `..`, by which a path would leave the base URL. */
const DOT_SEGMENT = /^(\.|%2e){1,2}$/i;
/** An address of its own, a fragment, or what a URL parser would turn into a slash or drop. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const INVALID_PATH = /^[a-z][a-z\d+.-]*:|^\/\/|[\\#\u0000-\u001f]/i;

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

export interface ApiOptions {
  readonly method?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly workspace?: boolean | undefined;
  readonly paginate?: boolean | undefined;
  readonly include?: boolean | undefined;
}

/**
 * The request of `api [method] <path>`. Fields are the query of a GET, and the body of every other request.
 * @throws UsageError for what cannot be sent
 */
export async function buildApiRequest(
  run: Run,
  words: readonly string[],
  { method: flag, header = [], workspace }: ApiOptions,
): Promise<RawRequest> {
  const { fields, input, query: params } = run.raws;
  const [word, text = ''] = words.length > 1 ? words : [undefined, ...words];
  if (word === undefined && METHODS.includes(text.toUpperCase()))
    throw new UsageError('missing <path>', {
      hint: `Write the path too: ${run.commandLine`ttctl api -X ${text} /members`}`,
    });
  const hasFields = Object.keys(fields).length > 0;
  const method = chooseMethod(flag, word) ?? (hasFields || input !== undefined ? 'POST' : 'GET');
  const { path, query } = parsePath(text, run.settings.baseUrl?.value);
  const isGet = method === 'GET';
  if (!isGet && hasFields && input !== undefined && !isRecord(input))
    throw new UsageError('--field needs a JSON object in --input');
  // Fields lie over an `--input` that is an object.
  const body = isGet || !hasFields ? input : { ...(input as object | undefined), ...fields };
  const fieldQuery = Object.entries(isGet ? fields : {}).map(
    ([name, value]) => [name, toText(value)] as const,
  );
  const request: RawRequest = {
    method,
    path,
    query: [...query, ...params, ...fieldQuery],
    headers: await readHeaders(run, header),
    ...(body !== undefined && { body }),
  };
  return workspace === false ? request : withWorkspace(run, request);
}

/** The method that is written; undefined where none is. */
function chooseMethod(...words: readonly (string | undefined)[]): Method | undefined {
  const [method, other = method] = words.flatMap((word) => word?.toUpperCase() ?? []);
  const wrong = words.find((word) => word !== undefined && !METHODS.includes(word.toUpperCase()));
  if (wrong !== undefined)
    throw new UsageError(`"${wrong}" is not an HTTP method`, {
      hint: wrong.includes('/')
        ? 'One path is taken. To filter the response, use --query with a JMESPath expression.'
        : `Use ${METHODS.join(', ')}.`,
    });
  if (other !== method)
    throw new UsageError(`the method is both ${method} and ${other}`, { hint: 'Name it once.' });
  return method as Method | undefined;
}

/**
 * @param base the base URL of this run: an address below it is a path too
 * @throws UsageError for another address
 */
export function parsePath(text: string, base: string | undefined): { path: string; query: HttpQuery } {
  const below = base !== undefined && text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const [path = '', ...search] = below.split('?');
  if (INVALID_PATH.test(path) || path.split('/').some((part) => DOT_SEGMENT.test(part)))
    throw new UsageError(`"${text}" is not a path under the base URL`, {
      // `C:/Program Files/Git/members`: what Git Bash makes of `/members`.
      hint: /^[a-z]:[\\/]/i.test(path)
        ? 'Git Bash rewrites a leading slash. Omit it: members/17'
        : 'Use a path such as /members/17',
    });
  return { path: `/${path.replace(/^\/+/, '')}`, query: [...new URLSearchParams(search.join('?'))] };
}

/** `name: value`, or `@file`: one header a line. */
async function readHeaders({ machine }: Run, texts: readonly string[]): Promise<Record<string, string>> {
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
  const { method, path, query, body = {} } = raw;
  const names = [...query.map(([name]) => name), ...(isRecord(body) ? Object.keys(body) : [])];
  if (names.includes('workspace_id')) return raw;
  const workspace = await run.knownWorkspaceId();
  if (workspace === undefined) return raw;
  // Some calls of the service read it only in the body.
  const isInBody = allOperations.some(
    (operation) =>
      operation.workspace === 'body' &&
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path),
  );
  return isRecord(body) && isInBody
    ? { ...raw, body: { workspace_id: workspace, ...body } }
    : { ...raw, query: [['workspace_id', String(workspace)], ...query] };
}

/** Rows of one request, unless another size is asked for. */
const PER_PAGE = '100';

/**
 * Reads one page of a list after another, in whatever way it pages.
 * @param query picks the records of a page that has no list in `data`
 * @returns `isPicked`: whether the records were picked by the query; `doubt`: why it cannot tell that all is there
 * @throws UsageError for a page without a list
 */
export async function readAllPages(run: Run, raw: RawRequest, query: CompiledQuery | undefined) {
  const size = raw.query.find(([name]) => name === 'per_page')?.[1] ?? PER_PAGE;
  const filters = raw.query.filter(([name]) => name !== 'page' && name !== 'per_page');
  const records: unknown[] = [];
  const asked = new Set<string>();
  let isPicked = false;
  let total: number | undefined;
  let doubt: string | undefined;
  let next: HttpQuery | undefined = [['page', '1']];
  for (let previous: readonly unknown[] = []; next !== undefined && doubt === undefined; ) {
    const given: ReadonlySet<string> = new Set(next.map(([name]) => name));
    const others = [...filters, ['per_page', size] as const].filter(([name]) => !given.has(name));
    const sent: RawRequest = { ...raw, query: [...others, ...next] };
    asked.add(JSON.stringify(next));
    const reply: ApiReply = await run.raw(sent);
    run.interrupted.throwIfAborted();
    const page: readonly unknown[] = pickRecords(reply, raw.path, query);
    isPicked = !Array.isArray(reply.data);
    const isRepeated = page.length > 0 && isSameJson(page, previous);
    if (!isRepeated) for (const record of page) records.push(record);
    total =
      reply.pagination?.total ??
      listPlaces(reply.envelope)
        .map(({ total }) => total)
        .find(isCount);
    previous = page;
    const step = findNext(reply, sent, page.length, isCount(total) && records.length >= total);
    next = typeof step === 'string' ? readAddress(step, `${run.base()}${raw.path}`) : step;
    if (isRepeated) doubt = 'the service sent the same page again';
    else if (asked.has(JSON.stringify(next))) doubt = 'the next page is one that was read before';
    else if (next === undefined && step !== undefined) doubt = `the next page is at another address: ${step}`;
  }
  return { records, isPicked, total, doubt };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number';
}

function pickRecords(
  { data, envelope }: ApiReply,
  path: string,
  query: CompiledQuery | undefined,
): readonly unknown[] {
  if (Array.isArray(data)) return data;
  const hint = 'Name the records with --query, for example: --paginate --query items';
  if (query === undefined)
    throw new UsageError(`--paginate needs a list, but ${path} did not return one`, { hint });
  const records = query(envelope);
  if (Array.isArray(records)) return records;
  throw new UsageError(`--query gives no list on a page of ${path}`, { hint });
}

/** How services name the next page: by its number, its address, or a cursor. */
const NEXT_NAMES = ['next', 'next_page_url', 'next_page', 'next_cursor'];

/**
 * What the query of the next page has, or its address; nothing where the list ends. What the documentation promises counts
 * first: `meta.pagination`. A service that tells nothing has another page until one is empty.
 */
function findNext(
  { pagination, envelope }: ApiReply,
  sent: RawRequest,
  came: number,
  isWhole: boolean,
): HttpQuery | string | undefined {
  const { page, lastPage } = pagination ?? {};
  if (page !== undefined && lastPage !== undefined)
    return page < lastPage ? [['page', String(page + 1)]] : undefined;
  let isTold = false;
  for (const place of listPlaces(envelope)) {
    const name = NEXT_NAMES.find((one) => place[one] !== undefined);
    if (name === undefined) continue;
    isTold = true;
    const value = toText(place[name] ?? '');
    if (value === '') continue;
    if (name === 'next_cursor') return [['cursor', value]];
    return /^\d+$/.test(value) ? [['page', value]] : value;
  }
  if (came === 0 || isTold || isWhole) return undefined;
  const last = Number(sent.query.find(([name]) => name === 'page')?.[1] ?? 1);
  return [['page', String(last + 1)]];
}

/** Where services say how their lists go on. */
function listPlaces(envelope: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(envelope)) return [];
  const { meta, pagination, links } = envelope;
  const inner = isRecord(meta) ? [meta['pagination'], meta['links']] : [];
  return [envelope, links, meta, pagination, ...inner].filter(isRecord);
}

/** The query of an address of the same list; undefined for any other. */
function readAddress(address: string, list: string): HttpQuery | undefined {
  if (!URL.canParse(address, list)) return undefined;
  const [next, here] = [new URL(address, list), new URL(list)];
  const isSame = next.origin === here.origin && next.pathname === here.pathname;
  return isSame ? [...next.searchParams] : undefined;
}
