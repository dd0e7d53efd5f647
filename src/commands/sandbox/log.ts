import { type Command, Option } from 'commander';
import type { Column } from '../../context.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { told } from '../planned.ts';
import { unsafe } from '../unsafe.ts';
import { logFields } from './shown.ts';
import { urlOf, withUrl } from './target.ts';

const columns: readonly Column[] = [
  { field: 'at', title: 'time', kind: 'clock', width: 8 },
  { field: 'operation', width: 18 },
  { field: 'status', kind: 'number' },
  { field: 'remaining', title: 'left', kind: 'number', drop: 4 },
  { field: 'duration_ms', title: 'ms', kind: 'number', width: 4, drop: 5 },
  { field: 'fault', sparse: true, width: 17, drop: 1 },
  { field: 'unread', title: 'nobody reads', kind: 'list', sparse: true, drop: 2 },
  { field: 'command', kind: 'text', drop: 3 },
];

/** `sandbox log` */
export const sandboxLog = (door: Door, whole: () => Promise<Command>) =>
  withUrl(
    localCommand('log', 'show what came in, what became of it, and the command that sends the same', {
      examples: [
        'ttctl sandbox log --limit 20',
        'ttctl sandbox log --follow --output ndjson',
        'ttctl sandbox log --columns at,operation,unread --output csv',
      ],
      prints: { shape: 'list', fields: logFields },
      exits: [7],
    }),
  )
    .option(
      '-f, --follow',
      'show the latest 10, or so many as --limit says, then what comes in, until Ctrl-C',
    )
    .option('--limit <n>', 'only the latest so many')
    .addOption(unsafe(new Option('--clear', 'empty the log')))
    .action(
      run(door, async (context, _targets, options) => {
        const control = (await context.sandbox()).control(urlOf(options));
        if (options.clear === true) {
          const plan = context.settings.dryRun.value;
          if (!plan) await control.clearLog();
          return context.output.record(...told(plan, { cleared: !plan }));
        }
        const { followedLog, logPage } = await import('./log-pages.ts');
        const view = { control, root: await whole() };
        const about = { noun: 'requests', columns };
        if (options.follow === true) return context.output.follow(followedLog(context, view), about);
        const pages = async function* () {
          yield await logPage(context, view);
        };
        await context.output.list(pages(), about);
      }),
    );
