import { operations } from '../../api/operations.ts';
import { defineDecisionCommand } from '../decide.ts';
import { flag } from '../flags.ts';
import { decidableTimeRequest } from './decidable.ts';

const operation = operations.timeRequests.reject;
const transition = decidableTimeRequest.resource.transitions.reject;

export const timeRequestsReject = defineDecisionCommand(decidableTimeRequest, transition, {
  operation,
  examples: [
    'ttctl time-requests reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --comment "Already on the timesheet"',
  ],
  flags: [flag(operation, 'comment')],
  call: ({ timeRequests }, id, row) => timeRequests.reject({ ...row, id }),
});
