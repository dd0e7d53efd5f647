import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { flag, listFlags } from '../flags.ts';
import { memberColumns } from './columns.ts';

const operation = operations.members.list;

export const membersList = defineCommand({
  path: 'members list',
  operation,
  examples: [
    'ttctl members list',
    'ttctl members list --role team-manager --status active',
    'ttctl members list --columns id,email,current_role --output csv',
  ],
  flags: [
    ...listFlags(operation),
    flag(operation, 'email'),
    flag(operation, 'status'),
    flag(operation, 'role'),
  ],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.members.list(values).pages(window), {
      noun: 'members',
      columns: memberColumns,
    });
  },
});
