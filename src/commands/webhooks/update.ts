import { operations } from '../../api/operations.ts';
import { createIdFinder } from '../../changes/find-id.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { webhookWords } from '../../resources/webhook/columns.ts';
import { webhook } from '../../resources/webhook.ts';
import { targetFlags } from '../target-flags.ts';
import { createEventNotes, webhookBodyFlags } from './body.ts';

const operation = operations.webhooks.update;

export const webhooksUpdate = defineCommand({
  path: 'webhooks update',
  operation,
  examples: [
    'ttctl webhooks update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --url https://hooks.example.com/tt --event tracker.stopped',
  ],
  positionals: [{ name: 'id', about: 'id of the webhook', required: false }],
  flags: [...targetFlags(operation), ...webhookBodyFlags(operation)],
  run: async (context, { values, targets: [id], options }) => {
    const noteEvents = createEventNotes(context);
    await writeOne(context, options, {
      verb: ['update', 'updated'],
      noun: webhook.words,
      values,
      record: { name: 'id', given: id },
      findId: createIdFinder(context, () => context.lists.pages(context.api.webhooks.list({})), webhookWords),
      call: (webhookId, row) => {
        noteEvents(row.events ?? []);
        return context.api.webhooks.update({ ...row, webhookId });
      },
    });
  },
});
