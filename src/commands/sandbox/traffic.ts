import { allOperations } from '../../api/operations.ts';
import type { ListPage, Row } from '../../api/page.ts';
import { readText } from '../../changes/input/files.ts';
import { readTargets } from '../../changes/select.ts';
import { defineCommand, defineGroup } from '../../cli/command.ts';
import { Failure, UsageError } from '../../errors.ts';
import { parseJsonValue } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import type { SandboxControl } from '../../sandbox/control.ts';
import { groupFlags, variadic } from '../flags.ts';
import { defineVerb, loadHost, urlFlag } from './verb.ts';

const logColumns: readonly Column[] = [
  { field: 'at', title: 'time', kind: 'clock', width: 8 },
  { field: 'operation', width: 18 },
  { field: 'status', kind: 'number' },
  { field: 'remaining', title: 'left', kind: 'number', drop: 4 },
  { field: 'duration_ms', title: 'ms', kind: 'number', width: 4, drop: 5 },
  { field: 'fault', sparse: true, width: 17, drop: 1 },
  { field: 'unread', title: 'ignored fields', kind: 'list', sparse: true, drop: 2 },
  { field: 'path', kind: 'text', drop: 3 },
];
const logFields = [
  ...['id', 'request_id', 'at', 'operation', 'route', 'status', 'method', 'path', 'query', 'body'],
  ...['fault', 'remaining', 'unread', 'member', 'duration_ms'],
];

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
    { name: 'follow', short: 'f', about: 'show the latest 10 (or --limit), then new ones until Ctrl-C' },
    { name: 'limit', value: 'n', about: 'show only the latest <n>' },
    { name: 'clear', about: 'clear the log', unsafe: true },
  ],
  run: async (context, { options }) => {
    const control = (await loadHost(context)).openControl(context, options.url);
    const view = { noun: 'requests', columns: logColumns };
    if (options.clear === true) return context.output.record({ ...(await control.clearLog()) });
    if (options.follow === true) return context.output.follow(followLog(context, control), view);
    const pages = async function* () {
      yield await readLogPage(context.window.limit, control);
    };
    await context.output.list(pages(), view);
  },
});

type LogEntry = Awaited<ReturnType<SandboxControl['log']>>[number];

async function readLogPage(limit: number | undefined, control: SandboxControl): Promise<ListPage> {
  const all = await control.log();
  const rows = all.slice(-(limit ?? all.length));
  return { rows: rows.map(toRow), total: all.length, shortened: rows.length < all.length };
}

function toRow({ id, at, route, status, ...rest }: LogEntry): Row {
  const operation = allOperations.find((one) => one.route === route)?.id;
  return { id, at, operation: operation ?? `${rest.method} ${rest.path}`, route, status, ...rest };
}

const POLL_INTERVAL_MS = 200;
/** Earlier rows that are shown first, as `tail -f` does. */
const INITIAL_ROWS = 10;

/**
 * The latest rows, then each as it comes in, until Ctrl-C: that is no failure, but sets the exit code.
 * @throws UsageError with `--sort`, which needs an end
 */
async function* followLog(
  { clock, interrupted, output, exit, settings, window }: Run,
  control: SandboxControl,
): AsyncGenerator<Row> {
  if (settings.sort !== undefined)
    throw new UsageError('--follow cannot be used with --sort', { reason: 'Its output is endless.' });
  const { rows } = await readLogPage(window.limit ?? INITIAL_ROWS, control);
  yield* rows;
  let last = rows.at(-1)?.id;
  while (!interrupted.aborted) {
    await clock.sleep(POLL_INTERVAL_MS, interrupted).catch(() => undefined);
    let newEntries: readonly LogEntry[];
    try {
      newEntries = await control.log(typeof last === 'string' ? { after: last } : {});
    } catch (error) {
      // A server that was stopped ends the log; nothing went wrong.
      if (!(error instanceof Failure) || error.code !== 'network') throw error;
      return output.note('The sandbox has stopped.');
    }
    yield* newEntries.map(toRow);
    last = newEntries.at(-1)?.id ?? last;
  }
  exit(Number(interrupted.reason?.exit));
}

const deliveryColumns: readonly Column[] = [
  { field: 'event' },
  { field: 'status', kind: 'state' },
  { field: 'attempts', title: 'tries', kind: 'number' },
  { field: 'last_status', title: 'answer', sparse: true, drop: 1 },
  { field: 'next_attempt_at', title: 'next', kind: 'age', sparse: true, drop: 2 },
  { field: 'created_at', title: 'created', kind: 'age', drop: 3 },
  { field: 'reason', sparse: true, drop: 4 },
  { field: 'url', drop: 5 },
  { field: 'webhook_id', title: 'webhook', drop: 6 },
  { field: 'id' },
];

const STATUSES = ['pending', 'delivered', 'failed', 'refused'];

const view = { noun: 'deliveries', columns: deliveryColumns, fields: ['workspace_id'] };

export const sandboxWebhooks = defineGroup(
  'sandbox webhooks',
  'inspect and send webhook deliveries of the sandbox',
  [
    defineVerb({
      path: 'webhooks deliveries',
      looks: true,
      about: 'list webhook deliveries of the sandbox, newest first',
      examples: [
        'ttctl sandbox webhooks deliveries',
        'ttctl sandbox webhooks deliveries --status pending --output json',
      ],
      flags: [
        ...groupFlags,
        { name: 'status', value: 'status', about: 'only those of this status', choices: STATUSES },
        { name: 'limit', value: 'n', about: 'show only the latest <n>' },
      ],
      ...view,
      run: ({ control, options: { status } }) => control.deliveries({ status }),
    }),
    defineVerb({
      path: 'webhooks trigger',
      ...view,
      about: 'send a made-up event without changing the sandbox',
      examples: [
        'ttctl sandbox webhooks trigger tracker.started',
        'ttctl sandbox webhooks trigger project.created --data @project.json',
        'ttctl sandbox webhooks trigger my.event --webhook 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --data \'{"id":7}\'',
      ],
      exits: [5, 7],
      positionals: [
        { name: 'event', about: 'tracker.started, project.created or any other', required: true },
      ],
      flags: [
        { name: 'webhook', value: 'id', about: 'send only to this webhook, whatever its events' },
        { name: 'data', value: 'json', about: 'data as JSON, @file, or @- for stdin (default: a record)' },
      ],
      run: async ({ control, targets: [event = ''], options: { webhook, data: source }, context }) => {
        const { output } = context;
        const text = source?.startsWith('@') ? await readText(context.machine, source.slice(1)) : source;
        const data = text === undefined ? undefined : parseJsonValue(text);
        if (text !== undefined && data === undefined) throw new UsageError('--data is not JSON');
        const { known, deliveries } = await control.trigger({ event, webhook, data });
        if (!known) output.note(`The sandbox itself never sends ${event}.`);
        if (deliveries.length === 0) {
          const { kind } = await control.status();
          const create = commandLine`ttctl webhooks create --event ${event} --url <address>`;
          output.warn(`no webhook subscribes to ${event}, so nothing was sent`);
          output.note(`Create one: ${create}${kind === 'embedded' ? ' --profile sandbox' : ''}`);
        }
        return deliveries;
      },
    }),
    defineVerb({
      path: 'webhooks redeliver',
      ...view,
      about: 'send deliveries again now',
      examples: ['ttctl sandbox webhooks redeliver msg_4kPq0Zr8tYw2VbNc'],
      exits: [5, 7],
      positionals: [{ ...variadic('delivery', 'ids of deliveries, or - for stdin'), required: true }],
      run: async ({ control, targets, context }) =>
        control.redeliver({ ids: (await readTargets(context, targets, 'delivery')).map(({ text }) => text) }),
    }),
  ],
);
