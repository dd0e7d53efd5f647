import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand, periodOption } from '../command.ts';
import { flag } from '../options.ts';
import { timesheetColumns } from './columns.ts';

const operation = operations.timesheets.list;

export const timesheetsList = (door: Door) =>
  listOptions(
    operationCommand('list', operation, [
      'ttctl timesheets list --status submitted',
      'ttctl timesheets list --period last-month --sort total_hours:desc',
    ]),
  )
    .addOption(flag(operation, 'status'))
    .addOption(flag(operation, 'date_from'))
    .addOption(flag(operation, 'date_to'))
    .addOption(periodOption())
    .addOption(flag(operation, 'id'))
    .action(
      runOperation(door, operation, async ({ api, names, output, window }, values) => {
        await output.list(api.timesheets.list(values).pages(window), {
          noun: 'timesheets',
          columns: timesheetColumns(names),
        });
      }),
    );
