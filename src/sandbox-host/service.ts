import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { parseJson } from '../json/parse.ts';
import { removeCredentials } from '../platform/child-environment.ts';
import type { Machine } from '../platform/machine.ts';
import { readText } from '../runtime/input.ts';
import { parseFailure } from '../sandbox/control-client.ts';
import { type Locator, listServerAddresses } from '../sandbox/locator.ts';
import type { SandboxServerInfo, SandboxService, ServeOptions } from '../sandbox/service.ts';
import {
  findLivingAddress,
  findRunningServer,
  findServerAddress,
  isAnswering,
  openControl,
  removeLocator,
  type ServerAddress,
  type ServerQuery,
  writeLocator,
} from './address.ts';
import { createSandboxDisk, type EmbeddedSandbox, openEmbedded } from './embedded.ts';
import { execWithSandbox, prepareVariables } from './exec.ts';
import { startSandbox } from './server.ts';

/** What `ttctl sandbox …` works with: the sandboxes of this machine. */

export function createSandboxService(options: ServerQuery): SandboxService {
  const { machine } = options;
  let embedded: EmbeddedSandbox | undefined;
  const getControl = (address: ServerAddress | undefined) => {
    if (address !== undefined) return openControl(address);
    embedded ??= openEmbedded(createSandboxDisk(options.stateFile, machine.clock), machine.interrupted);
    return embedded.control;
  };
  return {
    control: (url) => getControl(findServerAddress(options, url)),
    living: async (url) => getControl(await findLivingAddress(options, url)),
    stop: (url) => stop(options, url),
    running() {
      const locator = findRunningServer(options);
      return locator && toServerInfo(locator);
    },
    serve: (serveOptions, onReady) => serve(options, serveOptions, onReady),
    async detach(serveOptions) {
      refuseSecondServer(options);
      return startDetached(machine, serveOptions);
    },
    exec: (command, serveOptions) => execWithSandbox(machine, command, serveOptions),
    variables: (url) => loadVariables(options, url),
    value: (text) => readValue(machine, text),
    close: async () => embedded?.close(),
  };
}

/** @throws UsageError where one runs already */
function refuseSecondServer(options: ServerQuery): void {
  const locator = findRunningServer(options);
  if (locator === undefined) return;
  throw new UsageError(`a sandbox is already running: ${locator.url} (process ${locator.pid})`, {
    code: 'sandbox_running',
    hint: 'Stop it with: ttctl sandbox stop. Or set TTCTL_STATE_DIR for a second one.',
  });
}

/** Serves until it is stopped. @returns the exit code of its end */
async function serve(
  options: ServerQuery,
  serveOptions: ServeOptions,
  onReady: (info: SandboxServerInfo) => Promise<void>,
): Promise<number> {
  const { machine, directory } = options;
  refuseSecondServer(options);
  const setup = { directory: directory ?? null };
  const { locator, ended, close } = await startSandbox(machine, serveOptions, setup);
  try {
    if (directory !== undefined) writeLocator(directory, locator);
    await onReady(toServerInfo(locator));
    const stopSignal = AbortSignal.any([ended, machine.interrupted]);
    if (!stopSignal.aborted) await once(stopSignal, 'abort');
    return ended.aborted ? EXIT.done : (machine.interrupted.reason?.exit ?? EXIT.terminated);
  } finally {
    if (directory !== undefined) removeLocator(directory, machine.pid);
    await close();
  }
}

function toServerInfo({ url, base_url, auth_url, token_url, port, pid }: Locator): SandboxServerInfo {
  return { url, base_url, auth_url, token_url, port, pid };
}

/** For what is about a server alone: `TTCTL_PROFILE=sandbox` does not hide the one that runs. */
function findServer(options: ServerQuery, url: string | undefined): Promise<ServerAddress | undefined> {
  return findLivingAddress({ ...options, embedded: false }, url);
}

const STOP_TIMEOUT_MS = 5000;
const POLL_INTERVAL_MS = 20;

/** Ends the server that is meant, and waits until its port is free again. */
async function stop(options: ServerQuery, url: string | undefined): Promise<string | undefined> {
  const address = await findServer(options, url);
  if (address === undefined) return undefined;
  const control = openControl(address);
  await control.stop();
  const { clock } = options.machine;
  const deadline = clock.now() + STOP_TIMEOUT_MS;
  while (clock.now() < deadline && (await isAnswering(control))) await clock.sleep(POLL_INTERVAL_MS);
  return address.origin;
}

async function loadVariables(options: ServerQuery, url: string | undefined): Promise<Record<string, string>> {
  const address = await findServer(options, url);
  if (address !== undefined)
    return prepareVariables(listServerAddresses(address.origin), openControl(address), address.secret);
  throw new UsageError('no sandbox server is running', {
    code: 'no_sandbox_server',
    hint: 'Start one: ttctl sandbox start --detach. For the embedded sandbox, set only TTCTL_PROFILE=sandbox.',
  });
}

/** @throws UsageError for a file that cannot be read, and for what is no JSON */
async function readValue(machine: Machine, text: string): Promise<unknown> {
  const file = text.startsWith('@') ? text.slice(1) : undefined;
  const parsed = parseJson(file === undefined ? text : await readText(machine, file), { strict: true });
  if ('value' in parsed) return parsed.value;
  const { line, column, what } = parsed.problem;
  throw new UsageError(`${file ?? 'the value'} cannot be read as JSON`, {
    reason: `line ${line}, column ${column}: ${what}`,
    ...(file === undefined ? { hint: 'For a file, put @ before its name.' } : {}),
  });
}

/** Starts a server in a process of its own and waits for its ready line. */
export async function startDetached(machine: Machine, options: ServeOptions): Promise<SandboxServerInfo> {
  const args = [machine.entry, 'sandbox', 'start', '--json', ...formatFlags(options)];
  const child = spawn(machine.node, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...removeCredentials(machine.env), TTCTL_OUTPUT: '' },
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString('utf8')));
  const line = await new Promise<string | undefined>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', () => resolve(undefined));
    child.once('error', (error) => {
      errors.push(error.message);
      resolve(undefined);
    });
  });
  if (line === undefined) throw toFailure(errors.join('').trim());
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  return JSON.parse(line) as SandboxServerInfo;
}

/** The failure that the other process printed as its last line, as if it had happened here. */
function toFailure(stderr: string): Failure {
  const details = { code: 'sandbox_failed', exit: EXIT.fault, reason: stderr } as const;
  return parseFailure(stderr.split('\n').at(-1) ?? '', new Failure('the sandbox did not start', details));
}

/** The options as flags of `sandbox start`. */
function formatFlags(options: ServeOptions): string[] {
  const { port, state, seed, dialect, autoApprove, limits, allowWebhooksTo = [] } = options;
  const values = { port, state, seed, dialect, 'auto-approve': autoApprove };
  return [
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...(limits === 'off' ? ['--no-limits'] : []),
    ...allowWebhooksTo.map((host) => `--allow-webhooks-to=${host}`),
  ];
}
