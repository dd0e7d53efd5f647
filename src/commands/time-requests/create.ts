import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { timeRequestDetails } from '../../resources/time-request/columns.ts';
import { timeRequest } from '../../resources/time-request.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';

const operation = operations.timeRequests.create;

const BEGIN = 'start time: 2026-11-20T09:00 in --timezone, or with an offset';

export const timeRequestsCreate = defineCommand({
  path: 'time-requests create',
  operation,
  examples: [
    'ttctl time-requests create --member ana@example.com --contract 21 --start 2026-11-20T09:00 --end 2026-11-20T12:30',
    'ttctl time-requests create --member 17 --contract 21 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:30+01:00',
  ],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'user_id', { as: 'member', lookup: 'member' }),
    flag(operation, 'contract_id', { as: 'contract' }),
    flag(operation, 'start', { about: BEGIN }),
    flag(operation, 'end'),
    flag(operation, 'task_id', { as: 'task' }),
    flag(operation, 'notes'),
  ],
  run: async (context, { values, options }) => {
    await writeOne(context, options, {
      verb: ['create', 'created'],
      noun: timeRequest.words,
      values,
      call: (_, row) => context.api.timeRequests.create(row),
      columns: timeRequestDetails(context.names),
      hint: ({ id }) =>
        `Approve it with: ${context.commandLine`ttctl time-requests approve ${id ?? placeholder('id')}`}`,
    });
  },
});
