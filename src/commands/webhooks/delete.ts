import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { createIdFinder } from '../../changes/find-id.ts';
import { writeMany } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { webhookWords } from '../../resources/webhook/columns.ts';
import { webhook } from '../../resources/webhook.ts';
import { variadic } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.webhooks.delete;

export const webhooksDelete = defineCommand({
  path: 'webhooks delete',
  operation,
  examples: ['ttctl webhooks delete 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
  positionals: [variadic('id', 'ids of webhooks, or - to read them from stdin')],
  flags: [...targetFlags(operation)],
  run: async (context, { targets, options }) => {
    await writeMany(context, options, {
      targets,
      verb: ['delete', 'deleted'],
      noun: webhook.words,
      needsConfirmation: true,
      facts: ['This cannot be undone.'],
      findId: createIdFinder(context, () => context.lists.pages(context.api.webhooks.list({})), webhookWords),
      call: (webhookId) => context.api.webhooks.delete({ webhookId }),
      shown: {
        columns: webhookWords,
        row: async (webhookId) => (await context.api.webhooks.get({ webhookId }).send()).data as Row,
      },
    });
  },
});
