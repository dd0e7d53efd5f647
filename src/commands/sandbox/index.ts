import { allOperations } from '../../api/operations.ts';
import type { ListPage, Row } from '../../api/page.ts';
import { readText } from '../../changes/input/files.ts';
import { pluralize, printChange } from '../../changes/report.ts';
import { readTargets } from '../../changes/select.ts';
import { RunStore } from '../../changes/store.ts';
import { defineCommand, defineGroup, type Group, type Noun } from '../../cli/command.ts';
import type { Flag } from '../../cli/flag.ts';
import { forgetProfile } from '../../completion/names.ts';
import { SANDBOX_PROFILE } from '../../config/settings.ts';
import { Failure, UsageError } from '../../errors.ts';
import { parseJsonValue } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { commandLine, quoteShellWord } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import type { SandboxControl } from '../../sandbox/control.ts';
import type { SandboxServerInfo } from '../../sandbox-host/serve.ts';
import { groupFlags, variadic } from '../flags.ts';
import { parsePort } from '../values.ts';
import { sandboxApp, sandboxClock, sandboxFault, sandboxSnapshot, sandboxToken } from './state.ts';
import { defineVerb, formatInspect, KEEPS_NOTHING, loadHost, urlFlag } from './verb.ts';

export function sandbox(noun: Noun): Group {
  return {
    ...noun,
    commands: [
      ...[sandboxStart, sandboxStop, sandboxStatus, sandboxReset, sandboxExec, sandboxEnv],
      ...[sandboxClock, sandboxFault, sandboxLog, sandboxSnapshot, sandboxToken, sandboxApp, sandboxWebhooks],
    ],
  };
}

const seedFlag = {
  name: 'seed',
  value: 'name',
  about: 'demo, agency, month-end, messy, big, empty, or a seed file',
} as const satisfies Flag;

const serveFlags = [
  seedFlag,
  { name: 'dialect', value: 'choices', about: 'imitate another service: pagination=top,created=200' },
  { name: 'allow-webhooks-to', value: 'host', about: 'also deliver there', repeatable: true, unsafe: true },
  { name: 'auto-approve', value: 'email', about: 'approve OAuth2 requests as this person', unsafe: true },
] as const satisfies readonly Flag[];

const EMBEDDED = `The profile sandbox is the embedded sandbox, not this server. To use this server: eval "$(ttctl sandbox env)"`;

const sandboxStart = defineCommand({
  path: 'sandbox start',
  about: 'serve a sandbox on 127.0.0.1',
  examples: [
    'ttctl sandbox start',
    'ttctl sandbox start --port 0 --seed month-end --detach --json',
    'ttctl sandbox start --auto-approve nora@lindenhof.example',
  ],
  prints: { shape: 'record', fields: ['url', 'base_url', 'auth_url', 'token_url', 'port', 'pid'] },
  flags: [
    { name: 'port', value: 'n', about: 'port to listen on; 0 for a free port', default: '4747' },
    { name: 'state', value: 'file', about: 'store the state in this file (default: in memory)' },
    { name: 'no-limits', about: 'disable rate limits', unsafe: true },
    ...serveFlags,
    { name: 'detach', about: 'serve in the background' },
  ],
  run: async (run, { options }) => {
    const { output, settings, exit } = run;
    const { serve, serveDetached } = await loadServe(run);
    const limits = options.limits === false ? 'off' : undefined;
    const serveOptions = { ...options, port: parsePort('--port', options.port), limits } as const;
    const printReady = async (server: SandboxServerInfo): Promise<void> => {
      if (settings.embedded) output.warn(EMBEDDED);
      if (settings.output.value.errorsAsJson) return output.text(JSON.stringify(server));
      await output.text(`Sandbox ready at ${server.base_url} (process ${server.pid})`);
    };
    if (options.detach !== true) return exit(await serve(run, serveOptions, printReady));
    const server = await serveDetached(run, serveOptions);
    const text = `a sandbox was started at ${server.base_url}`;
    await printChange({ output }, printReady(server), { text, inspectLine: formatInspect(server.url) });
  },
});

async function loadServe(run: Run) {
  await loadHost(run);
  return import('../../sandbox-host/serve.ts');
}

const sandboxStop = defineCommand({
  path: 'sandbox stop',
  about: 'stop the running sandbox server',
  prints: { shape: 'record', fields: ['stopped', 'url'] },
  exits: [7],
  flags: [urlFlag],
  run: async (run, { options }) => {
    const { output } = run;
    const url = await (await loadHost(run)).stopServer(run, options.url);
    if (url === undefined) {
      output.note('No sandbox server is running.');
      return output.record({ stopped: false });
    }
    const text = `the sandbox server at ${url} was stopped`;
    const printing = output.record({ stopped: true, url });
    await printChange({ output }, printing, { text, inspectLine: formatInspect(undefined) });
  },
});

const statusColumns: readonly (Column | string)[] = [
  ...['kind', 'running', 'url'],
  { field: 'pid', title: 'process' },
  { field: 'uptime_seconds', title: 'uptime (seconds)', kind: 'number' },
  'seed',
  { field: 'now', kind: 'time' },
  'state',
  { field: 'rate_limit', title: 'limits' },
  'workspaces',
  { field: 'tokens', kind: 'number' },
];

const sandboxStatus = defineVerb({
  path: 'status',
  about: 'show the current sandbox and its contents',
  looks: true,
  columns: statusColumns,
  run: async ({ control, run }) => {
    const status = await control.status();
    const server = (await loadHost(run)).findRunningServer(run);
    if (server === undefined || server.url !== status.url) return status;
    const { base_url, auth_url, token_url, port } = server;
    return { ...status, base_url, auth_url, token_url, port };
  },
});

const SEEDS = `demo :: 14 people, all states; two have not submitted, one is away today
agency :: 60 people, 25 projects, last week's timesheets waiting
month-end :: 45 people; 180 timesheets, 40 leaves, 60 time requests waiting
messy :: equal names, right-to-left and wide characters, formulas, nulls
big :: 5,000 people; big:50000 has 50,000
empty :: only the owner`;

const sandboxReset = defineVerb({
  path: 'reset',
  about: 'reset the sandbox to a seed; all its tokens expire',
  examples: ['ttctl sandbox reset', 'ttctl sandbox reset --seed month-end'],
  more: [
    { title: 'Seeds', text: SEEDS },
    KEEPS_NOTHING,
    { title: 'History', text: 'Writes to the embedded sandbox are removed from the history.' },
  ],
  flags: [
    { ...seedFlag, default: 'demo' },
    { name: 'limits', about: 'apply the rate limits of the service' },
  ],
  columns: statusColumns,
  run: async ({ control, options: { seed, limits }, run }) => {
    const { cache } = run.directories;
    if (cache !== undefined) forgetProfile(cache, SANDBOX_PROFILE);
    const status = await control.reset({ seed, limits: limits === true });
    if (status.kind === 'embedded') await new RunStore(run).forget('embedded');
    return status;
  },
  print({ seed, workspaces: [first] }, { output, settings }) {
    const isText = settings.output.value.shape === 'screen' && !settings.columns && !settings.query;
    if (first === undefined || !isText) return undefined;
    const { members, projects, waiting } = first;
    const counts = [
      pluralize(members, ['person', 'people']),
      pluralize(projects, ['project', 'projects']),
      `${pluralize(waiting, ['request', 'requests'])} waiting`,
    ];
    return output.text(`Reset to ${seed}: ${counts.join(', ')}.`);
  },
});

const sandboxExec = defineCommand({
  path: 'sandbox exec',
  about: 'run a command against a temporary sandbox, and exit with its code',
  examples: ['ttctl sandbox exec -- npm test', 'ttctl sandbox exec --seed month-end -- sh ./approve-all.sh'],
  prints: { shape: 'text', about: 'the output of the command' },
  exits: [126, 127],
  positionals: [{ name: 'command', about: 'command to run, after --', required: true, variadic: true }],
  flags: [
    { name: 'keep-state', about: 'let the command use your config, state and cache', unsafe: true },
    { name: 'limits', about: 'apply the rate limits of the service' },
    ...serveFlags,
  ],
  run: async (run, { targets: command, options }) => {
    const limits = options.limits === true ? undefined : 'off';
    const { execWithSandbox } = await loadServe(run);
    run.exit(await execWithSandbox(run, command, { ...options, port: 0, limits }));
  },
});

const variables = [
  ...['BASE_URL', 'AUTH_URL', 'TOKEN_URL', 'TOKEN', 'WORKSPACE', 'PROFILE', 'SANDBOX_SECRET', 'RATE_LIMIT'],
].map((name) => `TTCTL_${name}`);

const sandboxEnv = defineCommand({
  path: 'sandbox env',
  about: 'print the variables that point a shell at the running server, with a token',
  prints: { shape: 'record', fields: variables },
  exits: [7],
  flags: [urlFlag],
  run: async (run, { options }) => {
    const { output, settings } = run;
    const values = await (await loadHost(run)).loadVariables(run, options.url);
    if (settings.output.value.shape !== 'screen') return output.record({ ...values });
    const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quoteShellWord(value)}`);
    await output.text(lines.join('\n'));
  },
});

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

const sandboxLog = defineCommand({
  path: 'sandbox log',
  about: 'show requests and responses',
  examples: ['ttctl sandbox log --limit 20', 'ttctl sandbox log --follow --output ndjson'],
  prints: { shape: 'list', fields: logFields, flagged: { flag: '--clear', fields: ['cleared'] } },
  exits: [7],
  flags: [
    urlFlag,
    { name: 'follow', short: 'f', about: 'show the latest 10 (or --limit), then new ones until Ctrl-C' },
    { name: 'limit', value: 'n', about: 'show only the latest <n>' },
    { name: 'clear', about: 'clear the log', unsafe: true },
  ],
  run: async (run, { options }) => {
    const control = (await loadHost(run)).openControl(run, options.url);
    const view = { noun: 'requests', columns: logColumns };
    if (options.clear === true) return run.output.record({ ...(await control.clearLog()) });
    if (options.follow === true) return run.output.follow(followLog(run, control), view);
    const pages = async function* () {
      yield await readLogPage(run.window.limit, control);
    };
    await run.output.list(pages(), view);
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

const sandboxWebhooks = defineGroup(
  'sandbox webhooks',
  'inspect and send webhook deliveries of the sandbox',
  [
    defineVerb({
      path: 'webhooks deliveries',
      looks: true,
      about: 'list webhook deliveries of the sandbox, newest first',
      examples: ['ttctl sandbox webhooks deliveries', 'ttctl sandbox webhooks deliveries --status pending'],
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
      examples: ['ttctl sandbox webhooks trigger project.created --data @project.json'],
      exits: [7],
      positionals: [
        { name: 'event', about: 'tracker.started, project.created or any other', required: true },
      ],
      flags: [
        { name: 'data', value: 'json', about: 'data as JSON, @file, or @- for stdin (default: a record)' },
      ],
      run: async ({ control, targets: [event = ''], options, run }) => {
        const { output } = run;
        const { data: source } = options;
        const text = source?.startsWith('@') ? await readText(run.machine, source.slice(1)) : source;
        const data = text === undefined ? undefined : parseJsonValue(text);
        if (text !== undefined && data === undefined) throw new UsageError('--data is not JSON');
        const { known, deliveries } = await control.trigger({ event, data });
        if (!known) output.note(`The sandbox itself never sends ${event}.`);
        if (deliveries.length === 0) {
          const { url: origin } = await control.status();
          const create = commandLine`ttctl webhooks create --event ${event} --url <address>`;
          const { leadTo } = await loadHost(run);
          output.warn(`no webhook subscribes to ${event}, so nothing was sent`);
          output.note(`Create one: ${leadTo(run.settings, origin, create, options.url)}`);
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
      run: async ({ control, targets, run }) =>
        control.redeliver({ ids: (await readTargets(run, targets, 'delivery')).map(({ text }) => text) }),
    }),
  ],
);
