import { once } from 'node:events';
import { parseJson } from '../json/parse.ts';
import { EXIT, UsageError } from '../outcome.ts';
import type { Machine } from '../platform/machine.ts';
import { readText } from '../runtime/input.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { createEmbeddedControl, type EmbeddedControl } from '../sandbox/embedded-control.ts';
import {
  isAlive,
  type Locator,
  listServerAddresses,
  removeLocator,
  writeLocator,
} from '../sandbox/locator.ts';
import type { SandboxServerInfo, SandboxService, ServeOptions } from '../sandbox/service.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';
import {
  findLivingAddress,
  findRunningServer,
  findServerAddress,
  isAnswering,
  openControl,
  type ServerAddress,
  type ServerQuery,
} from './address.ts';
import { startDetached } from './detach.ts';
import { createSandboxDisk } from './embedded.ts';
import { execWithSandbox, prepareVariables } from './exec.ts';
import { formatUptime } from './port.ts';
import { startSandbox, toServerInfo } from './server.ts';

/** Joins sandbox servers to this machine: socket, locator file, state file, processes. */

export interface ServiceOptions extends ServerQuery {
  /** State file of the embedded sandbox. */
  readonly stateFile: string | undefined;
}

const refuseSecondServer = (options: ServiceOptions): void => {
  const locator = findRunningServer(options);
  if (locator === undefined) return;
  const uptime = formatUptime((options.machine.clock.now() - Date.parse(locator.started_at)) / 1000);
  throw new UsageError(
    `a sandbox is already running: ${locator.url} (process ${locator.pid}, up ${uptime})`,
    {
      code: 'sandbox_running',
      hint: 'Stop it with: ttctl sandbox stop. Or set TTCTL_STATE_DIR for a second one.',
    },
  );
};

/** Where other processes find the server. @throws Failure (exit 1) */
const publishLocator = (machine: Machine, directory: string, locator: Locator): void =>
  writeLocator(
    {
      directory,
      read: readOwnFile,
      makeFolder: makePrivateDirectory,
      write: writeDurably,
      alive: isAlive(machine.kill),
    },
    locator,
  );

const serve = async (
  options: ServiceOptions,
  serveOptions: ServeOptions,
  onReady: (info: SandboxServerInfo) => Promise<void>,
): Promise<number> => {
  const { machine, directory } = options;
  refuseSecondServer(options);
  const { locator, ended, close } = await startSandbox(machine, serveOptions, {
    foundIn: directory ?? null,
    ...(directory === undefined ? {} : { snapshots: directory }),
  });
  try {
    if (directory !== undefined) publishLocator(machine, directory, locator);
    await onReady(toServerInfo(locator));
    const stopSignal = AbortSignal.any([ended, machine.interrupted]);
    if (!stopSignal.aborted) await once(stopSignal, 'abort');
    return ended.aborted ? EXIT.done : (machine.interrupted.reason?.exit ?? EXIT.terminated);
  } finally {
    if (directory !== undefined) removeLocator({ directory, read: readOwnFile }, machine.pid);
    await close();
  }
};

const STOP_TIMEOUT_MS = 5000;
const POLL_INTERVAL_MS = 20;

/** For what is about a server alone: `TTCTL_PROFILE=sandbox` does not hide the one that runs. */
const findServer = (options: ServiceOptions, url: string | undefined): Promise<ServerAddress | undefined> =>
  findLivingAddress({ ...options, embedded: false }, url);

/** Ends the server that is meant, and waits until its port is free again. */
const stop = async (options: ServiceOptions, url: string | undefined): Promise<string | undefined> => {
  const address = await findServer(options, url);
  if (address === undefined) return undefined;
  const control = openControl(address);
  await control.stop();
  const { clock } = options.machine;
  for (
    const deadline = clock.now() + STOP_TIMEOUT_MS;
    clock.now() < deadline && (await isAnswering(control));
  )
    await clock.sleep(POLL_INTERVAL_MS);
  return address.origin;
};

const createNoServerError = (hint: string): UsageError =>
  new UsageError('no sandbox server is running', { code: 'no_sandbox_server', hint });

const loadVariables = async (
  options: ServiceOptions,
  url: string | undefined,
): Promise<Record<string, string>> => {
  const address = await findServer(options, url);
  if (address === undefined) {
    throw createNoServerError(
      'Start one: ttctl sandbox start --detach. For the embedded sandbox, set only TTCTL_PROFILE=sandbox.',
    );
  }
  return prepareVariables(listServerAddresses(address.origin), openControl(address), address.secret);
};

/** @throws UsageError for a file that cannot be read, and for what is no JSON */
const readValue = async (machine: Machine, text: string): Promise<unknown> => {
  const file = text.startsWith('@') ? text.slice(1) : undefined;
  const parsed = parseJson(file === undefined ? text : await readText(machine, file), { strict: true });
  if ('value' in parsed) return parsed.value;
  const { line, column, what } = parsed.problem;
  throw new UsageError(`${file ?? 'the value'} cannot be read as JSON`, {
    reason: `line ${line}, column ${column}: ${what}`,
    ...(file === undefined ? { hint: 'For a file, put @ before its name.' } : {}),
  });
};

/** What `ttctl sandbox …` works with. */
export const createSandboxService = (options: ServiceOptions): SandboxService => {
  let embedded: EmbeddedControl | undefined;
  const getControl = (address: ServerAddress | undefined): SandboxControl => {
    if (address !== undefined) return openControl(address);
    const { clock, interrupted } = options.machine;
    embedded ??= createEmbeddedControl(createSandboxDisk(options.stateFile, clock), interrupted);
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
      return startDetached(options.machine, serveOptions);
    },
    exec: (command, serveOptions) => execWithSandbox(options.machine, command, serveOptions),
    variables: (url) => loadVariables(options, url),
    value: (text) => readValue(options.machine, text),
    close: async () => embedded?.close(),
  };
};
