import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Machine } from '../platform/machine.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { parseHosts } from '../sandbox/deliveries/deliveries.ts';
import { parseDialect } from '../sandbox/dialect.ts';
import { listenOnSocket } from '../sandbox/listen.ts';
import { createLocator, type Locator } from '../sandbox/locator.ts';
import { openSandbox } from '../sandbox/open.ts';
import { loadSeed } from '../sandbox/seeds/seed.ts';
import type { ServeOptions } from '../sandbox/service.ts';
import { createFileSnapshots } from '../sandbox/snapshots/snapshot.ts';
import { createMemoryState } from '../sandbox/state-access.ts';
import { StateStore } from '../sandbox/store.ts';
import { requireHolder } from '../sandbox/tokens.ts';
import type { World } from '../sandbox/world.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';
import { replaceNamed } from '../storage/write-named.ts';
import { createSandboxDisk } from './embedded.ts';

/** A sandbox on a socket of this machine, in this process. */

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
  const sandbox = openSandbox({
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

/** @returns whether it is empty @throws UsageError for what is somebody's own file: it would be lost */
function checkStateFile(file: string, start: RegExp): boolean {
  const text = readStart(file);
  if (text && !start.test(text))
    throw new UsageError(`${file} is not the state of a sandbox`, {
      code: 'bad_value',
      hint: 'Name another file with --state.',
    });
  return text === '';
}

/** Undefined for what is no file, or cannot be read: it is judged when it is used. */
function readStart(file: string): string | undefined {
  try {
    if (!statSync(file).isFile()) return undefined;
    const fd = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(200);
      return bytes.toString('latin1', 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}
