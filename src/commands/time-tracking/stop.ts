import { operations } from '../../api/operations.ts';
import { type One, one } from '../../bulk/one.ts';
import { type Door, runOperation } from '../../run.ts';
import { operationCommand, zoneOption } from '../command.ts';

const operation = operations.timeTracking.stop;

export const timeTrackingStop = (door: Door) =>
  operationCommand('stop', operation, ['ttctl time-tracking stop'])
    .addOption(zoneOption())
    .action(
      runOperation(door, operation, async (context, values, _targets, options) => {
        const work: One<typeof values> = {
          verb: ['stop', 'stopped'],
          noun: ['tracker', 'trackers'],
          values,
          call: (all) => context.api.timeTracking.stop(all),
          target: () => 'tracker',
          columns: [{ field: 'stopped_at', title: 'stopped', kind: 'time' }],
        };
        await one(context, work, options);
      }),
    );
