import { operations } from '../../api/operations.ts';
import { balanceColumns } from '../../resources/leave/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand, periodOption } from '../command.ts';
import { flag } from '../options.ts';

const operation = operations.leaves.balances;

export const leavesBalances = (door: Door) =>
  listOptions(
    operationCommand('balances', operation, [
      'ttctl leaves balances --period this-year',
      'ttctl leaves balances --date-from 2026-01-01 --date-to 2026-12-31 --member ana@example.com',
    ]),
  )
    .addOption(flag(operation, 'date_from'))
    .addOption(flag(operation, 'date_to'))
    .addOption(periodOption())
    .addOption(flag(operation, 'user_id', { as: 'member', lookup: 'member' }))
    .action(
      runOperation(door, operation, async ({ api, names, output, window }, values) => {
        await output.list(api.leaves.balances(values).pages(window), {
          noun: 'leave balances',
          columns: balanceColumns(names),
          id: 'user_id',
        });
      }),
    );
