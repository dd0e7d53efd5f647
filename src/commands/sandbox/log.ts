import type { Command } from 'commander';
import type { Column } from '../../context.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { urlOf, withUrl } from './target.ts';

const columns: readonly Column[] = [
  { field: 'at', title: 'time', kind: 'text', show: (row) => String(row.at).slice(11, 19) },
  { field: 'operation' },
  { field: 'status', kind: 'number' },
  { field: 'remaining', title: 'left', kind: 'number', drop: 4 },
  { field: 'duration_ms', title: 'ms', kind: 'number', drop: 5 },
  { field: 'fault', sparse: true, drop: 1 },
  { field: 'unread', title: 'nobody reads', kind: 'list', sparse: true, drop: 2 },
  { field: 'command', kind: 'text', drop: 3 },
];

/** Of a list that goes on nobody knows yet what will be in it. */
const always = columns.map(({ sparse: _sparse, ...column }): Column => column);

/** `sandbox log` */
export const sandboxLog = (door: Door, whole: () => Promise<Command>) =>
  withUrl(
    localCommand('log', 'show what came in, what became of it, and the command that sends the same', {
      examples: [
        'ttctl sandbox log --limit 20',
        'ttctl sandbox log --follow --output ndjson',
        'ttctl sandbox log --columns at,operation,unread --output csv',
      ],
    }),
  )
    .option('-f, --follow', 'go on with what comes in, until Ctrl-C')
    .option('--limit <n>', 'only the latest so many')
    .option('--clear', 'empty the log')
    .action(
      run(door, async (context, _targets, options) => {
        const control = (await context.sandbox()).control(urlOf(options));
        if (options.clear === true) {
          await control.clearLog();
          return context.output.record({ cleared: true });
        }
        const { logPages } = await import('./log-pages.ts');
        const follow = options.follow === true;
        const pages = await logPages(context, { control, follow, root: await whole() });
        const view = follow ? { columns: always, live: true as const } : { columns };
        await context.output.list(pages, { noun: 'requests', ...view });
      }),
    );
