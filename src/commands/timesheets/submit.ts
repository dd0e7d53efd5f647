import { operations } from '../../api/operations.ts';
import { defineDecisionCommand } from '../decide.ts';
import { decidableTimesheet } from './decidable.ts';

const transition = decidableTimesheet.resource.transitions.submit;

export const timesheetsSubmit = defineDecisionCommand(decidableTimesheet, transition, {
  operation: operations.timesheets.submit,
  examples: ['ttctl timesheets submit 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
  call: ({ timesheets }, timesheetId) => timesheets.submit({ timesheetId }),
});
