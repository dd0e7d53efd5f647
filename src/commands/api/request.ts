import type { RawRequest } from '../../api/client.ts';
import { allOperations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
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

/** Headers that are refused, and why; of some what to do. Some servers read `_` as `-`. */
const REFUSED_HEADERS: readonly (readonly [name: RegExp, problem: string, hint?: string])[] = [
  [/^(?:proxy-)?authorization$/, 'is set by ttctl', 'For the token, set TTCTL_TOKEN or sign in.'],
  [/^(?:host|connection|content-length|transfer-encoding|x-request-id)$/, 'is set by ttctl'],
  // By these a service may take a read for a write, or another path: past dry runs, read-only profiles and scopes.
  [
    /method|^x-(?:original|rewrite|override)/,
    'would make another request of this one',
    'Say the method and the path as they are: -X DELETE /members/17',
  ],
];

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
      // Git Bash rewrites a leading slash.
      hint: 'Use a path such as /members/17, or members/17 in Git Bash.',
    });
  return { path: `/${path.replace(/^\/+/, '')}`, query: [...new URLSearchParams(search.join('?'))] };
}

async function readHeaders({ machine }: Run, texts: readonly string[]): Promise<Record<string, string>> {
  const headers: [name: string, value: string][] = [];
  for (const text of texts) {
    // A file of secrets has one header a line.
    const isFile = text.startsWith('@');
    const lines = isFile ? (await readSecrets(machine, text.slice(1))).split(/\r?\n/) : [text];
    for (const line of lines) if (line.trim() !== '') headers.push(parseHeader(line, isFile));
  }
  return Object.fromEntries(headers);
}

/** @param isFromFile whether others cannot see it: command lines are seen, and written down */
function parseHeader(text: string, isFromFile: boolean): [name: string, value: string] {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/s.exec(text) ?? [];
  if (name === '')
    throw new UsageError('a header must be written as name:value', { hint: '-H "Accept-Language: de"' });
  const key = name.toLowerCase().replaceAll('_', '-');
  const [, problem, hint] = REFUSED_HEADERS.find(([pattern]) => pattern.test(key)) ?? [];
  if (problem !== undefined) throw new UsageError(`the header ${name} ${problem}`, { hint });
  if (!isFromFile && isSecretKey(key))
    throw new UsageError(`the header ${name} holds a secret, and secrets cannot be passed as flags`, {
      hint: 'Read it from a file with a line "name: value": -H @file',
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

/** How services name the next page: by its number, its address, or a cursor. */
const NEXT_NAMES = ['next', 'next_page_url', 'next_page', 'next_cursor'];

/**
 * Reads one page of a list after another, in whatever way it pages: what the documentation promises counts first
 * (`meta.pagination`). A service that tells nothing has another page until one is empty.
 * @param query picks the records of a page that has no list in `data`
 * @returns `isPicked`: whether the records were picked by the query; `doubt`: why it cannot tell that all is there
 * @throws UsageError for a page without a list
 */
export async function readAllPages(run: Run, raw: RawRequest, query: CompiledQuery | undefined) {
  const size = raw.query.find(([name]) => name === 'per_page') ?? (['per_page', '100'] as const);
  const filters = [size, ...raw.query.filter(([name]) => name !== 'page' && name !== 'per_page')];
  const records: unknown[] = [];
  const asked = new Set<string>();
  let next: HttpQuery = [['page', '1']];
  for (let previous: readonly unknown[] = []; ; ) {
    const sent: HttpQuery = next;
    const others = filters.filter(([name]) => !sent.some(([given]) => given === name));
    asked.add(JSON.stringify(sent));
    const reply: ApiReply = await run.raw({ ...raw, query: [...others, ...sent] });
    run.interrupted.throwIfAborted();
    const page: readonly unknown[] = pickRecords(reply, raw.path, query);
    const places = listPlaces(reply.envelope);
    const total = reply.pagination?.total ?? places.map((place) => place['total']).find(isCount);
    const read = { records, total, isPicked: !Array.isArray(reply.data) };
    if (page.length > 0 && isSameJson(page, previous))
      return { ...read, doubt: 'the service sent the same page again' };
    for (const record of page) records.push(record);
    previous = page;
    const isWhole = page.length === 0 || (total !== undefined && records.length >= total);
    const step = findNext(reply, places, isWhole ? undefined : sent);
    if (step === undefined) return { ...read, doubt: undefined };
    const found = typeof step === 'string' ? readAddress(step, `${run.base()}${raw.path}`) : step;
    if (found === undefined) return { ...read, doubt: `the next page is at another address: ${step}` };
    if (asked.has(JSON.stringify(found)))
      return { ...read, doubt: 'the next page is one that was read before' };
    next = found;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number';
}

function pickRecords({ data, envelope }: ApiReply, path: string, query: CompiledQuery | undefined) {
  const records = Array.isArray(data) ? data : query?.(envelope);
  if (Array.isArray(records)) return records;
  throw new UsageError(`--paginate needs a list, but ${path} did not return one`, {
    hint: 'Name the records with --query, for example: --paginate --query items',
  });
}

/**
 * What the query of the next page has, or its address; nothing where the list ends.
 * @param sent the query of this page, where there may be more though nothing says so
 */
function findNext({ pagination }: ApiReply, places: readonly Row[], sent: HttpQuery | undefined) {
  const { page, lastPage } = pagination ?? {};
  if (page !== undefined && lastPage !== undefined)
    return page < lastPage ? ([['page', String(page + 1)]] as const) : undefined;
  const told = places.flatMap((place) => {
    const name = NEXT_NAMES.find((one) => place[one] !== undefined);
    return name === undefined ? [] : [[name, toText(place[name] ?? '')] as const];
  });
  const [name, value] = told.find(([, text]) => text !== '') ?? [];
  if (value !== undefined && name === 'next_cursor') return [['cursor', value]] as const;
  if (value !== undefined) return /^\d+$/.test(value) ? ([['page', value]] as const) : value;
  if (told.length > 0 || sent === undefined) return undefined;
  const last = Number(sent.find(([one]) => one === 'page')?.[1] ?? 1);
  return [['page', String(last + 1)]] as const;
}

/** Where services say how their lists go on. */
function listPlaces(envelope: unknown): readonly Row[] {
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
