import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { placeholder } from '../../notation/shell-word.ts';
import { webhookColumns } from '../../resources/webhook/columns.ts';
import { webhook } from '../../resources/webhook.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, secretsOption, targetOptions } from '../command.ts';
import { bodyOptions, eventNotes } from './body.ts';

const operation = operations.webhooks.create;

export const webhooksCreate = (door: Door) =>
  bodyOptions(
    targetOptions(
      operationCommand('create', operation, [
        'ttctl webhooks create --url https://hooks.example.com/tt --event tracker.started,tracker.stopped',
      ]),
    ),
    operation,
  )
    .addOption(secretsOption())
    .action(
      runOperation(door, operation, async (context, values, _targets, options) => {
        const noteEvents = eventNotes(context);
        const work: One<typeof values> = {
          verb: ['create', 'created'],
          noun: webhook.words,
          values,
          call: (row) => {
            noteEvents(row.events ?? []);
            return context.api.webhooks.create(row);
          },
          target: ({ url }) => url,
          columns: webhookColumns,
          hint: ({ id }) =>
            `See its token with: ${context.commandLine`ttctl webhooks get ${id ?? placeholder('id')} --show-secrets`}`,
        };
        await one(context, work, options);
      }),
    );
