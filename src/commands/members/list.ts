import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { memberColumns } from '../../resources/member/columns.ts';
import { member } from '../../resources/member.ts';
import { flag, listFlags } from '../flags.ts';

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
      noun: member.words[1],
      columns: memberColumns,
    });
  },
});
