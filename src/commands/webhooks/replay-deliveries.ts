import { reportLocal } from '../../changes/report.ts';
import { readTargets } from '../../changes/select.ts';
import type { SendResult } from '../../changes/send-result.ts';
import type { Context } from '../../context.ts';
import { toFailureJson, UsageError } from '../../outcome.ts';
import type { ForwardingOptions, WebhookService } from '../../webhooks/service.ts';
import { findDeliveryId } from './delivery-columns.ts';
import { readForwardingFlags, readStoreFlag } from './receiving.ts';

/** Runs `webhooks replay`. */

interface ReplayOptions {
  readonly service: WebhookService;
  readonly store: string | undefined;
  readonly forwarding: ForwardingOptions;
}

const OPERATION = 'webhooks.replay';

const replayOne = async (
  target: string,
  key: string,
  { service, store, forwarding }: ReplayOptions,
): Promise<SendResult> => {
  const { words: message, failure } = await service.replay(key, store, forwarding);
  if (failure === undefined) return { result: { target, operation: OPERATION, status: 'done', message } };
  const error = toFailureJson(failure);
  const result = { target, operation: OPERATION, status: 'failed', message: failure.message, error } as const;
  return { result, failure };
};

/** One after the other, in the order they were received. */
async function* replayAll(
  { settings, interrupted }: Context,
  targets: readonly string[],
  keys: readonly string[],
  replayOptions: ReplayOptions,
): AsyncGenerator<SendResult> {
  const message = [replayOptions.forwarding.forward, replayOptions.forwarding.exec]
    .filter(Boolean)
    .join(', then ');
  for (const [i, target] of targets.entries()) {
    const base = { target, operation: OPERATION };
    if (interrupted.aborted) yield { result: { ...base, status: 'skipped', message: 'interrupted' } };
    else if (settings.dryRun.value) yield { result: { ...base, status: 'planned', message } };
    else yield await replayOne(target, keys[i] ?? '', replayOptions);
  }
}

/** @throws UsageError for what is not kept; the failure of what was not taken, after all results are printed */
export const replayDeliveries = async (
  context: Context,
  ids: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const [forwarding, store] = [readForwardingFlags(options), readStoreFlag(options)];
  if (forwarding.forward === undefined && forwarding.exec === undefined) {
    throw new UsageError('no destination to replay to', { hint: 'Add --forward <url> or --exec <command>.' });
  }
  if (options.failed === true && ids.length > 0)
    throw new UsageError('--failed cannot be used with named deliveries');
  const service = await context.webhooks();
  const targets =
    options.failed === true ? service.failed(store) : await readTargets(context, ids, 'delivery');
  if (targets.length === 0) context.output.note('No deliveries to replay.');
  const find = async () =>
    service.keys(await Promise.all(targets.map((target) => findDeliveryId(context, target, store))), store);
  const keys = options.failed === true ? targets : await find();
  const words = { verb: ['replay', 'replayed'], noun: ['delivery', 'deliveries'] } as const;
  await reportLocal(
    context,
    words,
    replayAll(context, targets, keys, { service, store, forwarding }),
    targets.length,
  );
};
