import type { Api, ApiCall } from '../api/client.ts';
import type { RawRequest } from '../api/raw.ts';
import type { ApiReply } from '../api/reply.ts';
import type { Context } from '../context.ts';
import { Cancelled, Failure, hasUnknownOutcome, toFailureJson } from '../errors.ts';
import type { Result } from '../output/result.ts';
import { type Change, type RunWords, toSingleChange } from './change.ts';
import { createSingleLog } from './job/log.ts';
import { formatEntryId } from './job/record.ts';
import { type SendOneOptions, sendWithExitNotice } from './send.ts';
import { isOpen, type SendResult } from './send-result.ts';

/** A write that is not one of several, with its entry in the history. */

/** As `sendWithExitNotice`, written down. @param api makes the look-ups */
export const sendSingle = async (
  context: Context,
  words: RunWords,
  change: Change,
  options: SendOneOptions = {},
  api: Api = context.api,
): Promise<SendResult> => {
  // After an interrupt what is still to be done is done, whether it can be written down or not.
  const log = await createSingleLog(context, words, change).catch((error: unknown) => {
    if (error instanceof Cancelled) return undefined;
    throw error;
  });
  const { clock, exitNotices, settings, events, output } = context;
  const sent = await sendWithExitNotice({ api, clock, exitNotices }, change, {
    ...options,
    ...(log && {
      requestId: formatEntryId(log.id, 0),
      beforeSend: (before, observation) => log.beforeSend(change, { before, observation }),
    }),
  });
  let final: SendResult = sent;
  if (isOpen(sent)) {
    const { settleOpen } = await import('./settle.ts');
    // What is still to be done after an interrupt is looked at as any other.
    const interrupted = api === context.api ? context.interrupted : new AbortController().signal;
    await settleOpen(
      { clock, settings, events, output, interrupted },
      [sent],
      async (_, settled) => {
        final = settled;
      },
      { resumeLine: log?.resumeLine },
    );
  }
  await log?.logResult(0, final);
  return final;
};

/** What the history calls a write outside the table of operations. */
const RAW = 'api';

/** Nothing is known of its records, so that it can be told, and not undone. */
const toRawCall = ({ method }: RawRequest): ApiCall =>
  ({ operation: { id: RAW, method, path: '{path}' }, values: {} }) as unknown as ApiCall;

/** Sends a write outside the table as it is given, and writes it down. @throws as `Context.raw` */
export const sendRawWrite = async (context: Context, request: RawRequest): Promise<ApiReply> => {
  const call = toRawCall(request);
  const target = `${request.method} ${request.path}`;
  const change = toSingleChange(call, target);
  const log = await createSingleLog(
    context,
    { verb: ['send', 'sent'], noun: ['request', 'requests'] },
    change,
  );
  if (log === undefined) return context.raw(request);
  const base = { target, operation: RAW };
  const requestId = formatEntryId(log.id, 0);
  const end = (status: Result['status'], failure?: Failure) => {
    const error = failure && { message: failure.message, error: toFailureJson(failure) };
    const result = { ...base, status, ...error };
    context.events.result(result, requestId);
    return log.logResult(0, { result });
  };
  try {
    const reply = await context.raw({
      ...request,
      requestId,
      beforeSend: () => log.beforeSend(change, { before: undefined, observation: undefined }),
    });
    await end('done');
    return reply;
  } catch (error) {
    if (error instanceof Failure) await end(hasUnknownOutcome(error) ? 'unknown' : 'failed', error);
    throw error;
  }
};
