import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { placeholder } from '../../notation/shell-word.ts';
import { timeRequestDetails } from '../../resources/time-request/columns.ts';
import { timeRequest } from '../../resources/time-request.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, targetOptions } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.timeRequests.create;

const BEGIN = 'begin: 2026-11-20T09:00 in --timezone, or with an offset';

export const timeRequestsCreate = (door: Door) =>
  targetOptions(
    operationCommand('create', operation, [
      'ttctl time-requests create --member ana@example.com --contract 21 --start 2026-11-20T09:00 --end 2026-11-20T12:30',
      'ttctl time-requests create --member 17 --contract 21 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:30+01:00',
    ]),
  )
    .addOption(flag(operation, 'user_id', { as: 'member', lookup: 'member' }))
    .addOption(flag(operation, 'contract_id', { as: 'contract' }))
    .addOption(flag(operation, 'start', { about: BEGIN }))
    .addOption(flag(operation, 'end'))
    .addOption(flag(operation, 'task_id', { as: 'task' }))
    .addOption(flag(operation, 'notes'))
    .action(
      runOperation(door, operation, async (context, values, _targets, options) => {
        const work: One<typeof values> = {
          verb: ['create', 'created'],
          noun: timeRequest.words,
          values,
          call: (row) => context.api.timeRequests.create(row),
          columns: timeRequestDetails(context.names),
          hint: ({ id }) =>
            `Approve it with: ${context.commandLine`ttctl time-requests approve ${id ?? placeholder('id')}`}`,
        };
        await one(context, work, options);
      }),
    );
