import { operations } from '../../api/operations.ts';
import { decisionCommand } from '../decide.ts';
import { flag } from '../flags.ts';
import { leave } from './matter.ts';

const operation = operations.leaves.reject;
const move = leave.resource.transitions.reject;

export const leavesReject = decisionCommand(leave, move, {
  operation,
  examples: ['ttctl leaves reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --reason "The release is that week"'],
  flags: [flag(operation, 'reason')],
  call: ({ leaves }, leaveRequestId, row) => leaves.reject({ ...row, leaveRequestId }),
});
