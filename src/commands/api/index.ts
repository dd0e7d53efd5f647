import type { ApiCall, RawRequest } from '../../api/client.ts';
import { allOperations } from '../../api/operations.ts';
import { formatShortfallWarning } from '../../api/page.ts';
import type { ApiReply } from '../../api/reply.ts';
import { createSingleLog } from '../../changes/log.ts';
import { failAfter, printChange } from '../../changes/report.ts';
import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import type { Flag } from '../../cli/flag.ts';
import { EXIT, Failure, hasUnknownOutcome, OutputError, toFailureJson, UsageError } from '../../errors.ts';
import type { HttpResponse } from '../../http/transport.ts';
import { parseJson } from '../../json.ts';
import { safeCell } from '../../output/safe-text.ts';
import type { Run } from '../../run.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { type ApiOptions, buildApiRequest, METHODS, readAllPages } from './request.ts';

/** `ttctl api [method] <path>`: any call, documented or not. Sends what it is told and never asks. */
export function api(noun: Noun): Command {
  const paths = [...new Set(allOperations.map(({ path }) => path))].filter((path) => !path.includes('{'));
  return defineCommand({
    ...noun,
    examples: [
      'ttctl api "/members?status=active"',
      'ttctl api /reports/tracked-hours --method GET --field start_date=2026-11-01 --field end_date=2026-11-30',
      'ttctl api /members --paginate --query "[].email"',
      'ttctl api --method PUT /members/17 --typed-field weekly_hours_limit=32',
      'ttctl api /webhooks --field url=https://example.com/hook --field \'events:=["tracker.started"]\'',
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
      {
        name: 'method',
        about: 'GET, POST, PUT, PATCH or DELETE; the same as --method',
        required: false,
        offers: [...METHODS, ...paths],
      },
      {
        name: 'path',
        about: 'path under the base URL, such as /members (members in Git Bash)',
        required: true,
        offers: paths,
      },
    ],
    flags: FLAGS,
    run: (context, { targets, options }) => sendApiCall(context, targets, options),
  });
}

const FLAGS = [
  {
    name: 'method',
    short: 'X',
    value: 'method',
    about: 'method of the request (default: GET, or POST with fields or --input)',
    offers: METHODS,
  },
  { name: 'param', value: 'name=value', about: 'add a query parameter', repeatable: true },
  {
    name: 'field',
    short: 'f',
    value: 'name=value',
    about: 'add a body field, or a query parameter of a GET; name:=json for values other than text',
    repeatable: true,
  },
  {
    name: 'typed-field',
    short: 'F',
    value: 'name=value',
    about:
      'add a field; true, false, null and numbers keep their type; @file is the text of a file (@- of stdin)',
    repeatable: true,
  },
  { name: 'input', value: 'file', about: 'read the JSON body from a file, or - for stdin' },
  {
    name: 'header',
    short: 'H',
    value: 'name:value',
    about: 'add a request header; @file reads headers, also secret ones, from the lines of a file',
    repeatable: true,
  },
  { name: 'no-workspace', about: 'do not add workspace_id', unsafe: true },
  { name: 'include', short: 'i', about: 'print the status line and the headers before the response' },
  { name: 'paginate', about: 'fetch all pages and print one array of their records' },
] as const satisfies readonly Flag[];

const MORE = [
  {
    title: 'Fields',
    text: 'Without a method, fields and --input mean POST. With GET, fields are sent in the query. Fields override those in the object of --input. For nested JSON, use --input or name:=json.',
  },
  {
    title: 'Output',
    text: 'Prints the response as JSON. --query sees the whole response, with --paginate the array of all records; where the records are not in data, it is applied to each page and names them: --paginate --query items. A response of another type (text/csv, an image) is printed as it is, unless --output or --query is given.',
  },
  {
    title: 'No confirmation',
    text: 'Sends the request without confirmation, even a DELETE. Use --dry-run to preview it. It is recorded in the history, but cannot be undone: ttctl does not know what it changed.',
  },
];

/** Sends the call that the command line gives, and prints what the service answers. */
async function sendApiCall(run: Run, words: readonly string[], options: ApiOptions): Promise<void> {
  const { output, settings } = run;
  const request = await buildApiRequest(run, words, options);
  const isRead = request.method === 'GET';
  checkOptions(run, isRead, options);
  const { query: expression } = settings;
  const query = expression && (await (await import('../../query/run.ts')).compileQuery(expression.value));
  if (options.paginate === true) {
    const { records, isPicked, total, doubt } = await readAllPages(run, request, query);
    if (total === undefined && doubt !== undefined) output.warn(`the list may be incomplete: ${doubt}`);
    if (total !== undefined && records.length < total)
      output.warn(formatShortfallWarning('records', { came: records.length, total }));
    // The query sees all records; where they are not in `data`, it has named them on each page.
    return output.document(query === undefined || isPicked ? records : query(records), true);
  }
  let response: HttpResponse | undefined;
  const call: RawRequest = {
    ...request,
    anyType: expression === undefined && (options.include === true || !namesOutput(run)),
    onResponse: (last) => {
      response = options.include === true ? last : undefined;
    },
  };
  const sending = isRead ? run.raw(call) : sendRawWrite(run, call);
  const reply = await sending.catch((error: unknown) =>
    failAfter(run, printHead(run, response, true), error),
  );
  const { planned: request_, bytes, envelope } = reply;
  if (request_ !== undefined)
    return output.result({ target: request.path, status: 'planned', operation: 'api', request: request_ });
  const print = async (): Promise<void> => {
    await printHead(run, response, false);
    if (bytes !== undefined) return output.bytes(bytes);
    try {
      await output.document(query === undefined ? envelope : query(envelope), true);
    } catch (error) {
      if (isRead || !(error instanceof UsageError)) throw error;
      // After a write it is too late to refuse the query: the whole answer is printed.
      await output.document(envelope, true);
      const hint = 'Only the query failed; do not run the command again. The whole result is on stdout.';
      const { code, reason } = error;
      throw new OutputError(error.message, { code, exit: EXIT.fault, reason, hint, cause: error });
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
    run.events.result(result, requestId);
    return log.logResult(change, { ...result, answered });
  };
  try {
    const beforeSend = () => log.beforeSend(change);
    const reply = await run.raw({ ...request, requestId, beforeSend });
    await end('done', undefined, reply.status);
    return reply;
  } catch (error) {
    if (error instanceof Failure) await end(hasUnknownOutcome(error) ? 'unknown' : 'failed', error);
    throw error;
  }
}

/** Whether the command line names a format. */
function namesOutput({ settings: { output } }: Run): boolean {
  return output.from === 'flag' && output.name !== '--query';
}

/** @throws UsageError for options that contradict each other, and for what only tables have */
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

/** The words of the statuses that the service is documented to answer with. */
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
