import { reportLocal } from '../../changes/report.ts';
import type { Sent } from '../../changes/send.ts';
import { readTargets } from '../../changes/targets.ts';
import type { Context } from '../../context.ts';
import { failureJson, UsageError } from '../../outcome.ts';
import type { HandOn, WebhookDesk } from '../../webhooks/desk.ts';
import { handOnOf, storeOf } from './receiving.ts';

/** The course of `webhooks replay`. */

interface Way {
  readonly desk: WebhookDesk;
  readonly store: string | undefined;
  readonly to: HandOn;
}

const OPERATION = 'webhooks.replay';

const replayOne = async (target: string, key: string, { desk, store, to }: Way): Promise<Sent> => {
  const { words: message, failure } = await desk.replay(key, store, to);
  if (failure === undefined) return { result: { target, operation: OPERATION, status: 'done', message } };
  const error = failureJson(failure);
  const result = { target, operation: OPERATION, status: 'failed', message: failure.message, error } as const;
  return { result, failure };
};

/** One after the other, as they came. */
async function* course(
  { settings, interrupted }: Context,
  targets: readonly string[],
  keys: readonly string[],
  way: Way,
): AsyncGenerator<Sent> {
  const message = [way.to.forward, way.to.exec].filter(Boolean).join(', then ');
  for (const [i, target] of targets.entries()) {
    const about = { target, operation: OPERATION };
    if (interrupted.aborted) yield { result: { ...about, status: 'skipped', message: 'interrupted' } };
    else if (settings.dryRun.value) yield { result: { ...about, status: 'planned', message } };
    else yield await replayOne(target, keys[i] ?? '', way);
  }
}

/** @throws UsageError for what is not kept; the failure of what was not taken, after all results are printed */
export const replay = async (
  context: Context,
  named: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const [to, store] = [handOnOf(options), storeOf(options)];
  if (to.forward === undefined && to.exec === undefined) {
    throw new UsageError('no destination to replay to', { hint: 'Add --forward <url> or --exec <command>.' });
  }
  const desk = await context.webhooks();
  const targets = await readTargets(context, named, 'delivery');
  if (targets.length === 0) context.output.note('no deliveries to replay');
  const keys = desk.keys(targets, store);
  const words = { verb: ['replay', 'replayed'], noun: ['delivery', 'deliveries'] } as const;
  await reportLocal(context, words, course(context, targets, keys, { desk, store, to }), targets.length);
};
