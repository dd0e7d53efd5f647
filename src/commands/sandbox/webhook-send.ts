import { readTargets } from '../../bulk/targets.ts';
import { defineCommand } from '../../cli/command.ts';
import { deliveryFields, listDeliveries } from './delivery-columns.ts';
import { urlFlag } from './target.ts';

export const webhookRedeliver = defineCommand({
  path: 'sandbox webhooks redeliver',
  about: 'send deliveries again now, whatever became of them',
  examples: [
    'ttctl sandbox webhooks redeliver msg_4kPq0Zr8tYw2VbNc',
    'ttctl sandbox webhooks redeliver msg_4kPq0Zr8tYw2VbNc --dry-run',
  ],
  prints: { shape: 'list', fields: deliveryFields },
  exits: [5, 7],
  positionals: [
    {
      name: 'delivery',
      about: 'ids of deliveries, or - for one a line on stdin',
      required: true,
      variadic: true,
    },
  ],
  flags: [urlFlag],
  run: async (context, { targets: named, options }) => {
    const ids = await readTargets(context, named, 'delivery');
    const { webhooks } = (await context.sandbox()).control(options.url);
    await listDeliveries(context, await webhooks.redeliver(ids, context.settings.dryRun.value));
  },
});

export const webhookDeliver = defineCommand({
  path: 'sandbox webhooks deliver',
  about: 'send now what is due; with no server running nobody else may',
  examples: ['ttctl sandbox webhooks deliver', 'ttctl sandbox webhooks deliver --all'],
  prints: { shape: 'list', fields: deliveryFields },
  exits: [7],
  flags: [urlFlag, { name: 'all', about: 'also what waits for its next attempt', unsafe: true }],
  run: async ({ sandbox, output, settings }, { options }) => {
    const { webhooks } = (await sandbox()).control(options.url);
    await listDeliveries({ output }, await webhooks.deliver(options.all === true, settings.dryRun.value));
  },
});
