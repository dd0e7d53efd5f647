import { operations } from '../../api/operations.ts';
import { type Door, runOperation } from '../../run.ts';
import { decide, decisionCommand } from './decide.ts';

const operation = operations.timesheets.approve;

export const timesheetsApprove = (door: Door) =>
  decisionCommand('approve', operation, 'submitted', [
    'ttctl timesheets approve 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    'ttctl timesheets approve --all --period last-week --dry-run',
  ]).action(
    runOperation(door, operation, async (context, values, targets, options) => {
      await decide(context, {
        verb: ['approve', 'approved'],
        state: 'submitted',
        asks: true,
        targets,
        options,
        filters: values,
        call: (timesheetId) => context.api.timesheets.approve({ timesheetId }),
      });
    }),
  );
