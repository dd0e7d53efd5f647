import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { timesheetColumns } from '../../resources/timesheet/columns.ts';
import { listFlags, periodFlag } from '../flags.ts';
import { decidableTimesheet } from './decidable.ts';

const operation = operations.timesheets.list;

export const timesheetsList = defineCommand({
  path: 'timesheets list',
  operation,
  examples: [
    'ttctl timesheets list --status submitted',
    'ttctl timesheets list --period last-month --sort total_hours:desc',
    'ttctl timesheets list --period last-month --group-by user_id --sum total_hours',
  ],
  flags: [...listFlags(operation), ...decidableTimesheet.filters, periodFlag],
  run: async ({ api, names, output, window }, { values }) => {
    await output.list(api.timesheets.list(values).pages(window), {
      noun: decidableTimesheet.resource.words[1],
      columns: timesheetColumns(names, values.status !== undefined),
    });
  },
});
