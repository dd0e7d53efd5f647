import { operations } from '../../api/operations.ts';
import { defineDecisionCommand } from '../decide.ts';
import { decidableTimesheet } from './decidable.ts';

const transition = decidableTimesheet.resource.transitions.approve;

export const timesheetsApprove = defineDecisionCommand(decidableTimesheet, transition, {
  operation: operations.timesheets.approve,
  examples: [
    'ttctl timesheets approve 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl timesheets approve --all --period last-week --dry-run',
    'ttctl timesheets approve --from-file sheets.csv --max-changes 50',
  ],
  call: ({ timesheets }, timesheetId) => timesheets.approve({ timesheetId }),
});
