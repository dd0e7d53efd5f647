import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';
import { changeAssignees, memberFlag, peopleColumns } from './people.ts';

const operation = operations.tasks.assign;

export const tasksAssign = defineCommand({
  path: 'tasks assign',
  operation,
  examples: [
    'ttctl tasks assign 17 --project 5 --member ana@example.com',
    'ttctl tasks assign 17 --project 5 --member 12 --member 15 --yes',
    'ttctl tasks assign --project 5 --from-file work.csv',
  ],
  input: peopleColumns,
  positionals: [{ name: 'task', about: 'id of the task', required: false }],
  flags: [
    ...targetFlags(operation),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    memberFlag('member to assign', 'colleague'),
  ],
  run: async (context, { values, targets: [task], options }) => {
    await changeAssignees(context, {
      verb: ['assign', 'assigned'],
      task,
      values,
      options,
      call: (ids, row) => context.api.tasks.assign({ ...row, ...ids }),
    });
  },
});
