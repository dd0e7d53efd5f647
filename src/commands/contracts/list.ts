import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { contractColumns } from '../../resources/contract/columns.ts';
import { contract } from '../../resources/contract.ts';
import { flag, listFlags, memberFilter } from '../flags.ts';

const operation = operations.contracts.list;

export const contractsList = defineCommand({
  path: 'contracts list',
  operation,
  examples: [
    'ttctl contracts list --project 5',
    'ttctl contracts list --member ana@example.com --status active',
  ],
  flags: [
    ...listFlags(operation),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    memberFilter(operation),
    flag(operation, 'status'),
  ],
  run: async ({ api, names, output, window }, { values }) => {
    await output.list(api.contracts.list(values).pages(window), {
      noun: contract.words[1],
      columns: contractColumns(names),
    });
  },
});
