import type { ListPage } from '../../api/page.ts';
import { pluralize } from '../../changes/report.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Flag } from '../../cli/flag.ts';
import { UsageError } from '../../errors.ts';
import { parseDuration, toUtcDay } from '../../parsing/calendar.ts';
import { createCommandTemplate } from '../../parsing/shell-word.ts';
import { groupFlags, secretsFlag, zoneFlag } from '../flags.ts';
import { printLocalChange } from '../local-change.ts';
import { olderThanFlag } from '../prune.ts';
import {
  detailColumns,
  detailFields,
  findDeliveryId,
  listColumns,
  listFields,
  storeFlag,
} from './deliveries.ts';

const stateFlag = {
  name: 'state',
  value: 'state',
  about: 'only deliveries in this state of forwarding',
  choices: ['pending', 'accepted', 'failed'],
} as const satisfies Flag;

const NOUN = ['delivery', 'deliveries'] as const;

const webhooksReceivedPrune = defineCommand({
  path: 'webhooks received prune',
  about: 'remove old deliveries; pending ones only with --state pending',
  examples: [
    'ttctl webhooks received prune --older-than 30d',
    'ttctl webhooks received prune --older-than 26w --state failed --dry-run',
  ],
  prints: { shape: 'record', fields: ['before', 'deliveries'] },
  exits: [9],
  flags: [olderThanFlag, stateFlag, storeFlag],
  run: async (context, { options: { olderThan, state, store: folder } }) => {
    const { settings, clock, output } = context;
    if (olderThan === undefined) throw new UsageError('missing --older-than', { code: 'missing_value' });
    const { listReceived, openStore } = await import('../../webhooks/rows.ts');
    const before = toUtcDay(clock.now() - parseDuration(olderThan, '--older-than'));
    const old = listReceived(context, folder).filter(
      (row) => row['signature'] !== 'unreadable' && String(row['received_at']) < before,
    );
    const removed = old.filter((row) =>
      state === undefined ? row.state !== 'pending' : row.state === state,
    );
    const left = state === undefined ? old.length - removed.length : 0;
    if (left > 0)
      output.note(`${pluralize(left, NOUN)} ${left === 1 ? 'is' : 'are'} still pending and not removed.`);
    if (removed.length > 0 && !settings.dryRun.value) {
      const named = state === undefined ? NOUN : ([`${state} delivery`, `${state} deliveries`] as const);
      await context.confirm({
        local: true,
        question: `remove ${pluralize(removed.length, named)} received before ${before}`,
        facts: ['They can no longer be shown or forwarded.'],
      });
      const store = openStore(context, folder);
      for (const { key } of removed) store.remove(String(key));
    }
    await printLocalChange(context, {
      record: { before, deliveries: removed.length },
      text: `${pluralize(removed.length, NOUN)} removed`,
      inspectLine: createCommandTemplate(
        folder === undefined ? [] : ['--store', folder],
      )`ttctl webhooks received`,
    });
  },
});

export const webhooksReceived = defineCommand({
  path: 'webhooks received',
  about: 'list stored deliveries, newest first, or show one in full',
  examples: [
    'ttctl webhooks received',
    'ttctl webhooks received msg_p5jXN8AQM9LWM0D4loKWxJek',
    'ttctl webhooks received --event project.created --output ids',
    'ttctl webhooks received --state failed',
  ],
  verbs: [webhooksReceivedPrune],
  prints: { shape: 'list', fields: listFields, named: detailFields },
  positionals: [{ name: 'id', about: 'id of a delivery, or the start of its key', required: false }],
  flags: [
    { name: 'event', value: 'name', about: 'only deliveries of this event' },
    stateFlag,
    { name: 'limit', value: 'n', about: 'at most <n> rows' },
    storeFlag,
    ...groupFlags,
    secretsFlag,
    zoneFlag,
  ],
  run: async (context, { targets: [text], options: { event, state, store: folder, showSecrets } }) => {
    const { output, window, machine } = context;
    const { listReceived, openStore, toWholeRow, UNMASKED } = await import('../../webhooks/rows.ts');
    if (text !== undefined) {
      const filter = event !== undefined ? '--event' : state !== undefined ? '--state' : undefined;
      if (filter !== undefined)
        throw new UsageError(`${filter} cannot be used with a named delivery`, {
          // Of switches before it, the verb is read as an id.
          hint: text === 'prune' ? `Put ${filter} after prune.` : undefined,
        });
      const store = openStore(context, folder);
      const [key = ''] = store.findKeys([await findDeliveryId(context, text, folder)]);
      const masks = showSecrets === true ? UNMASKED : machine.redactor;
      return output.record(toWholeRow(store.get(key), masks), detailColumns);
    }
    const all = listReceived(context, folder)
      .filter((row) => event === undefined || row['event'] === event)
      .filter((row) => state === undefined || row['state'] === state);
    const rows = all.slice(0, window.limit);
    async function* pages(): AsyncGenerator<ListPage> {
      yield { rows, total: all.length, shortened: rows.length < all.length };
    }
    await output.list(pages(), { noun: 'deliveries', columns: listColumns });
  },
});
