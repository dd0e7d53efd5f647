import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { decide, decisionCommand } from '../decide.ts';
import { timesheet } from './matter.ts';

const operation = operations.timesheets.submit;
const move = timesheet.resource.transitions.submit;

export const timesheetsSubmit = (door: Door) =>
  decisionCommand(timesheet, move, operation, [
    'ttctl timesheets submit 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
  ]).action(
    runOperation(door, operation, async (context, values, targets, options) => {
      const { api } = context;
      await decide(context, timesheet, {
        ...move,
        values,
        targets,
        options,
        call: (timesheetId) => api.timesheets.submit({ timesheetId }),
      });
    }),
  );
