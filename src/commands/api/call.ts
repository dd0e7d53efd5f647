import type { RawRequest } from '../../api/raw.ts';
import type { ApiReply } from '../../api/reply.ts';
import { sendRawWrite } from '../../changes/raw-write.ts';
import { captureOutputFailure, warnUnprinted } from '../../changes/report-one.ts';
import type { Context } from '../../context.ts';
import type { HttpResponse } from '../../http/transport.ts';
import { EXIT, OutputError, UsageError } from '../../outcome.ts';
import { checkPrintOptions, type PrintOptions, printAllPages, printHead, printReply } from './print.ts';
import { buildApiRequest, type RequestOptions } from './request.ts';

/** After a write it is too late to refuse how its answer is to be printed. */
const toOutputError = (error: unknown): never => {
  if (!(error instanceof UsageError)) throw error;
  const { message, code, hint, reason } = error;
  throw new OutputError(message, { code, exit: EXIT.fault, reason, hint, cause: error });
};

const printAnswer = async (
  context: Context,
  { method, path }: RawRequest,
  reply: ApiReply,
  print: () => Promise<void>,
): Promise<void> => {
  if (reply.planned !== undefined)
    return context.output.result({
      target: path,
      status: 'planned',
      operation: 'api',
      request: reply.planned,
    });
  if (method === 'GET') return print();
  const outputFailure = await captureOutputFailure(print().catch(toOutputError));
  warnUnprinted(context, outputFailure, { text: `${method} ${path} done` });
};

/** Sends the call that the command line gives, and prints what the service answers. */
export const sendApiCall = async (
  context: Context,
  words: readonly string[],
  options: RequestOptions & PrintOptions,
): Promise<void> => {
  const request = await buildApiRequest(context, words, options);
  checkPrintOptions(context, request, options);
  if (options.paginate === true) return printAllPages(context, request, options);
  let response: HttpResponse | undefined;
  const onResponse = (last: HttpResponse): void => {
    response = options.include === true ? last : undefined;
  };
  const send = request.method === 'GET' ? context.raw : sendRawWrite.bind(undefined, context);
  const reply = await send({ ...request, onResponse }).catch(async (error: unknown) => {
    await captureOutputFailure(printHead(context, response, true));
    throw error;
  });
  return printAnswer(context, request, reply, async () => {
    await printHead(context, response, false);
    await printReply(context, reply, options);
  });
};
