import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { createIdFinder } from '../../changes/find-id.ts';
import { defineCommand } from '../../cli/command.ts';
import { webhookColumns, webhookWords } from '../../resources/webhook/columns.ts';
import { readFlags, secretsFlag } from '../flags.ts';

const operation = operations.webhooks.get;

export const webhooksGet = defineCommand({
  path: 'webhooks get',
  operation,
  examples: [
    'ttctl webhooks get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl webhooks get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --show-secrets',
  ],
  positionals: [{ name: 'id', about: 'id of the webhook', required: true }],
  flags: [...readFlags(operation), secretsFlag],
  run: async (context, { values, targets: [target = ''] }) => {
    const { api, output } = context;
    api.webhooks.get({ ...values, webhookId: target }).check('written');
    const webhookId = await createIdFinder(
      context,
      () => api.webhooks.list({}).pages(),
      webhookWords,
    )(target);
    const { data } = await api.webhooks.get({ ...values, webhookId }).send();
    await output.record(data as Row, webhookColumns);
  },
});
