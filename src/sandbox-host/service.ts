import { once } from 'node:events';
import { readOwn } from '../disk/own.ts';
import { makePrivateDirectory, writeDurably } from '../disk/write.ts';
import { hidingCredentials } from '../host/child-environment.ts';
import type { Machine } from '../host/machine.ts';
import { parseJson } from '../json/parse.ts';
import { readText } from '../open/read-text.ts';
import { EXIT, UsageError } from '../outcome.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { type EmbeddedControl, embeddedControl } from '../sandbox/embedded-control.ts';
import { addressesAt, isAlive, removeLocator, writeLocator } from '../sandbox/locator.ts';
import { pageUrl } from '../sandbox/page/board/gate.ts';
import type { SandboxPlace, SandboxService, ServeOptions } from '../sandbox/service.ts';
import {
  addressOf,
  answers,
  controlAt,
  livingAddress,
  type Meant,
  runningServer,
  type ServerAddress,
} from './address.ts';
import { prepare } from './beginning.ts';
import { detach } from './detach.ts';
import { sandboxDisk } from './embedded.ts';
import { execWithSandbox, variablesFor } from './exec.ts';
import { uptimeWords } from './port.ts';
import { placeOf, startSandbox } from './server.ts';

/** Joins sandbox servers to this machine: socket, locator file, state file, processes. */

export interface ServiceOptions extends Meant {
  /** State file of the embedded sandbox. */
  readonly stateFile: string | undefined;
}

const refuseSecond = (options: ServiceOptions): void => {
  const locator = runningServer(options);
  if (locator === undefined) return;
  const up = uptimeWords((options.machine.clock.now() - Date.parse(locator.started_at)) / 1000);
  throw new UsageError(`a sandbox is already running: ${locator.url} (process ${locator.pid}, up ${up})`, {
    code: 'sandbox_running',
    hint: 'Stop it with: ttctl sandbox stop. Or set TTCTL_STATE_DIR for a second one.',
  });
};

const serve = async (
  options: ServiceOptions,
  wish: ServeOptions,
  ready: (place: SandboxPlace) => Promise<void>,
): Promise<number> => {
  const { machine, directory } = options;
  refuseSecond(options);
  const { locator, ended, close } = await startSandbox(machine, wish, {
    foundIn: directory ?? null,
    ...(directory === undefined ? {} : { snapshots: directory }),
  });
  if (directory !== undefined) {
    writeLocator(
      {
        directory,
        read: readOwn,
        makeFolder: makePrivateDirectory,
        write: writeDurably,
        alive: isAlive(machine.kill),
      },
      locator,
    );
  }
  try {
    await ready(placeOf(locator));
    const either = AbortSignal.any([ended, machine.interrupted]);
    if (!either.aborted) await once(either, 'abort');
    return ended.aborted ? EXIT.done : (machine.interrupted.reason?.exit ?? EXIT.terminated);
  } finally {
    if (directory !== undefined) removeLocator({ directory, read: readOwn }, machine.pid);
    await close();
  }
};

const STOP_MS = 5000;
const LOOK_AGAIN_MS = 20;

/** For what is about a server alone: `TTCTL_PROFILE=sandbox` does not hide the one that runs. */
const serverOf = (options: ServiceOptions, url: string | undefined): Promise<ServerAddress | undefined> =>
  livingAddress({ ...options, embedded: false }, url);

/** Ends the server that is meant, and waits until its port is free again. */
const stop = async (
  options: ServiceOptions,
  url: string | undefined,
  plan: boolean,
): Promise<string | undefined> => {
  const address = await serverOf(options, url);
  if (address === undefined || plan) return address?.origin;
  const control = controlAt(address);
  await control.stop();
  const { clock } = options.machine;
  for (const until = clock.now() + STOP_MS; clock.now() < until && (await answers(control)); )
    await clock.sleep(LOOK_AGAIN_MS);
  return address.origin;
};

const noServer = (hint: string): UsageError =>
  new UsageError('no sandbox server is running', { code: 'no_sandbox_server', hint });

const openPage = async (options: ServiceOptions, url: string | undefined, plan: boolean) => {
  const found = await livingAddress(options, url);
  if (found === undefined) throw noServer('Start one: ttctl sandbox start --detach');
  const page_url = pageUrl(found.origin, found.secret);
  if (plan) return { page_url, opened: false };
  const { openInBrowser } = await import('../terminal/browser.ts');
  const { env, platform } = options.machine;
  return { page_url, opened: await hidingCredentials(env, () => openInBrowser(page_url, env, platform)) };
};

const variables = async (
  options: ServiceOptions,
  url: string | undefined,
  plan: boolean,
): Promise<Record<string, string>> => {
  const found = await serverOf(options, url);
  if (found === undefined) {
    throw noServer(
      'Start one: ttctl sandbox start --detach. For the embedded sandbox, set only TTCTL_PROFILE=sandbox.',
    );
  }
  return variablesFor(addressesAt(found.origin), controlAt(found), { secret: found.secret, plan });
};

const coverage = async () => {
  const { allRoutes } = await import('../sandbox/routes.ts');
  const { coverageOf } = await import('../sandbox/provenance.ts');
  return (await allRoutes()).map((route) => ({ ...coverageOf(route.route, route) }));
};

/** @throws UsageError for a file that cannot be read, and for what is no JSON */
const readValue = async (machine: Machine, text: string): Promise<unknown> => {
  const file = text.startsWith('@') ? text.slice(1) : undefined;
  const parsed = parseJson(file === undefined ? text : await readText(machine, file), { unique: true });
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
  const controlOf = (address: ServerAddress | undefined): SandboxControl => {
    if (address !== undefined) return controlAt(address);
    const { clock, interrupted } = options.machine;
    embedded ??= embeddedControl(sandboxDisk(options.stateFile, clock), interrupted);
    return embedded.control;
  };
  return {
    control: (url) => controlOf(addressOf(options, url)),
    living: async (url) => controlOf(await livingAddress(options, url)),
    stop: (url, plan) => stop(options, url, plan),
    running() {
      const locator = runningServer(options);
      return locator && { ...placeOf(locator), secret: locator.secret };
    },
    serve: (wish, ready) => serve(options, wish, ready),
    async detach(args) {
      refuseSecond(options);
      return detach(options.machine, args);
    },
    async plan(wish, alone) {
      if (alone) refuseSecond(options);
      await prepare(options.machine, wish, true);
      const { port, state, seed } = wish;
      return { port: port || null, seed: seed ?? 'demo', state: state ?? null };
    },
    exec: (command, wish) => execWithSandbox(options.machine, command, wish),
    variables: (url, plan) => variables(options, url, plan),
    openPage: (url, plan) => openPage(options, url, plan),
    value: (text) => readValue(options.machine, text),
    close: async () => embedded?.close(),
    coverage,
  };
};
