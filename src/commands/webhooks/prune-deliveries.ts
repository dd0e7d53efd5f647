import { pluralize } from '../../changes/run-summary.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { toUtcDay } from '../../parsing/calendar.ts';
import { parseDuration } from '../../parsing/duration.ts';
import { createCommandTemplate } from '../../parsing/shell-word.ts';
import { printLocalChange } from '../local-change.ts';
import { readStoreFlag } from './receiving.ts';

/** Runs `webhooks received prune`. */

const NOUN = ['delivery', 'deliveries'] as const;

/** @throws UsageError; Cancelled (exit 9) where it is declined */
export const pruneDeliveries = async (
  context: Context,
  options: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const { settings, clock } = context;
  const { olderThan, state } = options;
  if (olderThan === undefined) throw new UsageError('missing --older-than', { code: 'missing_value' });
  const before = toUtcDay(clock.now() - parseDuration(String(olderThan), '--older-than'));
  const service = await context.webhooks();
  const store = readStoreFlag(options);
  const old = service
    .list(store)
    .filter((row) => row['signature'] !== 'unreadable' && String(row['received_at']) < before);
  const keys = old
    .filter((row) => (state === undefined ? row['state'] !== 'pending' : row['state'] === state))
    .map(({ key }) => String(key));
  if (state === undefined) notePending(context, old.filter((row) => row['state'] === 'pending').length);
  const plan = settings.dryRun.value;
  if (keys.length > 0 && !plan) {
    const adjective = state === undefined ? '' : `${state} `;
    await context.confirm({
      local: true,
      question: `remove ${pluralize(keys.length, [`${adjective}${NOUN[0]}`, `${adjective}${NOUN[1]}`])} received before ${before}`,
      facts: ['They can no longer be shown or forwarded.'],
    });
    service.remove(keys, store);
  }
  await printLocalChange(context, {
    record: { before, deliveries: keys.length },
    text: `${pluralize(keys.length, NOUN)} removed`,
    inspectLine: createCommandTemplate(
      store === undefined ? [] : ['--store', store],
    )`ttctl webhooks received`,
  });
};

const notePending = ({ output }: Context, count: number): void => {
  if (count === 0) return;
  output.note(`${pluralize(count, NOUN)} ${count === 1 ? 'is' : 'are'} still pending and not removed.`);
};
