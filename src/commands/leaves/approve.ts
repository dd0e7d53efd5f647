import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { decide, decisionCommand } from '../decide.ts';
import { leave } from './matter.ts';

const operation = operations.leaves.approve;
const move = leave.resource.transitions.approve;

export const leavesApprove = (door: Door) =>
  decisionCommand(leave, move, operation, [
    'ttctl leaves approve 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl leaves approve --all --member ana@example.com --period 2026-12 --dry-run',
  ]).action(
    runOperation(door, operation, async (context, values, targets, options) => {
      const { api } = context;
      await decide(context, leave, {
        ...move,
        values,
        targets,
        options,
        call: (leaveRequestId) => api.leaves.approve({ leaveRequestId }),
      });
    }),
  );
