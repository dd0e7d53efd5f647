import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { decide, decisionCommand } from '../decide.ts';
import { flag } from '../options.ts';
import { timeRequest } from './matter.ts';

const operation = operations.timeRequests.reject;
const move = timeRequest.resource.transitions.reject;

export const timeRequestsReject = (door: Door) =>
  decisionCommand(timeRequest, move, operation, [
    'ttctl time-requests reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --comment "Already on the timesheet"',
  ])
    .addOption(flag(operation, 'comment'))
    .action(
      runOperation(door, operation, async (context, values, targets, options) => {
        const { api } = context;
        await decide(context, timeRequest, {
          ...move,
          values,
          targets,
          options,
          call: (id, row) => api.timeRequests.reject({ ...row, id }),
        });
      }),
    );
