import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { decide, decisionCommand } from './decide.ts';

const operation = operations.timesheets.unsubmit;

export const timesheetsUnsubmit = (door: Door) =>
  decisionCommand('unsubmit', operation, 'submitted', [
    'ttctl timesheets unsubmit 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
  ]).action(
    runOperation(door, operation, async (context, values, targets, options) => {
      await decide(context, {
        verb: ['unsubmit', 'taken back'],
        state: 'submitted',
        asks: false,
        targets,
        options,
        filters: values,
        call: (timesheetId) => context.api.timesheets.unsubmit({ timesheetId }),
      });
    }),
  );
