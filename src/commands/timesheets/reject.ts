import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { flag } from '../options.ts';
import { decide, decisionCommand } from './decide.ts';

const operation = operations.timesheets.reject;

export const timesheetsReject = (door: Door) =>
  decisionCommand('reject', operation, 'submitted', [
    'ttctl timesheets reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --reason "Friday is missing"',
  ])
    .addOption(flag(operation, 'reason'))
    .action(
      runOperation(door, operation, async (context, values, targets, options) => {
        await decide(context, {
          verb: ['reject', 'rejected'],
          state: 'submitted',
          asks: true,
          targets,
          options,
          filters: values,
          call: (timesheetId) => context.api.timesheets.reject({ ...values, timesheetId }),
        });
      }),
    );
