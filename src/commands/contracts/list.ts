import { operations } from '../../api/operations.ts';
import { contractColumns } from '../../resources/contract/columns.ts';
import { contract } from '../../resources/contract.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.contracts.list;

export const contractsList = (door: Door) =>
  listOptions(
    operationCommand('list', operation, [
      'ttctl contracts list --project 5',
      'ttctl contracts list --member ana@example.com --status active',
    ]),
  )
    .addOption(flag(operation, 'project_id', { as: 'project', lookup: 'project' }))
    .addOption(flag(operation, 'user_id', { as: 'member', lookup: 'member' }))
    .addOption(flag(operation, 'status'))
    .action(
      runOperation(door, operation, async ({ api, names, output, window }, values) => {
        await output.list(api.contracts.list(values).pages(window), {
          noun: contract.words[1],
          columns: contractColumns(names),
        });
      }),
    );
