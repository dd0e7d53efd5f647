import type { SendResult } from '../../changes/change.ts';
import { reportRun } from '../../changes/report.ts';
import { readTargets } from '../../changes/select.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { Failure, toFailureJson, UsageError } from '../../errors.ts';
import type { ForwardingOptions } from '../../webhooks/exec.ts';
import type { DeliveryStore } from '../../webhooks/store.ts';
import { findDeliveryId, forwardingFlags, readForwardingFlags, storeFlag } from './deliveries.ts';

export const webhooksReplay = defineCommand({
  path: 'webhooks replay',
  about: 'forward stored deliveries again, marked ttctl-replay',
  examples: [
    'ttctl webhooks replay msg_p5jXN8AQM9LWM0D4loKWxJek --forward http://127.0.0.1:3000/hook',
    'ttctl webhooks replay - --exec "jq .data"',
    'ttctl webhooks replay --failed --forward http://127.0.0.1:3000/hook',
  ],
  prints: { shape: 'results' },
  exits: [6, 7, 8],
  positionals: [
    {
      name: 'id',
      about: 'ids of stored deliveries, or - to read them from stdin',
      required: false,
      variadic: true,
      // Which ones is a question once it is known where to.
      needed: {
        kind: 'received',
        when: ({ forward, exec, failed }) => failed !== true && (forward !== undefined || exec !== undefined),
      },
    },
  ],
  flags: [
    { name: 'failed', about: 'all deliveries that were not accepted, earliest first', unsafe: true },
    ...forwardingFlags,
    storeFlag,
  ],
  run: async (context, { targets: ids, options }) => {
    const { store: folder, failed } = options;
    const to = readForwardingFlags(context, options);
    if (to.forward === undefined && to.exec === undefined)
      throw new UsageError('no destination to replay to', {
        hint: 'Add --forward <url> or --exec <command>.',
      });
    if (failed === true && ids.length > 0)
      throw new UsageError('--failed cannot be used with named deliveries');
    await context.output.checkNames();
    const { listReceived, openStore } = await import('../../webhooks/rows.ts');
    const store = openStore(context, folder);
    const listLeft = (): readonly string[] =>
      listReceived(context, folder)
        .filter(({ state }) => state === 'pending' || state === 'failed')
        .map(({ key }) => String(key))
        .reverse();
    const targets = failed === true ? listLeft() : await readTargets(context, ids, 'delivery');
    if (targets.length === 0) context.output.note('No deliveries to replay.');
    const find = async (): Promise<readonly string[]> =>
      store.findKeys(await Promise.all(targets.map((target) => findDeliveryId(context, target, folder))));
    const keys = failed === true ? targets : await find();
    const words = { verb: ['replay', 'replayed'], noun: ['delivery', 'deliveries'] } as const;
    const pairs = targets.map((target, i) => [target, keys[i] ?? ''] as const);
    const results = replayAll(context, store, pairs, to);
    // Nothing of it goes to the service.
    const counts = { count: targets.length, toSend: 0 };
    await reportRun(context, { ...words, changes: [] }, results, counts);
  },
});

/** One after the other. One that cannot be read does not stop the others. */
async function* replayAll(
  context: Context,
  store: DeliveryStore,
  pairs: readonly (readonly [target: string, key: string])[],
  to: ForwardingOptions,
): AsyncGenerator<SendResult> {
  const { describeOutcome, forwardDelivery } = await import('../../webhooks/forward.ts');
  const planned = [to.forward, to.exec].filter(Boolean).join(', then ');
  for (const [target, key] of pairs) {
    const base = { target, operation: 'webhooks.replay' };
    if (context.interrupted.aborted) {
      yield { result: { ...base, status: 'skipped', message: 'interrupted' } };
      continue;
    }
    if (context.settings.dryRun.value) {
      yield { result: { ...base, status: 'planned', message: planned } };
      continue;
    }
    try {
      const delivery = store.get(key);
      const how = { repeat: false, replay: true };
      const { words, failure } = describeOutcome(await forwardDelivery(context, delivery, to, how));
      if (failure !== undefined) throw failure;
      if (delivery.state !== null) store.mark(key, 'accepted');
      yield { result: { ...base, status: 'done', message: words } };
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      const error = toFailureJson(failure);
      yield { result: { ...base, status: 'failed', message: failure.message, error }, failure };
    }
  }
}
