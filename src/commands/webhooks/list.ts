import { operations } from '../../api/operations.ts';
import { webhookColumns } from '../../resources/webhook/columns.ts';
import { webhook } from '../../resources/webhook.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand, secretsOption } from '../command.ts';

const operation = operations.webhooks.list;

export const webhooksList = (door: Door) =>
  listOptions(operationCommand('list', operation, ['ttctl webhooks list']))
    .addOption(secretsOption())
    .action(
      runOperation(door, operation, async ({ api, output, window }, values) => {
        await output.list(api.webhooks.list(values).pages(window), {
          noun: webhook.words[1],
          columns: webhookColumns,
        });
      }),
    );
