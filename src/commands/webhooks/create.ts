import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { webhookColumns } from '../../resources/webhook/columns.ts';
import { webhook } from '../../resources/webhook.ts';
import { secretsFlag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';
import { createEventNotes, webhookBodyFlags } from './body.ts';

const operation = operations.webhooks.create;

export const webhooksCreate = defineCommand({
  path: 'webhooks create',
  operation,
  examples: [
    'ttctl webhooks create --url https://hooks.example.com/tt --event tracker.started,tracker.stopped',
  ],
  flags: [
    ...targetFlags(operation, 'this URL and these events'),
    ...webhookBodyFlags(operation),
    secretsFlag,
  ],
  run: async (context, { values, options }) => {
    const noteEvents = createEventNotes(context);
    await writeOne(context, options, {
      verb: ['create', 'created'],
      noun: webhook.words,
      values,
      call: (_, row) => {
        noteEvents(row.events ?? []);
        return context.api.webhooks.create(row);
      },
      target: ({ url }) => url,
      columns: webhookColumns,
      hint: ({ id }) =>
        `See its token with: ${context.commandLine`ttctl webhooks get ${id ?? placeholder('id')} --show-secrets`}`,
    });
  },
});
