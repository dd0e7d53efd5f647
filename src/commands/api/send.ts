import type { RawRequest } from '../../api/raw.ts';
import { captureOutputFailure, warnUnprinted } from '../../changes/report.ts';
import { sendRawWrite } from '../../changes/send-single.ts';
import type { Context } from '../../context.ts';
import type { HttpResponse } from '../../http/transport.ts';
import { parseJson } from '../../json/parse.ts';
import { EXIT, OutputError, UsageError } from '../../outcome.ts';
import type { CompiledQuery } from '../../query/compile.ts';
import { readAllPages } from './pages.ts';
import { buildApiRequest, type RequestOptions } from './request.ts';

interface ApiOptions extends RequestOptions {
  readonly paginate?: boolean | undefined;
  readonly include?: boolean | undefined;
}

/** Sends the call that the command line gives, and prints what the service answers. */
export async function sendApiCall(
  context: Context,
  words: readonly string[],
  options: ApiOptions,
): Promise<void> {
  const { output, settings } = context;
  const request = await buildApiRequest(context, words, options);
  const isRead = request.method === 'GET';
  checkOptions(context, isRead, options);
  const { query: expression } = settings;
  const query = expression && (await (await import('../../query/compile.ts')).compileQuery(expression.value));
  if (options.paginate === true) return printPages(context, request, query);
  let response: HttpResponse | undefined;
  const call: RawRequest = {
    ...request,
    anyType: expression === undefined && (options.include === true || !namesOutput(context)),
    onResponse: (last) => {
      response = options.include === true ? last : undefined;
    },
  };
  const sending = isRead ? context.raw(call) : sendRawWrite(context, call);
  const reply = await sending.catch(async (error: unknown) => {
    await captureOutputFailure(printHead(context, response, true));
    throw error;
  });
  const { planned: request_, bytes, envelope } = reply;
  if (request_ !== undefined)
    return output.result({ target: request.path, status: 'planned', operation: 'api', request: request_ });
  const print = async (): Promise<void> => {
    await printHead(context, response, false);
    if (bytes !== undefined) return output.bytes(bytes);
    await printAnswer(context, envelope, query, isRead);
  };
  if (isRead) return print();
  warnUnprinted(context, await captureOutputFailure(print()), {
    text: `${request.method} ${request.path} done`,
  });
}

/** Whether the command line names a format. */
const namesOutput = ({ settings: { output } }: Context): boolean =>
  output.from === 'flag' && output.name !== '--query';

/** @throws UsageError for options that contradict each other, and for what only tables have */
function checkOptions(context: Context, isRead: boolean, { paginate, include }: ApiOptions): void {
  const { output, columns, sort } = context.settings;
  const isTable = namesOutput(context) && output.value.shape !== 'document';
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

/** After a write it is too late to refuse the query: then the whole answer is printed. */
async function printAnswer(
  { output }: Context,
  envelope: unknown,
  query: CompiledQuery | undefined,
  isRead: boolean,
): Promise<void> {
  let answer = envelope;
  try {
    if (query !== undefined) answer = query(envelope);
  } catch (error) {
    if (isRead || !(error instanceof UsageError)) throw error;
    await output.document(envelope, true);
    const { message, code, reason } = error;
    throw new OutputError(message, {
      code,
      exit: EXIT.fault,
      reason,
      hint: 'Only the query failed; do not run the command again. The whole result is on stdout.',
      cause: error,
    });
  }
  return output.document(answer, true);
}

/** Status line and headers; of a refusal, which is told on stderr, the body too where it is JSON. */
async function printHead(
  context: Context,
  response: HttpResponse | undefined,
  isRefused: boolean,
): Promise<void> {
  if (response === undefined || response.planned !== undefined) return;
  await context.output.text(await context.formatHead(response));
  const parsed = isRefused ? parseJson(response.body) : undefined;
  if (parsed !== undefined && 'value' in parsed) await context.output.document(parsed.value, true);
}

/** The query sees all records; where they are not in `data`, it has named them on each page. */
async function printPages(
  context: Context,
  request: RawRequest,
  query: CompiledQuery | undefined,
): Promise<void> {
  const { records, isPicked } = await readAllPages(context, request, query);
  await context.output.document(query === undefined || isPicked ? records : query(records), true);
}
