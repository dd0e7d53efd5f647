import { operations } from '../../api/operations.ts';
import { defineDecisionCommand } from '../decide.ts';
import { flag } from '../flags.ts';
import { decidableLeave } from './decidable.ts';

const operation = operations.leaves.reject;
const transition = decidableLeave.resource.transitions.reject;

export const leavesReject = defineDecisionCommand(decidableLeave, transition, {
  operation,
  examples: ['ttctl leaves reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --reason "The release is that week"'],
  flags: [flag(operation, 'reason')],
  call: ({ leaves }, leaveRequestId, row) => leaves.reject({ ...row, leaveRequestId }),
});
