import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { webhookColumns } from '../../resources/webhook/columns.ts';
import { webhook } from '../../resources/webhook.ts';
import { listFlags, secretsFlag } from '../flags.ts';

const operation = operations.webhooks.list;

export const webhooksList = defineCommand({
  path: 'webhooks list',
  operation,
  examples: ['ttctl webhooks list'],
  flags: [...listFlags(operation), secretsFlag],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.webhooks.list(values).pages(window), {
      noun: webhook.words[1],
      columns: webhookColumns,
    });
  },
});
