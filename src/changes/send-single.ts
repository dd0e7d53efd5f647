import type { Api } from '../api/client.ts';
import type { Context } from '../context.ts';
import { Cancelled } from '../outcome.ts';
import type { Change, RunWords } from './change.ts';
import type { SingleLog, WrittenChange } from './job/log.ts';
import { formatEntryId } from './job/record.ts';
import { type SendOneOptions, sendWithExitNotice } from './send.ts';
import { isOpen, type SendResult } from './send-result.ts';

/** A write that is not one of several, with its entry in the history. */

/** The history of a write that is no run of several; loaded for writes that are sent. */
export const openSingleLog = async (
  context: Context,
  words: RunWords,
  change: WrittenChange,
): Promise<SingleLog | undefined> => {
  if (context.settings.dryRun.value) return undefined;
  const { createSingleLog } = await import('./job/log.ts');
  return createSingleLog(context, words, change);
};

/** As `sendWithExitNotice`, written down. @param api makes the look-ups */
export const sendSingle = async (
  context: Context,
  words: RunWords,
  change: Change,
  options: SendOneOptions = {},
  api: Api = context.api,
): Promise<SendResult> => {
  // After an interrupt what is still to be done is done, whether it can be written down or not.
  const log = await openSingleLog(context, words, change).catch((error: unknown) => {
    if (error instanceof Cancelled) return undefined;
    throw error;
  });
  const row = { ...change, n: 0 };
  const { clock, exitNotices, settings, events, output } = context;
  const sent = await sendWithExitNotice({ api, clock, exitNotices }, change, {
    ...options,
    ...(log && {
      requestId: formatEntryId(log.id, 0),
      beforeSend: (before, observation) => log.beforeSend(row, { before, observation }),
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
