import { operations } from '../../api/operations.ts';
import { defineDecisionCommand } from '../decide.ts';
import { decidableLeave } from './decidable.ts';

const transition = decidableLeave.resource.transitions.approve;

export const leavesApprove = defineDecisionCommand(decidableLeave, transition, {
  operation: operations.leaves.approve,
  examples: [
    'ttctl leaves approve 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl leaves approve --all --member ana@example.com --period 2026-12 --dry-run',
  ],
  call: ({ leaves }, leaveRequestId) => leaves.approve({ leaveRequestId }),
});
