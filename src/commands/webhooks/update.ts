import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { webhook } from '../../resources/webhook.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { bodyOptions, eventNotes } from './body.ts';

const operation = operations.webhooks.update;

export const webhooksUpdate = (door: Door) =>
  bodyOptions(
    targetOptions(
      operationCommand('update', operation, [
        'ttctl webhooks update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --url https://hooks.example.com/tt --event tracker.stopped',
      ]),
    ),
    operation,
  )
    .argument('[id]', 'id of the webhook')
    .action(
      runOperation(door, operation, async (context, values, [id], options) => {
        const noteEvents = eventNotes(context);
        const work: One<typeof values> = {
          verb: ['update', 'updated'],
          noun: webhook.words,
          values,
          record: { name: 'id', given: id },
          call: (row, webhookId) => {
            noteEvents(row.events ?? []);
            return context.api.webhooks.update({ ...row, webhookId });
          },
        };
        await one(context, work, options);
      }),
    );
