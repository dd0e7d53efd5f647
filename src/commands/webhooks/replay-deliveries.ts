import { reportLocal } from '../../changes/report-results.ts';
import { readTargets } from '../../changes/select.ts';
import type { SendResult } from '../../changes/send.ts';
import type { Context } from '../../context.ts';
import { toFailureJson, UsageError } from '../../outcome.ts';
import type { ForwardingOptions, WebhookService } from '../../webhooks/service.ts';
import { readForwardingFlags, readStoreFlag } from './receiving.ts';

/** The course of `webhooks replay`. */

interface Way {
  readonly service: WebhookService;
  readonly store: string | undefined;
  readonly to: ForwardingOptions;
}

const OPERATION = 'webhooks.replay';

const replayOne = async (target: string, key: string, { service, store, to }: Way): Promise<SendResult> => {
  const { words: message, failure } = await service.replay(key, store, to);
  if (failure === undefined) return { result: { target, operation: OPERATION, status: 'done', message } };
  const error = toFailureJson(failure);
  const result = { target, operation: OPERATION, status: 'failed', message: failure.message, error } as const;
  return { result, failure };
};

/** One after the other, as they came. */
async function* course(
  { settings, interrupted }: Context,
  targets: readonly string[],
  keys: readonly string[],
  way: Way,
): AsyncGenerator<SendResult> {
  const message = [way.to.forward, way.to.exec].filter(Boolean).join(', then ');
  for (const [i, target] of targets.entries()) {
    const about = { target, operation: OPERATION };
    if (interrupted.aborted) yield { result: { ...about, status: 'skipped', message: 'interrupted' } };
    else if (settings.dryRun.value) yield { result: { ...about, status: 'planned', message } };
    else yield await replayOne(target, keys[i] ?? '', way);
  }
}

/** @throws UsageError for what is not kept; the failure of what was not taken, after all results are printed */
export const replayDeliveries = async (
  context: Context,
  named: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const [to, store] = [readForwardingFlags(options), readStoreFlag(options)];
  if (to.forward === undefined && to.exec === undefined) {
    throw new UsageError('no destination to replay to', { hint: 'Add --forward <url> or --exec <command>.' });
  }
  const service = await context.webhooks();
  const targets = await readTargets(context, named, 'delivery');
  if (targets.length === 0) context.output.note('No deliveries to replay.');
  const keys = service.keys(targets, store);
  const words = { verb: ['replay', 'replayed'], noun: ['delivery', 'deliveries'] } as const;
  await reportLocal(
    context,
    words,
    course(context, targets, keys, { service: service, store, to }),
    targets.length,
  );
};
