import { operations } from '../../api/operations.ts';
import { defineDecisionCommand } from '../decide.ts';
import { decidableTimeRequest } from './decidable.ts';

const transition = decidableTimeRequest.resource.transitions.approve;

export const timeRequestsApprove = defineDecisionCommand(decidableTimeRequest, transition, {
  operation: operations.timeRequests.approve,
  examples: [
    'ttctl time-requests approve 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl time-requests approve --all --period last-week --dry-run',
  ],
  call: ({ timeRequests }, id) => timeRequests.approve({ id }),
});
