import { allOperations } from '../../api/operations.ts';
import type { ListPage, Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { Failure, UsageError } from '../../errors.ts';
import type { Column } from '../../output/list-view.ts';
import type { SandboxControl } from '../../sandbox/control.ts';
import { loadHost, urlFlag } from './verb.ts';

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
const fields = [
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
  prints: { shape: 'list', fields, flagged: { flag: '--clear', fields: ['cleared'] } },
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
    const control = (await loadHost()).openControl(context, options.url);
    const view = { noun: 'requests', columns };
    if (options.clear === true) return context.output.record({ ...(await control.clearLog()) });
    if (options.follow === true) return context.output.follow(followLog(context, control), view);
    const pages = async function* () {
      yield await readLogPage(context.window.limit, control);
    };
    await context.output.list(pages(), view);
  },
});

type LogEntry = Awaited<ReturnType<SandboxControl['log']>>[number];

/** The row with the name of its operation. */
const toRow = ({ id, at, route, status, ...rest }: LogEntry): Row => ({
  id,
  at,
  operation: allOperations().find((one) => one.route === route)?.id ?? `${rest.method} ${rest.path}`,
  route,
  status,
  ...rest,
});

/** The latest rows, as many as `--limit` says. */
const readLogPage = async (limit: number | undefined, control: SandboxControl): Promise<ListPage> => {
  const all = await control.log();
  const rows = all.slice(-(limit ?? all.length));
  return { rows: rows.map(toRow), total: all.length, shortened: rows.length < all.length };
};

const POLL_INTERVAL_MS = 200;
/** Earlier rows that are shown first, as `tail -f` does. */
const INITIAL_ROWS = 10;

/** A server that was stopped ends the log; nothing went wrong. */
const ignoreNetworkFailure = (error: unknown): undefined => {
  if (error instanceof Failure && error.code === 'network') return undefined;
  throw error;
};

/**
 * The latest rows, then each as it comes in, until Ctrl-C: that is no failure, but sets the exit code.
 * @throws UsageError with `--sort`, which needs an end
 */
async function* followLog(
  { clock, interrupted, output, exit, settings, window }: Context,
  control: SandboxControl,
): AsyncGenerator<Row> {
  if (settings.sort !== undefined)
    throw new UsageError('--follow cannot be used with --sort', { reason: 'Its output is endless.' });
  const { rows } = await readLogPage(window.limit ?? INITIAL_ROWS, control);
  yield* rows;
  let last = rows.at(-1)?.id;
  while (!interrupted.aborted) {
    await clock.sleep(POLL_INTERVAL_MS, interrupted).catch(() => undefined);
    const newEntries = await control
      .log(typeof last === 'string' ? { after: last } : {})
      .catch(ignoreNetworkFailure);
    if (newEntries === undefined) return output.note('The sandbox has stopped.');
    yield* newEntries.map(toRow);
    last = newEntries.at(-1)?.id ?? last;
  }
  exit(Number(interrupted.reason?.exit));
}
