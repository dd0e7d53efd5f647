import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { groupFlags } from '../flags.ts';
import { deliveryFields, listDeliveries } from './delivery-columns.ts';
import { urlFlag } from './target.ts';

const STATUSES = ['pending', 'delivered', 'failed', 'refused'];

const parseStatus = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const status = text.toLowerCase();
  if (STATUSES.includes(status)) return status;
  throw new UsageError(`--status: "${text}" is not one of ${STATUSES.join(', ')}`);
};

export const webhookDeliveries = defineCommand({
  path: 'sandbox webhooks deliveries',
  about: 'list webhook deliveries of the sandbox, newest first',
  examples: [
    'ttctl sandbox webhooks deliveries',
    'ttctl sandbox webhooks deliveries --status pending --event project.created --output json',
  ],
  prints: { shape: 'list', fields: deliveryFields },
  exits: [7],
  flags: [
    urlFlag,
    ...groupFlags,
    { name: 'webhook', value: 'id', about: 'only deliveries to this webhook' },
    { name: 'event', value: 'name', about: 'only deliveries of this event' },
    {
      name: 'status',
      value: 'status',
      about: `only deliveries in this state (${STATUSES.join(', ')})`,
      offers: STATUSES,
    },
    { name: 'limit', value: 'n', about: 'show only the latest <n>' },
  ],
  run: async ({ sandbox, output, window }, { options }) => {
    const { webhook, event, status } = options;
    const filter = { webhook, event, status: parseStatus(status) };
    const control = (await sandbox()).control(options.url);
    await listDeliveries({ output }, await control.deliveries(filter), { limit: window.limit });
  },
});
