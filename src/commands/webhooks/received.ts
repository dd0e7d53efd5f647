import type { ListPage } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { groupFlags, secretsFlag, zoneFlag } from '../flags.ts';
import { detailColumns, findDeliveryId, listColumns } from './delivery-columns.ts';
import { detailFields, listFields } from './delivery-fields.ts';
import { webhooksReceivedPrune } from './received-prune.ts';
import { readStoreFlag } from './receiving.ts';
import { stateFlag, storeFlag } from './receiving-flags.ts';

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
  run: async (context, { targets: [text], options }) => {
    const { webhooks, output, window } = context;
    const service = await webhooks();
    const store = readStoreFlag(options);
    const { event, state } = options;
    if (text !== undefined) {
      const filter = event !== undefined ? '--event' : state !== undefined ? '--state' : undefined;
      if (filter !== undefined)
        throw new UsageError(`${filter} cannot be used with a named delivery`, {
          // Of switches before it, the verb is read as an id.
          hint: text === 'prune' ? `Put ${filter} after prune.` : undefined,
        });
      const id = await findDeliveryId(context, text, store);
      return output.record(service.show(id, store, options.showSecrets === true), detailColumns);
    }
    const all = service
      .list(store)
      .filter((row) => event === undefined || row['event'] === event)
      .filter((row) => state === undefined || row['state'] === state);
    const rows = all.slice(0, window.limit);
    async function* pages(): AsyncGenerator<ListPage> {
      yield { rows, total: all.length, shortened: rows.length < all.length };
    }
    await output.list(pages(), { noun: 'deliveries', columns: listColumns });
  },
});
