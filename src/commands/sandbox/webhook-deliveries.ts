import { Option } from 'commander';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { groupOptions, localCommand } from '../command.ts';
import { offering } from '../options.ts';
import { deliveryFields, listDeliveries } from './delivery-columns.ts';
import { urlOf, withUrl } from './target.ts';

const STATUSES = ['pending', 'delivered', 'failed', 'refused'];

const statusOf = (given: unknown): string | undefined => {
  if (given === undefined) return undefined;
  const status = String(given).toLowerCase();
  if (STATUSES.includes(status)) return status;
  throw new UsageError(`--status: "${given}" is none of ${STATUSES.join(', ')}`);
};

const textOf = (given: unknown): string | undefined => (given === undefined ? undefined : String(given));

export const webhookDeliveries = (door: Door) =>
  groupOptions(
    withUrl(
      localCommand('deliveries', 'list what the sandbox sends to webhooks, the latest first', {
        examples: [
          'ttctl sandbox webhooks deliveries',
          'ttctl sandbox webhooks deliveries --status pending --event project.created --output json',
        ],
        prints: { shape: 'list', fields: deliveryFields },
        exits: [7],
      }),
    ),
  )
    .option('--webhook <id>', 'only those of this webhook')
    .option('--event <name>', 'only those of this event')
    .addOption(
      offering(
        new Option('--status <status>', `only those in this state (${STATUSES.join(', ')})`),
        STATUSES,
      ),
    )
    .option('--limit <n>', 'only the latest so many')
    .action(
      run(door, async ({ sandbox, output, window }, _targets, options) => {
        const { webhook, event, status } = options;
        const filter = { webhook: textOf(webhook), event: textOf(event), status: statusOf(status) };
        const control = (await sandbox()).control(urlOf(options));
        await listDeliveries({ output }, await control.deliveries(filter), window.limit);
      }),
    );
