import type { ApiCall, RawRequest } from '../api/client.ts';
import { allOperations } from '../api/operations.ts';
import { formatShortfallWarning, type Row } from '../api/page.ts';
import type { ApiReply } from '../api/reply.ts';
import { readSecrets } from '../changes/input/files.ts';
import { createSingleLog } from '../changes/log.ts';
import { failAfter, printChange } from '../changes/report.ts';
import { type Command, defineCommand, type Noun } from '../cli/command.ts';
import type { Flag, OptionValues } from '../cli/flag.ts';
import { createQueryError, Failure, hasUnknownOutcome, toFailureJson, UsageError } from '../errors.ts';
import { isSecretKey } from '../http/redact.ts';
import type { HttpQuery, HttpResponse, Method } from '../http/transport.ts';
import { isRecord, isSameJson, parseJson, toText } from '../json.ts';
import { safeCell } from '../output/safe-text.ts';
import type { CompiledQuery } from '../query/run.ts';
import type { Run } from '../run.ts';
import { SERVICE_EXITS } from './outputs.ts';

/** `ttctl api [method] <path>`: any call, documented or not. Sends what it is told and never asks. */
export function api(noun: Noun): Command {
  const paths = [...new Set(allOperations.map(({ path }) => path))].filter((path) => !path.includes('{'));
  return defineCommand({
    ...noun,
    examples: [
      'ttctl api /leaves/balances --method GET --field date_from=2026-01-01 --field date_to=2026-12-31',
      'ttctl api /members --paginate --query "[].email"',
      'ttctl api --method PUT /members/17 --typed-field weekly_hours_limit=32',
    ],
    more: MORE,
    writes: true,
    prints: {
      shape: 'document',
      about: 'the whole response of the service; with --paginate, an array of the records',
    },
    exits: [...SERVICE_EXITS, 9],
    asks: false,
    positionals: [
      { name: 'method', about: 'same as --method', required: false, offers: [...METHODS, ...paths] },
      { name: 'path', about: 'path under the base URL: /members', required: true, offers: paths },
    ],
    flags: FLAGS,
    run: (run, { targets, options }) => sendApiCall(run, targets, options),
  });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const FLAGS = [
  { name: 'method', short: 'X', value: 'method', about: 'default GET, or POST with a body', offers: METHODS },
  { name: 'param', value: 'name=value', about: 'add a query parameter', repeatable: true },
  {
    name: 'field',
    short: 'f',
    value: 'name=value',
    about: 'add a text field; name:=json adds JSON',
    repeatable: true,
  },
  {
    name: 'typed-field',
    short: 'F',
    value: 'name=value',
    about: 'add a field; numbers, true, false, null keep their type',
    repeatable: true,
  },
  { name: 'input', value: 'file', about: 'read the JSON body from a file, or - for stdin' },
  {
    name: 'header',
    short: 'H',
    value: 'name:value',
    about: 'add a header; @file reads it from a file',
    repeatable: true,
  },
  { name: 'no-workspace', about: 'do not add workspace_id', unsafe: true },
  { name: 'include', short: 'i', about: 'print the status line and the headers before the response' },
  { name: 'paginate', about: 'fetch all pages and print one array of their records' },
] as const satisfies readonly Flag[];

type ApiOptions = OptionValues<typeof FLAGS>;

const MORE = [
  {
    title: 'Fields',
    text: 'Without a method, fields and --input mean POST. With GET, fields are sent in the query. They override those of --input. -F keeps true, false, null and numbers; @file is the text of a file (@- of stdin). A header @file reads headers, also secret ones, from the lines of a file.',
  },
  {
    title: 'Output',
    text: 'Prints the response as JSON. --query sees the whole response, with --paginate the array of all records, or where they are not in data names them: --paginate --query items. A response of another type (text/csv) is printed as it is, unless --output or --query is given.',
  },
  {
    title: 'No confirmation',
    text: 'Sends the request without confirmation, even a DELETE. Use --dry-run to preview it. It is in the history, but cannot be undone.',
  },
];

async function sendApiCall(run: Run, words: readonly string[], options: ApiOptions): Promise<void> {
  const { output, settings } = run;
  const request = await buildApiRequest(run, words, options);
  const isRead = request.method === 'GET';
  checkOptions(run, isRead, options);
  const { query: expression } = settings;
  const query = expression && (await (await import('../query/run.ts')).compileQuery(expression.value));
  if (options.paginate === true) {
    const { records, isPicked, total, doubt } = await readAllPages(run, request, query);
    if (total === undefined && doubt !== undefined) output.warn(`the list may be incomplete: ${doubt}`);
    if (total !== undefined && records.length < total)
      output.warn(formatShortfallWarning('records', { came: records.length, total }));
    // The query sees all records; where they are not in `data`, it has named them on each page.
    return output.document(query === undefined || isPicked ? records : query(records), true);
  }
  let response: HttpResponse | undefined;
  const anyType = expression === undefined && (options.include === true || !namesOutput(run));
  const onResponse: RawRequest['onResponse'] = (last) => {
    response = options.include === true ? last : undefined;
  };
  const call = { ...request, anyType, onResponse };
  const reply = await (isRead ? run.raw(call) : sendRawWrite(run, call)).catch((error: unknown) =>
    failAfter(run, printHead(run, response, true), error),
  );
  const { planned, bytes, envelope } = reply;
  if (planned !== undefined)
    return output.result({ target: request.path, status: 'planned', operation: 'api', request: planned });
  const print = async (): Promise<void> => {
    await printHead(run, response, false);
    if (bytes !== undefined) return output.bytes(bytes);
    try {
      await output.document(query === undefined ? envelope : query(envelope), true);
    } catch (error) {
      if (isRead || !(error instanceof UsageError)) throw error;
      // After a write it is too late to refuse the query: the whole answer is printed.
      await output.document(envelope, true);
      throw createQueryError(error);
    }
  };
  if (isRead) return print();
  await printChange(run, print(), { text: `${request.method} ${request.path} done` });
}

/** Sends a write as it is given, and writes it down: its records are not known, so it can be told, and not undone. */
async function sendRawWrite(run: Run, request: RawRequest): Promise<ApiReply> {
  const target = `${request.method} ${request.path}`;
  const operation = { id: 'api', method: request.method, path: '{path}' };
  const call = { operation, values: {} } as unknown as ApiCall;
  const change = { n: 0, key: target, target, after: {}, call, columns: {} };
  const words = { verb: ['send', 'sent'], noun: ['request', 'requests'] } as const;
  const log = await createSingleLog(run, words, change);
  if (log === undefined) return run.raw(request);
  const requestId = log.entryId(0);
  const end = (status: 'done' | 'failed' | 'unknown', failure?: Failure, answered?: number) => {
    const error = failure && { message: failure.message, error: toFailureJson(failure) };
    const result = { target, operation: operation.id, status, ...error };
    run.requests.result(result, requestId);
    return log.logResult(change, { ...result, answered });
  };
  try {
    const reply = await run.raw({ ...request, requestId, beforeSend: () => log.beforeSend(change) });
    await end('done', undefined, reply.status);
    return reply;
  } catch (error) {
    if (error instanceof Failure) await end(hasUnknownOutcome(error) ? 'unknown' : 'failed', error);
    throw error;
  }
}

function namesOutput({ settings: { output } }: Run): boolean {
  return output.from === 'flag' && output.name !== '--query';
}

function checkOptions(run: Run, isRead: boolean, { paginate, include }: ApiOptions): void {
  const { output, columns, sort } = run.settings;
  const isTable = namesOutput(run) && output.value.shape !== 'document';
  if (isTable || columns?.from === 'flag' || sort?.from === 'flag')
    throw new UsageError('api prints JSON', {
      hint: 'Choose from it with --query, or use a command that prints tables: ttctl --help',
    });
  if (paginate === true && !isRead)
    throw new UsageError('--paginate works only with GET', {
      hint: 'With -X GET, fields are sent in the query.',
    });
  if (include === true && paginate === true)
    throw new UsageError('--include prints a single response', { hint: 'Omit --paginate.' });
}

const REASONS: Readonly<Record<number, string>> = {
  ...{ 200: 'OK', 201: 'Created', 204: 'No Content', 400: 'Bad Request', 401: 'Unauthorized' },
  ...{ 403: 'Forbidden', 404: 'Not Found', 409: 'Conflict', 422: 'Unprocessable Entity' },
  ...{ 429: 'Too Many Requests', 500: 'Internal Server Error', 503: 'Service Unavailable' },
};

/** Status line and headers; of a refusal, which is told on stderr, the body too where it is JSON. */
async function printHead(run: Run, response: HttpResponse | undefined, isRefused: boolean): Promise<void> {
  if (response === undefined || response.planned !== undefined) return;
  const { status, headers, body } = response;
  const { redactor } = run.machine;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${redactor.header(name, value)}`);
  await run.output.text(
    `${[`HTTP/1.1 ${status} ${REASONS[status] ?? ''}`.trimEnd(), ...lines].map(safeCell).join('\n')}\n\n`,
  );
  const parsed = isRefused ? parseJson(body) : undefined;
  if (parsed !== undefined && 'value' in parsed) await run.output.document(parsed.value, true);
}

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

/** Checked, but not against the table. Fields are the query of a GET, and the body of every other request. */
async function buildApiRequest(
  run: Run,
  words: readonly string[],
  { method: flag, header = [], workspace, input: file }: ApiOptions,
): Promise<RawRequest> {
  const { body: fields, query: params } = run.extra;
  const input: unknown = file === undefined ? undefined : run.extra.input;
  const [word, text = ''] = words.length > 1 ? words : [undefined, ...words];
  if (word === undefined && METHODS.includes(text.toUpperCase()))
    throw new UsageError('missing <path>', {
      hint: `Write the path too: ${run.commandLine`ttctl api -X ${text} /members`}`,
    });
  const hasFields = Object.keys(fields).length > 0;
  const given = [flag, word].flatMap((one) => one?.toUpperCase() ?? []);
  const wrong = given.findIndex((one) => !METHODS.includes(one));
  const [first = hasFields || input !== undefined ? 'POST' : 'GET', other = first] = given;
  if (wrong >= 0)
    throw new UsageError(`"${[flag, word].filter(Boolean)[wrong]}" is not an HTTP method`, {
      hint: given[wrong]?.includes('/')
        ? 'One path is taken. To filter the response, use --query with a JMESPath expression.'
        : `Use ${METHODS.join(', ')}.`,
    });
  if (other !== first)
    throw new UsageError(`the method is both ${first} and ${other}`, { hint: 'Name it once.' });
  const method = first as Method;
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

/** @param base the base URL of this run: an address below it is a path too */
function parsePath(text: string, base: string | undefined): { path: string; query: HttpQuery } {
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
async function readAllPages(run: Run, raw: RawRequest, query: CompiledQuery | undefined) {
  const size = raw.query.find(([name]) => name === 'per_page') ?? (['per_page', '100'] as const);
  const filters = [size, ...raw.query.filter(([name]) => name !== 'page' && name !== 'per_page')];
  const records: unknown[] = [];
  const asked = new Set<string>();
  let sent: HttpQuery = [['page', '1']];
  for (let previous: readonly unknown[] = []; ; ) {
    const names = new Set(sent.map(([name]) => name));
    asked.add(JSON.stringify(sent));
    const reply = await run.raw({
      ...raw,
      query: [...filters.filter(([name]) => !names.has(name)), ...sent],
    });
    run.interrupted.throwIfAborted();
    const page = pickRecords(reply, raw.path, query);
    const places = listPlaces(reply.envelope);
    const total =
      reply.pagination?.total ?? places.map(({ total }) => total).find((one) => typeof one === 'number');
    const read = { records, total, isPicked: !Array.isArray(reply.data), doubt: undefined };
    if (page.length > 0 && isSameJson(page, previous))
      return { ...read, doubt: 'the service sent the same page again' };
    for (const record of page) records.push(record);
    previous = page;
    const isWhole = page.length === 0 || (total !== undefined && records.length >= total);
    const step = findNext(reply, places, isWhole ? undefined : sent);
    if (step === undefined) return read;
    const next = typeof step === 'string' ? readAddress(step, `${run.base()}${raw.path}`) : step;
    if (next === undefined) return { ...read, doubt: `the next page is at another address: ${step}` };
    if (asked.has(JSON.stringify(next)))
      return { ...read, doubt: 'the next page is one that was read before' };
    sent = next;
  }
}

function pickRecords({ data, envelope }: ApiReply, path: string, query: CompiledQuery | undefined) {
  const records: unknown = Array.isArray(data) ? data : query?.(envelope);
  if (Array.isArray(records)) return records as readonly unknown[];
  throw new UsageError(`--paginate needs a list, but ${path} did not return one`, {
    hint: 'Name the records with --query, for example: --paginate --query items',
  });
}

/** @param sent the query of this page, where there may be more though nothing says so */
function findNext({ pagination }: ApiReply, places: readonly Row[], sent: HttpQuery | undefined) {
  const toPage = (page: unknown): HttpQuery => [['page', String(page)]];
  const { page, lastPage } = pagination ?? {};
  if (page !== undefined && lastPage !== undefined) return page < lastPage ? toPage(page + 1) : undefined;
  const told = places.flatMap((place) =>
    NEXT_NAMES.filter((name) => place[name] !== undefined)
      .slice(0, 1)
      .map((name) => [name, toText(place[name] ?? '')] as const),
  );
  const [name, value] = told.find(([, text]) => text !== '') ?? [];
  if (value !== undefined && name === 'next_cursor') return [['cursor', value]] as const;
  if (value !== undefined) return /^\d+$/.test(value) ? toPage(value) : value;
  if (told.length > 0 || sent === undefined) return undefined;
  return toPage(Number(sent.find(([one]) => one === 'page')?.[1] ?? 1) + 1);
}

function listPlaces(envelope: unknown): readonly Row[] {
  if (!isRecord(envelope)) return [];
  const { meta, pagination, links } = envelope;
  const inner = isRecord(meta) ? [meta['pagination'], meta['links']] : [];
  return [envelope, links, meta, pagination, ...inner].filter(isRecord);
}

function readAddress(address: string, list: string): HttpQuery | undefined {
  if (!URL.canParse(address, list)) return undefined;
  const [next, here] = [new URL(address, list), new URL(list)];
  const isSame = next.origin === here.origin && next.pathname === here.pathname;
  return isSame ? [...next.searchParams] : undefined;
}
