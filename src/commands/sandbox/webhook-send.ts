import { Option } from 'commander';
import { readTargets } from '../../bulk/targets.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { unsafe } from '../unsafe.ts';
import { deliveryFields, tellSent } from './delivery-columns.ts';
import { urlOf, withUrl } from './target.ts';

export const webhookRedeliver = (door: Door) =>
  withUrl(
    localCommand('redeliver', 'send deliveries again now, whatever became of them', {
      examples: [
        'ttctl sandbox webhooks redeliver msg_4kPq0Zr8tYw2VbNc',
        'ttctl sandbox webhooks redeliver msg_4kPq0Zr8tYw2VbNc --dry-run',
      ],
      prints: { shape: 'list', fields: deliveryFields },
      exits: [5, 7],
    }),
  )
    .argument('<delivery...>', 'ids of deliveries, or - for one a line on stdin')
    .action(
      run(door, async (context, named, options) => {
        const ids = await readTargets(context, named, 'delivery');
        const control = (await context.sandbox()).control(urlOf(options));
        const sent = await control.redeliver({ ids, plan: context.settings.dryRun.value });
        await tellSent(context, sent, options);
      }),
    );

export const webhookDeliver = (door: Door) =>
  withUrl(
    localCommand('deliver', 'send now what is due; with no server running nobody else may', {
      examples: ['ttctl sandbox webhooks deliver', 'ttctl sandbox webhooks deliver --all'],
      prints: { shape: 'list', fields: deliveryFields },
      exits: [7],
      from: 'pending',
      oneByOne: { list: 'sandbox webhooks deliveries', write: 'sandbox webhooks redeliver' },
    }),
  )
    .addOption(unsafe(new Option('--all', 'also what waits for its next attempt')))
    .action(
      run(door, async (context, _targets, options) => {
        const control = (await context.sandbox()).control(urlOf(options));
        const sent = await control.deliver({
          all: options.all === true,
          plan: context.settings.dryRun.value,
        });
        await tellSent(context, sent, options);
      }),
    );
