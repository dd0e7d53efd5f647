import { toPages } from '../../api/page.ts';
import type { SendResult } from '../../changes/change.ts';
import { pluralize, reportRun } from '../../changes/report.ts';
import { findLocalId, readTargets } from '../../changes/select.ts';
import { Failure, toFailureJson, UsageError } from '../../errors.ts';
import { parseDuration, toUtcDay } from '../../parsing/calendar.ts';
import { createCommandTemplate } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import { toWholeRow } from '../../webhooks/delivery.ts';
import { describeOutcome, type ForwardingOptions, forwardDelivery } from '../../webhooks/forward.ts';
import { DeliveryStore, listLeft, listReceived } from '../../webhooks/store.ts';
import { printLocalChange } from '../local-change.ts';
import { detailColumns, listColumns } from './deliveries.ts';
import { readForwardingFlags } from './listen.ts';

type Options = Readonly<Record<string, unknown>>;

interface StoredOptions {
  readonly olderThan?: string | undefined;
  readonly event?: string | undefined;
  readonly state?: string | undefined;
  readonly store?: string | undefined;
  readonly showSecrets?: boolean | undefined;
}

const NOUN = ['delivery', 'deliveries'] as const;

/** `webhooks received prune`. @throws UsageError without `--older-than` */
export async function pruneReceived(run: Run, options: StoredOptions): Promise<void> {
  const { olderThan, state, store: folder } = options;
  const { settings, clock, output } = run;
  if (olderThan === undefined) throw new UsageError('missing --older-than', { code: 'missing_value' });
  const before = toUtcDay(clock.now() - parseDuration(olderThan, '--older-than'));
  const old = listReceived(run, folder).filter((row) => String(row['received_at']) < before);
  const removed = old.filter((row) => (state === undefined ? row.state !== 'pending' : row.state === state));
  const left = state === undefined ? old.length - removed.length : 0;
  if (left > 0)
    output.note(`${pluralize(left, NOUN)} ${left === 1 ? 'is' : 'are'} still pending and not removed.`);
  if (removed.length > 0 && !settings.dryRun.value) {
    const named = state === undefined ? NOUN : ([`${state} delivery`, `${state} deliveries`] as const);
    await run.confirm({
      local: true,
      question: `remove ${pluralize(removed.length, named)} received before ${before}`,
      facts: ['They can no longer be shown or forwarded.'],
    });
    const store = new DeliveryStore(run, folder);
    for (const { key } of removed) store.remove(String(key));
  }
  await printLocalChange(run, {
    record: { before, deliveries: removed.length },
    text: `${pluralize(removed.length, NOUN)} removed`,
    inspectLine: createCommandTemplate(
      folder === undefined ? [] : ['--store', folder],
    )`ttctl webhooks received`,
  });
}

/** `webhooks received`: the list, or one in full. */
export async function showReceived(
  run: Run,
  text: string | undefined,
  options: StoredOptions,
): Promise<void> {
  const { event, state, store: folder, showSecrets } = options;
  const { output, window, machine } = run;
  if (text !== undefined) {
    const filter = event !== undefined ? '--event' : state !== undefined ? '--state' : undefined;
    if (filter !== undefined) throw new UsageError(`${filter} cannot be used with a named delivery`);
    const store = new DeliveryStore(run, folder);
    const [key = ''] = store.findKeys([await findDeliveryId(run, text, folder)]);
    const mask = showSecrets === true ? (value: unknown) => value : machine.redactor.json;
    return output.record(toWholeRow(store.get(key), mask, showSecrets === true), detailColumns);
  }
  const rows = listReceived(run, folder).filter(
    (row) => row['event'] === (event ?? row['event']) && row['state'] === (state ?? row['state']),
  );
  await output.list(toPages(rows, window.limit), { noun: 'deliveries', columns: listColumns });
}

/** `webhooks replay`. @throws UsageError without a destination */
export async function replay(run: Run, ids: readonly string[], options: Options): Promise<void> {
  const folder = options.store === undefined ? undefined : String(options.store);
  const to = readForwardingFlags(run, options);
  if (to.forward === undefined && to.exec === undefined)
    throw new UsageError('no destination to replay to', { hint: 'Add --forward <url> or --exec <command>.' });
  if (options.failed === true && ids.length > 0)
    throw new UsageError('--failed cannot be used with named deliveries');
  await run.output.checkNames();
  const store = new DeliveryStore(run, folder);
  const left = options.failed === true ? listLeft(run, folder).map(({ key }) => String(key)) : undefined;
  const targets = left ?? (await readTargets(run, ids, 'delivery'));
  const named = left ?? (await Promise.all(targets.map((target) => findDeliveryId(run, target, folder))));
  const keys = left ?? store.findKeys(named);
  if (targets.length === 0) run.output.note('No deliveries to replay.');
  const words = { verb: ['replay', 'replayed'], noun: NOUN, changes: [] } as const;
  // One after the other. One that cannot be read does not stop the others.
  async function* replayAll(): AsyncGenerator<SendResult> {
    for (const [i, target] of targets.entries()) yield replayOne(run, store, target, keys[i] ?? '', to);
  }
  // Nothing of it goes to the service.
  await reportRun(run, words, replayAll(), { count: targets.length });
}

async function replayOne(
  run: Run,
  store: DeliveryStore,
  target: string,
  key: string,
  to: ForwardingOptions,
): Promise<SendResult> {
  const base = { target, operation: 'webhooks.replay' };
  if (run.interrupted.aborted) return { ...base, status: 'skipped', message: 'interrupted' };
  if (run.settings.dryRun.value)
    return { ...base, status: 'planned', message: [to.forward, to.exec].filter(Boolean).join(', then ') };
  try {
    const delivery = store.get(key);
    const outcome = await forwardDelivery(run, delivery, to, { repeat: false, replay: true });
    const { words, failure } = describeOutcome(outcome);
    if (failure !== undefined) throw failure;
    if (delivery.state !== null) store.mark(key, 'accepted');
    return { ...base, status: 'done', message: words };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const error = toFailureJson(failure);
    return { ...base, status: 'failed', message: failure.message, error, failure };
  }
}

/** The id of a stored delivery, or at a terminal its beginning. */
async function findDeliveryId(run: Run, text: string, store: string | undefined): Promise<string> {
  return findLocalId(run, text, () => listReceived(run, store));
}
