import { operations } from '../../api/operations.ts';
import { writeOne } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { writeFlags, zoneFlag } from '../flags.ts';

const operation = operations.timeTracking.stop;

export const timeTrackingStop = defineCommand({
  path: 'time-tracking stop',
  operation,
  examples: ['ttctl time-tracking stop'],
  flags: [...writeFlags(operation), zoneFlag],
  run: async (context, { values, options }) => {
    await writeOne(context, options, {
      verb: ['stop', 'stopped'],
      noun: ['tracker', 'trackers'],
      values,
      call: (_, row) => context.api.timeTracking.stop(row),
      target: () => 'tracker',
      columns: [{ field: 'stopped_at', title: 'stopped', kind: 'time' }],
    });
  },
});
