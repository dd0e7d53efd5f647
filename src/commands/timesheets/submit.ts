import { operations } from '../../api/operations.ts';
import { decisionCommand } from '../decide.ts';
import { timesheet } from './matter.ts';

const move = timesheet.resource.transitions.submit;

export const timesheetsSubmit = decisionCommand(timesheet, move, {
  operation: operations.timesheets.submit,
  examples: ['ttctl timesheets submit 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
  call: ({ timesheets }, timesheetId) => timesheets.submit({ timesheetId }),
});
