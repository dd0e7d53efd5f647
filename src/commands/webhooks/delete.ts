import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { each } from '../../bulk/each.ts';
import { webhookWords } from '../../resources/webhook/columns.ts';
import { webhook } from '../../resources/webhook.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';

const operation = operations.webhooks.delete;

export const webhooksDelete = (door: Door) =>
  targetOptions(
    operationCommand('delete', operation, ['ttctl webhooks delete 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b']),
  )
    .argument('[id...]', 'ids of webhooks, or - for one a line on stdin')
    .action(
      runOperation(door, operation, async (context, _values, targets, options) => {
        const work = {
          targets,
          verb: ['delete', 'deleted'],
          noun: webhook.words,
          asks: true,
          facts: ['There is no way back.'],
          call: (webhookId: string) => context.api.webhooks.delete({ webhookId }),
          shown: {
            columns: webhookWords,
            row: async (webhookId: string) =>
              (await context.api.webhooks.get({ webhookId }).send()).data as Row,
          },
        } as const;
        await each(context, work, options);
      }),
    );
