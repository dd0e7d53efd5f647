import { tracker } from '../api/records.ts';
import { zoneFlag } from '../commands/flags.ts';
import { defineResource } from './define.ts';

export const timeTracking = defineResource('timeTracking', {
  record: tracker,
  label: [],
  verbs: {
    stop: {
      does: 'act',
      examples: ['ttctl time-tracking stop'],
      verb: ['stop', 'stopped'],
      flags: [zoneFlag],
      columns: [{ field: 'stopped_at', title: 'stopped', kind: 'time' }],
      // No record shows a tracker, so nothing proves it: to ask again is the only way to see, and that is a write.
    },
  },
});
