import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Failure } from '../outcome.ts';
import type { Machine } from '../platform/machine.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { createControlEndpoint } from '../sandbox/control-endpoint.ts';
import { createDispatcher } from '../sandbox/deliveries/dispatcher.ts';
import { createHostedSandbox } from '../sandbox/hosted.ts';
import { listenOnSocket } from '../sandbox/listen.ts';
import { createLocator, type Locator } from '../sandbox/locator.ts';
import type { SandboxServerInfo, ServeOptions } from '../sandbox/service.ts';
import { createFileSnapshots, getSnapshotFolder } from '../sandbox/snapshots/snapshot-files.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';
import { prepareServer } from './beginning.ts';
import { withPortOwner } from './port.ts';

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

export const toServerInfo = (locator: Locator): SandboxServerInfo => {
  const { url, base_url, auth_url, token_url, port, pid } = locator;
  return { url, base_url, auth_url, token_url, port, pid };
};

interface StopControllers {
  /** Somebody wants the server to end. */
  readonly ended: AbortController;
  /** It is ending: nothing more is sent to webhooks. */
  readonly ending: AbortController;
}

export interface ServerSetup {
  /** The state directory in which its locator will be; null: no command is to find it. */
  readonly foundIn: string | null;
  /** The state directory, for snapshots; absent: they are in memory. */
  readonly snapshots?: string;
  /** What `sandbox stop` meets; absent: it ends the server. */
  readonly refuseStop?: () => Failure;
}

const FILE_ACCESS = { read: readOwnFile, write: writeDurably };

/** The sandbox of a server, and what keeps its deliveries going. */
const openHostedSandbox = async (
  machine: Machine,
  options: ServeOptions,
  { ended, ending, foundIn, refuseStop, snapshots }: StopControllers & ServerSetup,
) => {
  const { clock, pid } = machine;
  const startedAt = clock.now();
  const { world, save, dialect, allowed } = await prepareServer(machine, options);
  const state = options.state === undefined ? null : resolve(options.state);
  const { autoApprove, limits } = options;
  const hosted = await createHostedSandbox(world, {
    clock,
    about: () => ({ pid, uptime_seconds: Math.floor((clock.now() - startedAt) / 1000), found_in: foundIn }),
    ...{ limits, dialect, autoApprove, save, state },
    snapshots:
      snapshots === undefined ? undefined : createFileSnapshots(getSnapshotFolder(snapshots), FILE_ACCESS),
    allowed,
    ending: ending.signal,
    onChange: () => dispatcher.wake(),
    stop: async () => {
      if (refuseStop !== undefined) throw refuseStop();
      ended.abort();
    },
  });
  const dispatcher = createDispatcher({ ...hosted, clock, signal: ending.signal });
  return { hosted, dispatcher, state };
};

/**
 * Starts a server; it can answer once this has returned.
 * @throws UsageError for an unknown seed, dialect or what is no host; Failure (exit 4, 5) for who cannot approve, (exit 1) for a taken port or a damaged state file
 */
export const startSandbox = async (
  machine: Machine,
  options: ServeOptions,
  setup: ServerSetup = { foundIn: null },
): Promise<RunningSandbox> => {
  const controllers = { ended: new AbortController(), ending: new AbortController() };
  const { hosted, dispatcher, state } = await openHostedSandbox(machine, options, {
    ...controllers,
    ...setup,
  });
  const secret = randomBytes(24).toString('hex');
  const { port, close } = await listenOnSocket(hosted.app, {
    port: options.port,
    clock: machine.clock,
    controls: createControlEndpoint(hosted.perform, secret),
    oauth: hosted.oauth,
    now: hosted.now,
  }).catch(async (error: unknown) => {
    throw await withPortOwner(error, options.port);
  });
  dispatcher.wake();
  const started_at = new Date(machine.clock.now()).toISOString();
  const locator = createLocator({ port, state, pid: machine.pid, started_at, secret });
  return {
    locator,
    control: hosted.control,
    ended: controllers.ended.signal,
    sent: dispatcher.idle,
    async close() {
      controllers.ending.abort();
      await dispatcher.idle();
      await close();
    },
  };
};
