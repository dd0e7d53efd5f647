import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { logFields } from './output-fields.ts';
import { urlFlag } from './target.ts';

const columns: readonly Column[] = [
  { field: 'at', title: 'time', kind: 'clock', width: 8 },
  { field: 'operation', width: 18 },
  { field: 'status', kind: 'number' },
  { field: 'remaining', title: 'left', kind: 'number', drop: 4 },
  { field: 'duration_ms', title: 'ms', kind: 'number', width: 4, drop: 5 },
  { field: 'fault', sparse: true, width: 17, drop: 1 },
  { field: 'unread', title: 'ignored fields', kind: 'list', sparse: true, drop: 2 },
  { field: 'path', kind: 'text', drop: 3 },
];

/** `sandbox log` */
export const sandboxLog = defineCommand({
  path: 'sandbox log',
  about: 'show requests and responses',
  examples: [
    'ttctl sandbox log --limit 20',
    'ttctl sandbox log --follow --output ndjson',
    'ttctl sandbox log --columns at,operation,unread --output csv',
  ],
  prints: { shape: 'list', fields: logFields, flagged: { flag: '--clear', fields: ['cleared'] } },
  exits: [7],
  flags: [
    urlFlag,
    {
      name: 'follow',
      short: 'f',
      about: 'show the latest 10 (or --limit), then new requests until Ctrl-C',
    },
    { name: 'limit', value: 'n', about: 'show only the latest <n>' },
    { name: 'clear', about: 'clear the log', unsafe: true },
  ],
  run: async (context, { options }) => {
    const control = (await context.sandbox()).control(options.url);
    if (options.clear === true) {
      return context.output.record({ ...(await control.clearLog()) });
    }
    const { followLog, readLogPage } = await import('./log-pages.ts');
    const about = { noun: 'requests', columns };
    if (options.follow === true) return context.output.follow(followLog(context, control), about);
    const pages = async function* () {
      yield await readLogPage(context, control);
    };
    await context.output.list(pages(), about);
  },
});
