import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { forwardSignals, removeCredentials, toExitCode } from '../platform/child.ts';
import type { Machine } from '../platform/machine.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { parseHosts } from '../sandbox/deliveries/deliveries.ts';
import { parseDialect } from '../sandbox/dialect.ts';
import { listenOnSocket } from '../sandbox/listen.ts';
import { OpenSandbox } from '../sandbox/open.ts';
import { createLocator, type Locator, parseFailure, type ServerAddresses } from '../sandbox/remote.ts';
import { loadSeed } from '../sandbox/seeds/seed.ts';
import { createFileSnapshots } from '../sandbox/snapshots.ts';
import { createMemoryState, StateStore } from '../sandbox/store.ts';
import { requireHolder } from '../sandbox/tokens.ts';
import type { World } from '../sandbox/world.ts';
import { replaceNamed } from '../storage/named.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';
import { createSandboxDisk } from './embedded.ts';
import {
  createVariables,
  findRunningServer,
  type HostContext,
  refuseDryRun,
  removeLocator,
  writeLocator,
} from './host.ts';

/** Sandboxes on a socket of this machine: in this process, in one of their own, and around a command. */

export interface ServeOptions {
  /** 0 means any free port. */
  readonly port: number;
  /** Path of a state file; absent: in memory. */
  readonly state?: string | undefined;
  /** Name of a seed, or path of a seed file. */
  readonly seed?: string | undefined;
  readonly dialect?: string | undefined;
  readonly limits?: 'off' | undefined;
  /** The command keeps the config, state and cache directory of the user. For `exec` alone. */
  readonly keepState?: boolean | undefined;
  /** E-mail address of who approves every OAuth2 request at once, with no page. */
  readonly autoApprove?: string | undefined;
  /** Hosts beside this machine that webhooks may be delivered to. */
  readonly allowWebhooksTo?: readonly string[];
}

export type SandboxServerInfo = ServerAddresses & Pick<Locator, 'port' | 'pid'>;

/** Serves until it is stopped; `onReady` is called once it can answer. @returns the exit code of its end */
export async function serve(
  context: HostContext,
  options: ServeOptions,
  onReady: (info: SandboxServerInfo) => Promise<void>,
): Promise<number> {
  const { machine, directories } = context;
  const directory = directories.state;
  refuseSecondServer(context);
  const { locator, ended, close } = await startSandbox(machine, options, { directory: directory ?? null });
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

/** Starts a server in a process of its own and waits for its ready line. */
export function serveDetached(context: HostContext, options: ServeOptions): Promise<SandboxServerInfo> {
  refuseSecondServer(context);
  return startDetached(context.machine, options);
}

/** @throws UsageError where one runs already */
function refuseSecondServer(context: HostContext): void {
  refuseDryRun(context);
  const locator = findRunningServer(context);
  if (locator === undefined) return;
  throw new UsageError(`a sandbox is already running: ${locator.url} (process ${locator.pid})`, {
    code: 'sandbox_running',
    hint: 'Stop it with: ttctl sandbox stop. Or set TTCTL_STATE_DIR for a second one.',
  });
}

function toServerInfo({ url, base_url, auth_url, token_url, port, pid }: Locator): SandboxServerInfo {
  return { url, base_url, auth_url, token_url, port, pid };
}

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

/** For what the command did that is on its way to a webhook. */
const DELIVERY_WAIT_MS = 3_000;

/**
 * Starts a sandbox on a free port, runs the command with `TTCTL_*` pointing at it, and stops the sandbox.
 * @returns the command's own exit code; 128 + n after signal n
 */
export async function execWithSandbox(
  context: HostContext,
  command: readonly string[],
  options: ServeOptions,
): Promise<number> {
  refuseDryRun(context);
  const { machine } = context;
  const setup = { directory: null, refuseStop: createStopRefusal };
  const { locator, control, sent, close } = await startSandbox(machine, { ...options, port: 0 }, setup);
  const folder = options.keepState === true ? undefined : makeTemporaryFolder();
  try {
    const { TTCTL_RATE_LIMIT: ownRateLimit } = machine.env;
    const code = await runChild(machine, command, {
      ...removeCredentials(machine.env),
      ...(await createVariables(locator, control, locator.secret)),
      ...(options.keepState === true ? {} : listDirectories(folder)),
      // Whoever sets it means the command.
      ...(ownRateLimit ? { TTCTL_RATE_LIMIT: ownRateLimit } : {}),
    });
    // What the command did may still be on its way to a webhook, perhaps one of the command's own.
    const ended = new AbortController();
    const signal = AbortSignal.any([machine.interrupted, ended.signal]);
    await Promise.race([sent(), machine.clock.sleep(DELIVERY_WAIT_MS, signal).catch(() => {})]);
    ended.abort();
    return code;
  } finally {
    if (folder !== undefined) removeTemporaryFolder(folder);
    await close();
  }
}

function createStopRefusal(): Failure {
  return new UsageError('this sandbox belongs to sandbox exec and stops when its command ends', {
    code: 'sandbox_of_exec',
    hint: 'Stop that command, or start over from a seed: ttctl sandbox reset',
  });
}

async function runChild(
  machine: Machine,
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...env } });
  const release = forwardSignals(machine, child);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (cause) => reject(createStartFailure(command, cause)));
      child.once('exit', (code, signal) => resolve(toExitCode(code, signal)));
    });
  } finally {
    release();
  }
}

/** As a shell ends: scripts tell 126 and 127 from what the command itself ends with. */
function createStartFailure(command: string, cause: NodeJS.ErrnoException): Failure {
  if (cause.code === 'ENOENT') {
    const details = { code: 'no_such_command', exit: EXIT.noCommand, cause } as const;
    return new Failure(`there is no command ${command}`, details);
  }
  const details = { code: 'command_failed', exit: EXIT.cannotRun, reason: cause.message, cause } as const;
  return new Failure(`${command} cannot be run`, details);
}

/** Config, state and cache of the command's own: what it does leaves no trace in the user's. None: no directory at all. */
function listDirectories(folder = join(devNull, 'ttctl')): Readonly<Record<string, string>> {
  return {
    TTCTL_CONFIG_DIR: join(folder, 'config'),
    TTCTL_STATE_DIR: join(folder, 'state'),
    TTCTL_CACHE_DIR: join(folder, 'cache'),
  };
}

function makeTemporaryFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), 'ttctl-exec-'));
  } catch {
    return undefined; // a disk that is read-only altogether
  }
}

function removeTemporaryFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // What the command left running still writes there.
  }
}

export interface RunningSandbox {
  readonly locator: Locator;
  readonly control: SandboxControl;
  /** Aborted when somebody stops the server from afar. */
  readonly ended: AbortSignal;
  /** Resolves once no webhook is being delivered to. */
  sent(): Promise<void>;
  /** What is on its way to a webhook ends, and stays pending in the state. */
  close(): Promise<void>;
}

export interface ServerSetup {
  /** The state directory, for its locator and snapshots; null: no command is to find it, and they are in memory. */
  readonly directory: string | null;
  /** What `sandbox stop` meets; absent: it ends the server. */
  readonly refuseStop?: () => Failure;
}

/**
 * Starts a server; it can answer once this has returned.
 * @throws UsageError for an unknown seed, dialect or what is no host; Failure (exit 4, 5) for who cannot approve, (exit 1) for a taken port or a damaged state file
 */
export async function startSandbox(
  machine: Machine,
  options: ServeOptions,
  { directory, refuseStop }: ServerSetup = { directory: null },
): Promise<RunningSandbox> {
  const { clock, pid } = machine;
  const startedAt = clock.now();
  const [ended, ending] = [new AbortController(), new AbortController()];
  const dialect = options.dialect === undefined ? undefined : parseDialect(options.dialect);
  const allowed = parseHosts(options.allowWebhooksTo ?? []);
  const { world, save } = await openState(machine, options);
  const { autoApprove, limits } = options;
  if (autoApprove !== undefined) requireHolder(world, autoApprove);
  const state = options.state === undefined ? null : resolve(options.state);
  const sandbox = new OpenSandbox({
    ...{ clock, dialect, allowed, autoApprove, limits, keepsSending: true, signal: ending.signal },
    state: createMemoryState(world, save),
    snapshots:
      directory === null
        ? undefined
        : createFileSnapshots(directory, { read: readOwnFile, write: writeDurably }),
    about: () => {
      const uptime_seconds = Math.floor((clock.now() - startedAt) / 1000);
      return { state, pid, uptime_seconds };
    },
    stop: async () => {
      if (refuseStop !== undefined) throw refuseStop();
      ended.abort();
    },
  });
  const secret = randomBytes(24).toString('hex');
  const { port, close } = await listenOnSocket(sandbox, { port: options.port, clock, secret });
  sandbox.wake();
  const started_at = new Date(clock.now()).toISOString();
  // What could not be sent stays in the state.
  const sent = () => sandbox.idle().catch(() => {});
  return {
    locator: createLocator({ port, state, pid, started_at, secret }),
    control: sandbox.control,
    ended: ended.signal,
    sent,
    async close() {
      ending.abort();
      await sent();
      await close();
    },
  };
}

/** What a server begins with: the state of its file goes on; a seed begins it again. @throws as `startSandbox` */
async function openState(
  machine: Machine,
  { state, seed }: ServeOptions,
): Promise<{ readonly world: World; readonly save?: (world: World) => void }> {
  const { clock } = machine;
  const readInitial = () => loadSeed(seed ?? 'demo', clock.now());
  if (state === undefined) return { world: await readInitial() };
  const isEmpty = checkStateFile(state, STATE);
  checkStateFile(`${state}.changes`, CHANGES);
  const store = new StateStore(createSandboxDisk(resolve(state), clock, replaceNamed));
  const save = (world: World): void => store.save(world);
  try {
    const existing = seed === undefined && !isEmpty ? await store.peek() : undefined;
    if (existing !== undefined) return { world: existing, save };
    return { world: await store.replace(readInitial), save };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'sandbox_damaged') throw error;
    const { message, code, exit, reason, details } = error;
    // `sandbox reset` would begin the wrong one again: nobody but a server uses this file.
    const hint = `Start over from a seed: ${commandLine`ttctl sandbox start --state ${state} --seed demo`}`;
    throw new Failure(message, { code, exit, reason, hint, details, cause: error });
  }
}

/** How a state begins, and the changes beside it, whole or torn. */
const STATE = /^\{"version":\d/;
const CHANGES = /^\{"of":"/;

/**
 * What cannot be read is judged when it is used.
 * @returns whether it is an empty file
 * @throws UsageError for what is somebody's own file: it would be lost
 */
function checkStateFile(file: string, start: RegExp): boolean {
  let text: string;
  try {
    if (!statSync(file).isFile()) return false;
    text = readFileSync(file, 'latin1');
  } catch {
    return false;
  }
  if (text === '' || start.test(text)) return text === '';
  throw new UsageError(`${file} is not the state of a sandbox`, {
    code: 'bad_value',
    hint: 'Name another file with --state.',
  });
}
