import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { toFailureJson } from '../errors.ts';
import { checkAccepted, checkRates } from './accepted.ts';
import type { Change } from './change.ts';
import { getWriteKind, type LookOptions, type LookResult, lookForLost } from './look-up.ts';
import { findRule } from './outcomes.ts';
import type { Reconciliation } from './reconcile.ts';
import { createDoneResult, toFailure, toReason } from './send.ts';
import type { OpenResult, SendResult } from './send-result.ts';
import { explainSilence } from './unknown-outcome.ts';

/** Settles writes whose answers left open what became of them. */

type SettleContext = Pick<Context, 'clock' | 'settings' | 'interrupted' | 'events' | 'output'>;

interface SettleOptions extends Pick<LookOptions<never>, 'isResumed'> {
  /** The command line that looks again later, and sends only what is then shown not done. */
  readonly resumeLine?: string | undefined;
}

/**
 * Looks at all of them together, and tells of each as soon as it is settled.
 * @throws as `lookForLost`
 */
export async function settleOpen(
  context: SettleContext,
  open: readonly OpenResult[],
  settle: (sent: OpenResult, final: SendResult) => Promise<void>,
  { isResumed, resumeLine }: SettleOptions = {},
): Promise<void> {
  const isLost = (sent: OpenResult): sent is LostResult => !('rate' in sent.open);
  const writes = open.filter(isLost).map((sent) => ({ ...sent.open, sent }));
  // A rate that is open twice was so by its answer, and by the record that shows a lost write done.
  const rates = new Map<RateResult, OpenResult>();
  for (const sent of open) if (!isLost(sent)) rates.set(sent as RateResult, sent);
  let isTold = false;
  await lookForLost(context, writes, {
    isResumed,
    onWait: (ms) => {
      if (!isTold && ms >= TELL_FROM_MS) context.output.note(formatWait(ms, writes.length, isResumed));
      isTold ||= ms >= TELL_FROM_MS;
    },
    settle: async ({ sent }, finding) => {
      context.events.reconciled(sent.result, toReason(finding.shown), sent.requestId);
      const isAlone = writes.length === 1 && isResumed !== true;
      const settled = await toFinal(sent, finding, isAlone, resumeLine);
      const final =
        isResumed === true && finding.shown === 'not-done'
          ? { ...settled, isNotDone: true as const }
          : settled;
      if (final.open !== undefined) rates.set(final as RateResult, sent);
      else await settle(sent, final);
    },
  });
  await checkRates(context, [...rates.keys()], async (rate, { open: _, ...judged }) => {
    const { open: __, ...known } = rate;
    await settle(rates.get(rate) as OpenResult, { ...known, ...judged });
  });
}

type LostResult = OpenResult<Exclude<OpenResult['open'], { readonly rate: true }>>;
type RateResult = OpenResult<Extract<OpenResult['open'], { readonly rate: true }>>;

/** A shorter wait needs no words. */
const TELL_FROM_MS = 2000;

function formatWait(ms: number, count: number, isResumed = false): string {
  const seconds = Math.ceil(ms / 1000);
  if (isResumed)
    return `Waiting ${seconds} s before checking again: the service may still be at work on what was sent.`;
  const what = count === 1 ? 'the response was lost' : `${count} responses were lost`;
  return `Checking whether it was done: ${what}, and the records do not show it yet.`;
}

/** @param isAlone whether its record is read whole: of many that takes a request each */
async function toFinal(
  { open, failure: _, ...sent }: LostResult,
  { shown, record }: LookResult,
  isAlone: boolean,
  resumeLine: string | undefined,
): Promise<SendResult> {
  const { reconciliation, failure, lostAt } = open;
  const { target, operation } = sent.result;
  if (shown === 'done') {
    const done = createDoneResult(target, operation, failure.message);
    if (record === undefined) return { ...sent, result: done, lostAnswer: failure };
    const data = isAlone ? await readWhole(reconciliation, record) : record;
    return { ...sent, lostAnswer: failure, ...checkAccepted(reconciliation, { ...done, data }) };
  }
  const { status, hint } = findRule('silence', getWriteKind(reconciliation), shown);
  const change: Pick<Change, 'call' | 'target'> = { call: reconciliation.call, target };
  const end = explainSilence(failure, change, shown, hint === 'resume' ? resumeLine : undefined);
  const result = { target, operation, status, message: end.message, error: toFailureJson(end) };
  return { ...sent, result, failure: end, lostAt };
}

/** The new record as the service would have answered with it; where it cannot be read, as the list has it. */
async function readWhole({ api, call, reconciler }: Reconciliation, record: Row): Promise<Row> {
  try {
    return (await reconciler?.whole?.(api, record, call.values)) ?? record;
  } catch (error) {
    toFailure(error);
    return record;
  }
}
