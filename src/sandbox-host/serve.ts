import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { forwardSignals, removeCredentials, toExitCode } from '../platform/child.ts';
import type { Machine } from '../platform/machine.ts';
import { BASE_PATH } from '../sandbox/app.ts';
import { parseHosts } from '../sandbox/deliveries.ts';
import { parseDialect } from '../sandbox/dialect.ts';
import { listenOnSocket } from '../sandbox/listen.ts';
import { createOAuthHost } from '../sandbox/oauth.ts';
import { open } from '../sandbox/open.ts';
import { createSeed } from '../sandbox/seeds/seed.ts';
import { createFileSnapshots } from '../sandbox/snapshots.ts';
import { createMemoryStore } from '../sandbox/state.ts';
import { requireHolder } from '../sandbox/tokens.ts';
import type { World } from '../sandbox/world.ts';
import { checkReplaced, readOwnFile, replaceNamed } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';
import { createDamagedError, createLocalControl, parseState, tellProblem } from './embedded.ts';
import * as host from './host.ts';

/** Sandboxes on a socket of this machine: in this process, in one of their own, and around a command. */

export interface ServeOptions {
  readonly port: number;
  readonly state?: string | undefined;
  readonly seed?: string | undefined;
  readonly dialect?: string | undefined;
  readonly limits?: 'off' | undefined;
  /** The command keeps the config, state and cache directory of the user. For `exec` alone. */
  readonly keepState?: boolean | undefined;
  readonly autoApprove?: string | undefined;
  readonly allowWebhooksTo?: readonly string[];
}

export type SandboxServerInfo = Omit<host.Locator, 'started_at' | 'state' | 'secret'>;

export async function serve(
  context: host.HostContext,
  options: ServeOptions,
  onReady: (info: SandboxServerInfo) => Promise<void>,
): Promise<number> {
  refuseSecondServer(context);
  const { machine, directories } = context;
  const directory = directories.state;
  const { locator, ended, close } = await tellProblem(() => startSandbox(machine, options, directory));
  try {
    if (directory !== undefined) host.writeLocator(directory, locator);
    const { started_at: _start, state: _state, secret: _secret, ...info } = locator;
    await onReady(info);
    const stopSignal = AbortSignal.any([ended, machine.interrupted]);
    if (!stopSignal.aborted) await once(stopSignal, 'abort');
    return ended.aborted ? EXIT.done : (machine.interrupted.reason?.exit ?? EXIT.terminated);
  } finally {
    if (directory !== undefined) host.removeLocator(directory, machine.pid);
    await close();
  }
}

function refuseSecondServer(context: host.HostContext): void {
  const locator = host.findRunningServer(context);
  if (locator === undefined) return;
  throw new UsageError(`a sandbox is already running: ${locator.url} (process ${locator.pid})`, {
    code: 'sandbox_running',
    hint: 'Stop it with: ttctl sandbox stop. Or set TTCTL_STATE_DIR for a second one.',
  });
}

export async function serveDetached(
  context: host.HostContext,
  options: ServeOptions,
): Promise<SandboxServerInfo> {
  refuseSecondServer(context);
  const { machine } = context;
  const { port, state, seed, dialect, autoApprove, limits, allowWebhooksTo = [] } = options;
  const args = [machine.entry, 'sandbox', 'start', '--json'];
  for (const [name, value] of Object.entries({ port, state, seed, dialect, 'auto-approve': autoApprove }))
    if (value !== undefined) args.push(`--${name}=${value}`);
  if (limits === 'off') args.push('--no-limits');
  for (const host of allowWebhooksTo) args.push(`--allow-webhooks-to=${host}`);
  const child = spawn(machine.node, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...removeCredentials(machine.env), TTCTL_OUTPUT: '' },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const line = await new Promise<string | undefined>((done) => {
    createInterface({ input: child.stdout }).once('line', done);
    child.once('close', () => done(undefined));
    child.once('error', (error) => {
      errors += error.message;
      done(undefined);
    });
  });
  if (line === undefined) {
    // The failure that the other process printed as its last line, as if it had happened here.
    const reason = errors.trim();
    const details = { code: 'sandbox_failed', exit: EXIT.fault, reason } as const;
    throw host.parseFailure(
      reason.split('\n').at(-1) ?? '',
      new Failure('the sandbox did not start', details),
    );
  }
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  return JSON.parse(line) as SandboxServerInfo;
}

/** For what the command did that is on its way to a webhook. */
const DELIVERY_WAIT_MS = 3_000;

/**
 * Starts a sandbox on a free port, runs the command with `TTCTL_*` pointing at it, and stops the sandbox.
 * @returns the command's own exit code; 128 + n after signal n
 */
export async function execWithSandbox(
  context: host.HostContext,
  [command = '', ...args]: readonly string[],
  options: ServeOptions,
): Promise<number> {
  const { machine } = context;
  const refuseStop = () => {
    throw new UsageError('this sandbox belongs to sandbox exec and stops when its command ends', {
      code: 'sandbox_of_exec',
      hint: 'Stop that command, or start over from a seed: ttctl sandbox reset',
    });
  };
  const sandbox = await tellProblem(() =>
    startSandbox(machine, { ...options, port: 0 }, undefined, refuseStop),
  );
  let folder: string | undefined;
  try {
    const { url, secret } = sandbox.locator;
    const env = {
      ...removeCredentials(machine.env),
      ...(await host.createVariables(url, sandbox.control, secret)),
    };
    // Whoever sets it means the command.
    if (machine.env.TTCTL_RATE_LIMIT) env.TTCTL_RATE_LIMIT = machine.env.TTCTL_RATE_LIMIT;
    if (options.keepState !== true) {
      // Config, state and cache of the command's own: what it does leaves no trace in the user's.
      try {
        folder = mkdtempSync(join(tmpdir(), 'ttctl-exec-'));
      } catch {
        // A disk that is read-only altogether: there are none.
      }
      const own = folder ?? join(devNull, 'ttctl');
      env.TTCTL_CONFIG_DIR = join(own, 'config');
      env.TTCTL_STATE_DIR = join(own, 'state');
      env.TTCTL_CACHE_DIR = join(own, 'cache');
    }
    const child = spawn(command, args, { stdio: 'inherit', env });
    const release = forwardSignals(machine, child);
    const code = await new Promise<number>((done, reject) => {
      child.once('exit', (exit, signal) => done(toExitCode(exit, signal)));
      child.once('error', (cause: NodeJS.ErrnoException) => {
        // As a shell ends: scripts tell 126 and 127 from what the command itself ends with.
        const { message: reason } = cause;
        const missing = { code: 'no_such_command', exit: EXIT.noCommand, cause } as const;
        const failed = { code: 'command_failed', exit: EXIT.cannotRun, reason, cause } as const;
        if (cause.code === 'ENOENT') reject(new Failure(`there is no command ${command}`, missing));
        else reject(new Failure(`${command} cannot be run`, failed));
      });
    }).finally(release);
    // What the command did may still be on its way to a webhook, perhaps one of the command's own.
    const ended = new AbortController();
    const signal = AbortSignal.any([machine.interrupted, ended.signal]);
    await Promise.race([sandbox.sent(), machine.clock.sleep(DELIVERY_WAIT_MS, signal).catch(() => {})]);
    ended.abort();
    return code;
  } finally {
    try {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // What the command left running still writes there.
    }
    await sandbox.close();
  }
}

/**
 * Starts a server; it can answer once this has returned.
 * @param directory the state directory, for its snapshots; undefined: they are in memory
 * @param refuseStop what `sandbox stop` meets; absent: it ends the server
 * @throws UsageError for an unknown seed, dialect or what is no host; Failure (exit 4, 5) for who cannot approve, (exit 1) for a taken port or a damaged state file
 */
export async function startSandbox(
  machine: Machine,
  options: ServeOptions,
  directory?: string,
  refuseStop?: () => never,
) {
  const { clock, pid } = machine;
  const startedAt = clock.now();
  const [ended, ending] = [new AbortController(), new AbortController()];
  const dialect = parseDialect(options.dialect ?? '');
  const allowed = parseHosts(options.allowWebhooksTo ?? []);
  const { autoApprove, limits } = options;
  const state = options.state === undefined ? null : resolve(options.state);
  let text: string | undefined;
  if (state !== null) {
    // Somebody's own file would be lost.
    checkReplaced(state, 'state');
    makePrivateDirectory(dirname(state));
    if (options.seed === undefined) text = readOwnFile(state, { kind: 'named' })?.toString('utf8');
  }
  const world = text ? parseState(text) : await createSeed(options.seed ?? 'demo', { now: startedAt });
  if (world === undefined)
    throw createDamagedError(
      state ?? '',
      commandLine`ttctl sandbox start --state ${state ?? ''} --seed demo`,
    );
  if (autoApprove !== undefined) requireHolder(world, autoApprove);
  const save = (next: World): void => {
    if (state !== null) replaceNamed(state, JSON.stringify({ ...next, windows: {} }), { mode: 0o600 });
  };
  save(world);
  const disk = { read: readOwnFile, write: writeDurably };
  const sandbox = open({
    ...{ clock, dialect, allowed, limits, keepsSending: true, signal: ending.signal },
    oauth: createOAuthHost(autoApprove),
    store: createMemoryStore(world, save),
    ...(directory !== undefined && { snapshots: createFileSnapshots(directory, disk) }),
    about: () => ({ state, pid, uptime_seconds: Math.floor((clock.now() - startedAt) / 1000) }),
    stop: async () => {
      refuseStop?.();
      ended.abort();
    },
  });
  const { port, url, secret, close } = await listenOnSocket(sandbox, options.port, clock);
  sandbox.wake();
  const started_at = new Date(clock.now()).toISOString();
  // What could not be sent stays in the state.
  const sent = () => sandbox.idle().catch(() => {});
  const addresses = { url, base_url: `${url}${BASE_PATH}`, auth_url: url, token_url: url };
  return {
    locator: { ...addresses, port, pid, state, started_at, secret },
    control: createLocalControl(sandbox.control),
    ended: ended.signal,
    sent,
    /** What is on its way to a webhook ends, and stays pending in the state. */
    async close() {
      ending.abort();
      await sent();
      await close();
    },
  };
}
