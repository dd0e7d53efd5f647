import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { webhookColumns } from '../../resources/webhook/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, secretsOption } from '../command.ts';

const operation = operations.webhooks.get;

export const webhooksGet = (door: Door) =>
  operationCommand('get', operation, [
    'ttctl webhooks get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl webhooks get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --show-secrets',
  ])
    .argument('<id>', 'id of the webhook')
    .addOption(secretsOption())
    .action(
      runOperation(door, operation, async ({ api, output }, values, [webhookId = '']) => {
        const call = api.webhooks.get({ ...values, webhookId });
        call.check('written');
        const { data } = await call.send();
        await output.record(data as Row, webhookColumns);
      }),
    );
