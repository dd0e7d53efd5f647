import { operations } from '../../api/operations.ts';
import { type One, one } from '../../changes/one.ts';
import { defineCommand } from '../../cli/command.ts';
import { writeFlags, zoneFlag } from '../flags.ts';

const operation = operations.timeTracking.stop;

export const timeTrackingStop = defineCommand({
  path: 'time-tracking stop',
  operation,
  examples: ['ttctl time-tracking stop'],
  flags: [...writeFlags(operation), zoneFlag],
  run: async (context, { values, options }) => {
    const work: One<typeof values> = {
      verb: ['stop', 'stopped'],
      noun: ['tracker', 'trackers'],
      values,
      call: (all) => context.api.timeTracking.stop(all),
      target: () => 'tracker',
      columns: [{ field: 'stopped_at', title: 'stopped', kind: 'time' }],
    };
    await one(context, work, options);
  },
});
