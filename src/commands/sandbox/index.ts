import { printChange } from '../../changes/report.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import type { Flag, OptionValues } from '../../cli/flag.ts';
import { forgetProfile } from '../../completion/names.ts';
import { SANDBOX_PROFILE } from '../../config/settings.ts';
import type { Column } from '../../output/list-view.ts';
import { commandLine, quoteShellWord } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import type { SandboxServerInfo, ServeOptions } from '../../sandbox-host/serve.ts';
import { parsePort } from '../values.ts';
import { sandboxApp, sandboxClock, sandboxFault, sandboxSnapshot, sandboxToken } from './state.ts';
import { sandboxLog, sandboxWebhooks } from './traffic.ts';
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
  {
    name: 'allow-webhooks-to',
    value: 'host',
    about: 'also deliver webhooks to this host, not only to this machine; may be repeated',
    repeatable: true,
    unsafe: true,
  },
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
  run: async (context, { options }) => {
    const { output, settings, exit } = context;
    const { serve, serveDetached } = await loadServe(context);
    const limits = options.limits === false ? 'off' : undefined;
    const place = { port: parsePort('--port', options.port), state: options.state, limits } as const;
    const serveOptions = { ...readServeFlags(options), ...place };
    const { from, name, value } = settings.baseUrl ?? {};
    const printReady = async (server: SandboxServerInfo): Promise<void> => {
      if (from === 'environment' && value !== server.base_url)
        output.warn(
          `${name} is ${value}. To use this server: eval "$(${commandLine`ttctl sandbox env --url ${server.url}`})"`,
        );
      if (settings.embedded) output.warn(EMBEDDED);
      if (settings.output.value.errorsAsJson) return output.text(JSON.stringify(server));
      await output.text(`Sandbox ready at ${server.base_url} (process ${server.pid})`);
    };
    if (options.detach !== true) return exit(await serve(context, serveOptions, printReady));
    const server = await serveDetached(context, serveOptions);
    const text = `a sandbox was started at ${server.base_url}`;
    await printChange({ output }, printReady(server), { text, inspectLine: formatInspect(server.url) });
  },
});

async function loadServe(context: Run) {
  await loadHost(context);
  return import('../../sandbox-host/serve.ts');
}

function readServeFlags(flags: OptionValues<typeof serveFlags>): Omit<ServeOptions, 'port'> {
  const { seed, dialect, autoApprove, allowWebhooksTo } = flags;
  return { seed, dialect, autoApprove, allowWebhooksTo };
}

const sandboxStop = defineCommand({
  path: 'sandbox stop',
  about: 'stop the running sandbox server',
  examples: ['ttctl sandbox stop'],
  prints: { shape: 'record', fields: ['stopped', 'url'] },
  exits: [7],
  flags: [urlFlag],
  run: async (context, { options }) => {
    const { output } = context;
    const url = await (await loadHost(context)).stopServer(context, options.url);
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
  { field: 'uptime_seconds', title: 'up (seconds)', kind: 'number' },
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
  run: async ({ control, context }) => {
    const status = await control.status();
    const server = (await loadHost(context)).findRunningServer(context);
    if (server !== undefined && status.kind === 'embedded')
      context.output.note(`A server is also running: ${formatInspect(server.url)}`);
    if (server === undefined || server.url !== status.url) return status;
    const { base_url, auth_url, token_url, port } = server;
    return { ...status, base_url, auth_url, token_url, port };
  },
});

const sandboxReset = defineVerb({
  path: 'reset',
  about: 'reset the sandbox to a seed; all its tokens expire',
  examples: ['ttctl sandbox reset', 'ttctl sandbox reset --seed month-end'],
  more: [KEEPS_NOTHING],
  flags: [
    { ...seedFlag, default: 'demo' },
    { name: 'limits', about: 'apply the rate limits of the service' },
  ],
  columns: statusColumns,
  run: ({ control, options: { seed, limits }, context: { directories } }) => {
    if (directories.cache !== undefined) forgetProfile(directories.cache, SANDBOX_PROFILE);
    return control.reset({ seed, limits: limits === true });
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
  run: async (context, { targets: command, options }) => {
    const limits = options.limits === true ? undefined : 'off';
    const own = { port: 0, limits, keepState: options.keepState } as const;
    const serveOptions = { ...readServeFlags(options), ...own };
    const { execWithSandbox } = await loadServe(context);
    context.exit(await execWithSandbox(context, command, serveOptions));
  },
});

const variables = [
  ...['BASE_URL', 'AUTH_URL', 'TOKEN_URL', 'TOKEN', 'WORKSPACE', 'PROFILE', 'SANDBOX_SECRET', 'RATE_LIMIT'],
].map((name) => `TTCTL_${name}`);

const sandboxEnv = defineCommand({
  path: 'sandbox env',
  about: 'print the variables that point a shell at the running server, with a token',
  examples: ['ttctl sandbox env', 'ttctl sandbox env --output json'],
  prints: { shape: 'record', fields: variables },
  exits: [7],
  flags: [urlFlag],
  run: async (context, { options }) => {
    const { output, settings } = context;
    const values = await (await loadHost(context)).loadVariables(context, options.url);
    if (settings.output.value.shape !== 'screen') return output.record({ ...values });
    const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quoteShellWord(value)}`);
    await output.text(lines.join('\n'));
  },
});
