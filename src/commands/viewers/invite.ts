import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { viewerColumns } from '../../resources/viewer/columns.ts';
import { viewer } from '../../resources/viewer.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { flag, positional } from '../options.ts';

const operation = operations.viewers.invite;

export const viewersInvite = (door: Door) =>
  targetOptions(
    operationCommand('invite', operation, [
      'ttctl viewers invite eve@client.example --firstname Eve --lastname Okafor',
    ]),
  )
    .addArgument(positional(operation, 'email', 'address that the service sends the invitation to'))
    .addOption(flag(operation, 'firstname'))
    .addOption(flag(operation, 'lastname'))
    .action(
      runOperation(door, operation, async (context, values, _targets, options) => {
        const work: One<typeof values> = {
          verb: ['invite', 'invited'],
          noun: viewer.words,
          values,
          call: (row) => context.api.viewers.invite(row),
          target: ({ email }) => email,
          once: true,
          columns: viewerColumns,
          hint: ({ id }) =>
            `Nothing is visible to a viewer yet. Show them a project: ${context.commandLine`ttctl viewers assign ${id ?? values.email} --project <project>`}`,
        };
        await one(context, work, options);
      }),
    );
