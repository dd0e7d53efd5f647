import { operations } from '../../api/operations.ts';
import { defineDecisionCommand } from '../decide.ts';
import { flag } from '../flags.ts';
import { decidableTimesheet } from './decidable.ts';

const operation = operations.timesheets.reject;
const transition = decidableTimesheet.resource.transitions.reject;

export const timesheetsReject = defineDecisionCommand(decidableTimesheet, transition, {
  operation,
  examples: ['ttctl timesheets reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --reason "Friday is missing"'],
  flags: [flag(operation, 'reason')],
  call: ({ timesheets }, timesheetId, row) => timesheets.reject({ ...row, timesheetId }),
});
