import { operations } from '../../api/operations.ts';
import { decisionCommand } from '../decide.ts';
import { flag } from '../flags.ts';
import { timeRequest } from './matter.ts';

const operation = operations.timeRequests.reject;
const move = timeRequest.resource.transitions.reject;

export const timeRequestsReject = decisionCommand(timeRequest, move, {
  operation,
  examples: [
    'ttctl time-requests reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --comment "Already on the timesheet"',
  ],
  flags: [flag(operation, 'comment')],
  call: ({ timeRequests }, id, row) => timeRequests.reject({ ...row, id }),
});
