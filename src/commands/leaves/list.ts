import { operations } from '../../api/operations.ts';
import { leaveColumns } from '../../resources/leave/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { filtered } from '../decide.ts';
import { leave } from './matter.ts';

const operation = operations.leaves.list;

export const leavesList = (door: Door) =>
  filtered(
    listOptions(
      operationCommand('list', operation, [
        'ttctl leaves list --status pending',
        'ttctl leaves list --member ana@example.com --period this-month',
        'ttctl leaves list --policy 3 --paid no --output csv',
      ]),
    ),
    leave,
  ).action(
    runOperation(door, operation, async ({ api, names, output, window }, values) => {
      await output.list(api.leaves.list(values).pages(window), {
        noun: leave.resource.words[1],
        columns: leaveColumns(names, values.status !== undefined),
      });
    }),
  );
