import type { Column } from '../../context.ts';
import { readDuration } from '../../notation/duration.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

const columns: readonly Column[] = [
  { field: 'from', kind: 'time' },
  { field: 'to', kind: 'time' },
  { field: 'people', kind: 'number' },
  { field: 'tracked_hours', kind: 'hours' },
  { field: 'trackers_started', kind: 'number' },
  { field: 'trackers_stopped', kind: 'number' },
  { field: 'trackers_running', kind: 'number' },
  { field: 'timesheets_submitted', kind: 'number' },
  { field: 'leaves_asked', title: 'leaves asked for', kind: 'number' },
  { field: 'time_requests_made', kind: 'number' },
  { field: 'expenses_booked', kind: 'number' },
  { field: 'events', kind: 'number' },
];

export const sandboxSimulate = (door: Door) =>
  withUrl(
    localCommand('simulate', 'simulate people at work while time passes; decisions are left to you', {
      examples: ['ttctl sandbox simulate 2w', 'ttctl sandbox simulate 3d --dry-run --output json'],
      prints: { shape: 'record', fields: columns.map(({ field }) => field) },
      exits: [7],
    }),
  )
    .argument('<duration>', 'such as 8h, 3d, 2w; the clock of the sandbox moves with it')
    .action(
      run(door, async (context, [duration = ''], options) => {
        const by = readDuration(duration);
        const control = (await context.sandbox()).control(urlOf(options));
        const record = { ...(await control.simulate({ by_ms: by, plan: context.settings.dryRun.value })) };
        const text = `${duration} of work were simulated`;
        await tellChange(context, { record, columns, text, look: lookAt('status', options) });
      }),
    );
