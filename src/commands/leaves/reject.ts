import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { decide, decisionCommand } from '../decide.ts';
import { flag } from '../options.ts';
import { leave } from './matter.ts';

const operation = operations.leaves.reject;
const move = leave.resource.transitions.reject;

export const leavesReject = (door: Door) =>
  decisionCommand(leave, move, operation, [
    'ttctl leaves reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --reason "The release is that week"',
  ])
    .addOption(flag(operation, 'reason'))
    .action(
      runOperation(door, operation, async (context, values, targets, options) => {
        const { api } = context;
        await decide(context, leave, {
          ...move,
          values,
          targets,
          options,
          call: (leaveRequestId, row) => api.leaves.reject({ ...row, leaveRequestId }),
        });
      }),
    );
