import { operations } from '../../api/operations.ts';
import { memberColumns } from '../../resources/member/columns.ts';
import { member } from '../../resources/member.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.members.list;

export const membersList = (door: Door) =>
  listOptions(
    operationCommand('list', operation, [
      'ttctl members list',
      'ttctl members list --role team-manager --status active',
      'ttctl members list --columns id,email,current_role --output csv',
    ]),
  )
    .addOption(flag(operation, 'email'))
    .addOption(flag(operation, 'status'))
    .addOption(flag(operation, 'role'))
    .action(
      runOperation(door, operation, async ({ api, output, window }, values) => {
        await output.list(api.members.list(values).pages(window), {
          noun: member.words[1],
          columns: memberColumns,
        });
      }),
    );
