import { readTargets } from '../../changes/select.ts';
import { defineCommand } from '../../cli/command.ts';
import { deliveryFields, printSentDeliveries } from './delivery-columns.ts';
import { describeNextDelivery } from './next-delivery.ts';
import { urlFlag } from './target.ts';

export const webhookRedeliver = defineCommand({
  path: 'sandbox webhooks redeliver',
  about: 'send deliveries again now',
  examples: ['ttctl sandbox webhooks redeliver msg_4kPq0Zr8tYw2VbNc'],
  prints: { shape: 'list', fields: deliveryFields },
  exits: [5, 7],
  positionals: [
    {
      name: 'delivery',
      about: 'ids of deliveries, or - to read them from stdin',
      required: true,
      variadic: true,
    },
  ],
  flags: [urlFlag],
  run: async (context, { targets, options }) => {
    const ids = await readTargets(context, targets, 'delivery');
    const control = (await context.sandbox()).control(options.url);
    const sent = await control.redeliver({ ids });
    await printSentDeliveries(context, sent, options);
  },
});

export const webhookDeliver = defineCommand({
  path: 'sandbox webhooks deliver',
  about: 'send due deliveries now, for use without a running server',
  examples: ['ttctl sandbox webhooks deliver', 'ttctl sandbox webhooks deliver --all'],
  prints: { shape: 'list', fields: deliveryFields },
  exits: [7],
  from: 'pending',
  flags: [urlFlag, { name: 'all', about: 'also send deliveries that are waiting for a retry', unsafe: true }],
  run: async (context, { options }) => {
    const control = (await context.sandbox()).control(options.url);
    const sent = await control.deliver({ all: options.all === true });
    const emptyMessage = sent.length > 0 ? undefined : await describeNextDelivery(control);
    await printSentDeliveries(context, sent, options, emptyMessage);
  },
});
