import type { ApiCall } from '../api/client.ts';
import type { RawRequest } from '../api/raw.ts';
import type { ApiReply } from '../api/reply.ts';
import type { Context, TargetResult } from '../context.ts';
import { Failure, hasUnknownOutcome, toFailureJson } from '../outcome.ts';
import { formatEntryId } from './job/record.ts';
import { openSingleLog } from './send-single.ts';

/** What the history calls a write outside the table of operations. */
const RAW = 'api';

/** Nothing is known of its records, so that it can be told, and not undone. */
const toRawCall = ({ method }: RawRequest): ApiCall =>
  ({ operation: { id: RAW, method, path: '{path}' }, values: {} }) as unknown as ApiCall;

/** Sends a write outside the table as it is given, and writes it down. @throws as `Context.raw` */
export const sendRawWrite = async (context: Context, request: RawRequest): Promise<ApiReply> => {
  const call = toRawCall(request);
  const target = `${request.method} ${request.path}`;
  const change = { target, call, after: {} };
  const log = await openSingleLog(context, { verb: ['send', 'sent'], noun: ['request', 'requests'] }, change);
  if (log === undefined) return context.raw(request);
  const base = { target, operation: RAW };
  const requestId = formatEntryId(log.id, 0);
  const end = (status: TargetResult['status'], failure?: Failure) => {
    const error = failure && { message: failure.message, error: toFailureJson(failure) };
    const result = { ...base, status, ...error };
    context.events.result(result, requestId);
    return log.logResult(0, { result });
  };
  try {
    const reply = await context.raw({
      ...request,
      requestId,
      beforeSend: () => log.beforeSend({ ...change, n: 0 }, { before: undefined, observation: undefined }),
    });
    await end('done');
    return reply;
  } catch (error) {
    if (error instanceof Failure) await end(hasUnknownOutcome(error) ? 'unknown' : 'failed', error);
    throw error;
  }
};
