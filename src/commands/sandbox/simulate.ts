import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { parseDuration } from '../../parsing/duration.ts';
import { printLocalChange } from '../local-change.ts';
import { formatInspect, urlFlag } from './target.ts';

const columns: readonly Column[] = [
  { field: 'from', kind: 'time' },
  { field: 'to', kind: 'time' },
  { field: 'people', kind: 'number' },
  { field: 'tracked_hours', kind: 'hours' },
  { field: 'trackers_started', kind: 'number' },
  { field: 'trackers_stopped', kind: 'number' },
  { field: 'trackers_running', kind: 'number' },
  { field: 'timesheets_submitted', kind: 'number' },
  { field: 'leaves_asked', title: 'leaves requested', kind: 'number' },
  { field: 'time_requests_made', kind: 'number' },
  { field: 'expenses_booked', kind: 'number' },
  { field: 'events', kind: 'number' },
];

export const sandboxSimulate = defineCommand({
  path: 'sandbox simulate',
  about: 'simulate people at work over time; you make the decisions',
  examples: ['ttctl sandbox simulate 2w', 'ttctl sandbox simulate 3d --dry-run --output json'],
  prints: { shape: 'record', fields: columns.map(({ field }) => field) },
  exits: [7],
  positionals: [
    { name: 'duration', about: 'such as 8h, 3d, 2w; advances the clock of the sandbox', required: true },
  ],
  flags: [urlFlag],
  run: async (context, { targets: [duration = ''], options }) => {
    const by = parseDuration(duration);
    const control = (await context.sandbox()).control(options.url);
    const record = { ...(await control.simulate({ by_ms: by, plan: context.settings.dryRun.value })) };
    const text = `${duration} of work were simulated`;
    await printLocalChange(context, { record, columns, text, inspectLine: formatInspect('status', options) });
  },
});
