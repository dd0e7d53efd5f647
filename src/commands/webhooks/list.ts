import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { listFlags, secretsFlag } from '../flags.ts';
import { webhookColumns } from './columns.ts';

const operation = operations.webhooks.list;

export const webhooksList = defineCommand({
  path: 'webhooks list',
  operation,
  examples: ['ttctl webhooks list'],
  flags: [...listFlags(operation), secretsFlag],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.webhooks.list(values).pages(window), {
      noun: 'webhooks',
      columns: webhookColumns,
    });
  },
});
