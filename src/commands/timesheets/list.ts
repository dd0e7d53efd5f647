import { operations } from '../../api/operations.ts';
import { timesheetColumns } from '../../resources/timesheet/columns.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';
import { filtered } from '../decide.ts';
import { timesheet } from './matter.ts';

const operation = operations.timesheets.list;

export const timesheetsList = (door: Door) =>
  filtered(
    listOptions(
      operationCommand('list', operation, [
        'ttctl timesheets list --status submitted',
        'ttctl timesheets list --period last-month --sort total_hours:desc',
        'ttctl timesheets list --period last-month --group-by user_id --sum total_hours',
      ]),
    ),
    timesheet,
  ).action(
    runOperation(door, operation, async ({ api, names, output, window }, values) => {
      await output.list(api.timesheets.list(values).pages(window), {
        noun: timesheet.resource.words[1],
        columns: timesheetColumns(names, values.status !== undefined),
      });
    }),
  );
