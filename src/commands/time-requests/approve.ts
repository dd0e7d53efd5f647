import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { decide, decisionCommand } from '../decide.ts';
import { timeRequest } from './matter.ts';

const operation = operations.timeRequests.approve;
const move = timeRequest.resource.transitions.approve;

export const timeRequestsApprove = (door: Door) =>
  decisionCommand(timeRequest, move, operation, [
    'ttctl time-requests approve 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl time-requests approve --all --period last-week --dry-run',
  ]).action(
    runOperation(door, operation, async (context, values, targets, options) => {
      const { api } = context;
      await decide(context, timeRequest, {
        ...move,
        values,
        targets,
        options,
        call: (id) => api.timeRequests.approve({ id }),
      });
    }),
  );
