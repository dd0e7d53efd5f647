import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { placeholder } from '../../parsing/shell-word.ts';
import { contractColumns } from '../../resources/contract/columns.ts';
import { contract } from '../../resources/contract.ts';
import { flag } from '../flags.ts';
import { targetFlags } from '../target-flags.ts';
import { describeWeekLimit } from '../week-limit.ts';

const operation = operations.contracts.create;

export const contractsCreate = defineCommand({
  path: 'contracts create',
  operation,
  examples: [
    'ttctl contracts create --project 5 --member ana@example.com',
    'ttctl contracts create --project 5 --member 17 --weekly-hours-limit 20 --rate 75.50',
  ],
  flags: [
    ...targetFlags(operation, 'this member and project'),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    flag(operation, 'user_id', { as: 'member', lookup: 'member' }),
    flag(operation, 'weekly_hours_limit'),
    flag(operation, 'screenshots'),
    flag(operation, 'rate'),
  ],
  run: async (context, { values, options }) => {
    await writeOne(context, options, {
      verb: ['create', 'created'],
      noun: contract.words,
      values,
      remark: describeWeekLimit,
      call: (_, row) => context.api.contracts.create(row),
      columns: contractColumns(context.names),
      hint: ({ project_id, user_id }) =>
        `Assign a task with: ${context.commandLine`ttctl tasks create --project ${project_id ?? placeholder('project')} --title <title> --assignee ${user_id ?? placeholder('member')}`}`,
    });
  },
});
