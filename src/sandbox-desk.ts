import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { SandboxDesk, SandboxPlace, ServeOptions } from './context.ts';
import { writeDurably } from './disk/write.ts';
import type { Machine } from './machine.ts';
import { EXIT, Failure, UsageError } from './outcome.ts';
import { embeddedControl, type SandboxControl, seedOrFile } from './sandbox/control.ts';
import { createControls } from './sandbox/controls.ts';
import { parseDialect } from './sandbox/dialect.ts';
import { createHosted } from './sandbox/hosted.ts';
import { listen } from './sandbox/listen.ts';
import {
  findRunning,
  isAlive,
  type Locator,
  locatorFor,
  removeLocator,
  writeLocator,
} from './sandbox/locator.ts';
import { remoteControl } from './sandbox/remote.ts';
import { openStore } from './sandbox/store.ts';
import type { World } from './sandbox/world.ts';
import { sandboxDisk } from './sandbox-embedded.ts';

/** Joins sandbox servers to this machine: socket, locator file, state file, processes. */

export interface DeskOptions {
  readonly machine: Machine;
  /** The state directory. */
  readonly directory: string | undefined;
  /** State file of the embedded sandbox. */
  readonly stateFile: string | undefined;
  /** `--profile sandbox` was said: the embedded one is meant, whatever else runs. */
  readonly embedded: boolean;
  /** `TTCTL_BASE_URL` or the profile's address. */
  readonly baseUrl: string | undefined;
}

const placeOf = (locator: Locator): SandboxPlace => {
  const { url, base_url, auth_url, token_url, port, pid } = locator;
  return { url, base_url, auth_url, token_url, port, pid };
};

const running = ({ machine, directory }: DeskOptions): Locator | undefined =>
  directory === undefined ? undefined : findRunning({ directory, alive: isAlive(machine.kill) });

const isLoopback = (url: string): boolean => /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:|\/|$)/.test(url);

/** The secret of a server that this user did not start from the same state directory. */
const secretOf = ({ machine }: DeskOptions): string => machine.env.TTCTL_SANDBOX_SECRET ?? '';

const controlOf = (options: DeskOptions, url: string | undefined): SandboxControl => {
  const locator = running(options);
  const wanted =
    url ?? (options.baseUrl !== undefined && isLoopback(options.baseUrl) ? options.baseUrl : undefined);
  if (wanted !== undefined && !isLoopback(wanted)) {
    throw new UsageError(`${wanted} is not on this machine`, {
      reason: 'A sandbox is reached over loopback only.',
    });
  }
  if (wanted !== undefined && !options.embedded) {
    const origin = new URL(wanted).origin;
    return remoteControl(origin, locator?.url === origin ? locator.secret : secretOf(options));
  }
  if (locator !== undefined && !options.embedded) return remoteControl(locator.url, locator.secret);
  return embeddedControl(sandboxDisk(options.stateFile, options.machine.clock));
};

const refuseSecond = (options: DeskOptions): void => {
  const locator = running(options);
  if (locator === undefined) return;
  throw new UsageError(`a sandbox is running already: ${locator.url} (process ${locator.pid})`, {
    code: 'sandbox_running',
    hint: 'Stop it with: ttctl sandbox stop. Or keep them apart with TTCTL_STATE_DIR.',
  });
};

interface Kept {
  readonly first: World;
  readonly save?: (world: World) => void;
}

/** The world to begin with, and how it is kept. A state file that exists goes on; `--seed` begins it again. */
const keep = async (options: DeskOptions, { state, seed }: ServeOptions): Promise<Kept> => {
  const now = options.machine.clock.now();
  if (state === undefined) return { first: await seedOrFile(seed ?? 'demo', now) };
  const store = openStore(sandboxDisk(resolve(state), options.machine.clock));
  const kept = seed === undefined ? store.peek() : undefined;
  const first = kept ?? (await store.replace(() => seedOrFile(seed ?? 'demo', now)));
  return { first, save: store.save };
};

const serve = async (
  options: DeskOptions,
  wish: ServeOptions,
  ready: (place: SandboxPlace) => Promise<void>,
) => {
  const { machine, directory } = options;
  refuseSecond(options);
  const dialect = wish.dialect === undefined ? undefined : parseDialect(wish.dialect);
  const { first, save } = await keep(options, wish);
  const ended = new AbortController();
  const hosted = await createHosted(first, {
    clock: machine.clock,
    ...(wish.limits === undefined ? {} : { limits: wish.limits }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(save === undefined ? {} : { save, state: resolve(wish.state ?? '') }),
    stop: async () => ended.abort(),
  });
  const secret = randomBytes(24).toString('hex');
  const server = await listen(hosted.app, {
    port: wish.port,
    controls: createControls(hosted.control, secret),
  });
  const started = { pid: machine.pid, started_at: new Date(machine.clock.now()).toISOString(), secret };
  const locator = locatorFor({
    port: server.port,
    state: wish.state === undefined ? null : resolve(wish.state),
    ...started,
  });
  if (directory !== undefined) {
    writeLocator({ directory, write: writeDurably, alive: isAlive(machine.kill) }, locator);
  }
  try {
    await ready(placeOf(locator));
    const either = AbortSignal.any([ended.signal, machine.interrupted]);
    if (!either.aborted) await once(either, 'abort');
  } finally {
    if (directory !== undefined) removeLocator(directory, machine.pid);
    await server.close();
  }
};

/** Starts a server in a process of its own and waits for its ready line. */
const detach = async (options: DeskOptions, args: readonly string[]): Promise<SandboxPlace> => {
  refuseSecond(options);
  const { machine } = options;
  const child = spawn(machine.node, [machine.entry, 'sandbox', 'start', '--json', ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...machine.env, TTCTL_OUTPUT: '' },
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString('utf8')));
  const line = await new Promise<string | undefined>((done) => {
    createInterface({ input: child.stdout }).once('line', done);
    child.once('close', () => done(undefined));
  });
  if (line === undefined) {
    throw new Failure('the sandbox did not start', {
      code: 'sandbox_failed',
      exit: EXIT.fault,
      reason: errors.join('').trim(),
    });
  }
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  return JSON.parse(line) as SandboxPlace;
};

/** What `ttctl sandbox …` works with. */
export const createSandboxDesk = (options: DeskOptions): SandboxDesk => ({
  control: (url) => controlOf(options, url),
  running() {
    const locator = running(options);
    return locator && { ...placeOf(locator), secret: locator.secret };
  },
  serve: (wish, ready) => serve(options, wish, ready),
  detach: (args) => detach(options, args),
});
