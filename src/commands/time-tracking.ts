import { operations } from '../api/operations.ts';
import { write } from '../changes/write.ts';
import { defineCommand, type Group, type Noun } from '../cli/command.ts';
import { writeFlags, zoneFlag } from './flags.ts';

const { stop } = operations.timeTracking;

export const timeTracking = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineCommand({
      path: 'time-tracking stop',
      operation: stop,
      examples: ['ttctl time-tracking stop'],
      flags: [...writeFlags(stop), zoneFlag],
      run: (context, { values, options }) =>
        write(context, options, {
          verb: ['stop', 'stopped'],
          noun: ['tracker', 'trackers'],
          values,
          call: (_, row) => context.api.timeTracking.stop(row),
          target: () => 'tracker',
          columns: [{ field: 'stopped_at', title: 'stopped', kind: 'time' }],
        }),
    }),
  ],
});
