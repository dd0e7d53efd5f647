import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { decide, decisionCommand } from '../decide.ts';
import { flag } from '../options.ts';
import { timesheet } from './matter.ts';

const operation = operations.timesheets.reject;
const move = timesheet.resource.transitions.reject;

export const timesheetsReject = (door: Door) =>
  decisionCommand(timesheet, move, operation, [
    'ttctl timesheets reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --reason "Friday is missing"',
  ])
    .addOption(flag(operation, 'reason'))
    .action(
      runOperation(door, operation, async (context, values, targets, options) => {
        const { api } = context;
        await decide(context, timesheet, {
          ...move,
          values,
          targets,
          options,
          call: (timesheetId, row) => api.timesheets.reject({ ...row, timesheetId }),
        });
      }),
    );
