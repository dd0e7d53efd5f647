import { setMaxListeners } from 'node:events';
import { UsageError } from '../../outcome.ts';
import { createDispatcher } from '../deliveries/dispatcher.ts';
import { BASE_PATH } from '../host.ts';
import { createHostedSandbox } from '../hosted.ts';
import { seedFromText } from '../seeds/file.ts';
import { readSeedFile } from '../seeds/read-file.ts';
import { createSeed } from '../seeds/seed.ts';
import { isSeedFile } from '../seeds/seed-or-file.ts';
import { createSnapshot, resumeSnapshot } from '../snapshots/snapshot.ts';
import { isWorld } from '../state.ts';
import { requireHolder } from '../tokens.ts';
import type { World } from '../world.ts';
import { explainErrors, explainErrorsLater, SandboxError } from './errors.ts';
import { createSandboxClock, createSandboxFaults, createSandboxWebhooks } from './instruments.ts';
import { answerInternally, issueToken, registerApplication, type SandboxInternals } from './internals.ts';
import { toMomentMs } from './moments.ts';
import { type ChosenOptions, chooseOptions } from './options.ts';
import { createOwnClock } from './own-clock.ts';
import { toHandleAnswer, toRequestRecord } from './requests.ts';
import { listenOnPort } from './server.ts';
import type * as shipped from './types.ts';
import type { Seed } from './types.ts';
import { findFirstWorkspace, toSandboxState } from './views.ts';
import { createFetch } from './web.ts';

/** `ttctl/sandbox`: the composition root of a sandbox in somebody else's process. */

const loadSeedWorld = (
  seed: Seed,
  options: { readonly now: number; readonly number: number },
): World | Promise<World> => {
  // As a file would have it, so that a line can be told.
  if (typeof seed !== 'string') return seedFromText(JSON.stringify(seed, null, 2), 'the seed', options);
  return isSeedFile(seed) ? readSeedFile(seed, options) : createSeed(seed, options);
};

/**
 * The world that a sandbox begins with, its clock as the options have it.
 * @param machineMs the machine's time, ms
 * @throws UsageError for an unknown seed, and for what is wrong in a file or an object
 */
const createWorld = async (
  seed: Seed,
  { now, frozen, seedNumber }: ChosenOptions,
  machineMs: number,
): Promise<World> => {
  const startMs = now === undefined ? machineMs : toMomentMs(now);
  const world = await loadSeedWorld(seed, { now: startMs, number: seedNumber });
  return { ...world, time: { offset_ms: startMs - machineMs, frozen_ms: frozen === true ? startMs : null } };
};

export { SandboxError } from './errors.ts';

/** RFC 2606: no such host can be, so that a request that strays from `sandbox.fetch` reaches nobody. */
const ORIGIN = 'http://sandbox.invalid';

/** The world to begin with, in which whoever approves can do so. */
const createInitialWorld = async (
  seed: shipped.Seed | undefined,
  chosen: ChosenOptions,
  machineMs: number,
): Promise<World> => {
  const world = await createWorld(seed ?? chosen.seed ?? 'demo', chosen, machineMs);
  if (chosen.autoApprove !== undefined) requireHolder(world, chosen.autoApprove);
  return world;
};

const createInternals = async (options: shipped.SandboxOptions): Promise<SandboxInternals> => {
  const chosen = chooseOptions(options);
  const { seedNumber, limits, dialect, autoApprove, allowWebhooksTo: allowed } = chosen;
  const clock = createOwnClock(seedNumber);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const hosted = await createHostedSandbox(await createInitialWorld(undefined, chosen, clock.now()), {
    clock,
    limits,
    dialect,
    allowed,
    ending: ending.signal,
    onChange: () => dispatcher.wake(),
    autoApprove,
    stop: async () => ending.abort(new SandboxError('the sandbox was closed', 'closed', undefined)),
  });
  // What is to be tried again tomorrow keeps no process alive.
  const dispatcher = createDispatcher({ ...hosted, clock: clock.idle, signal: ending.signal });
  return { hosted, clock, chosen, ending, dispatcher };
};

type RequestMethods = Pick<shipped.Sandbox, 'fetch' | 'handle' | 'listen' | 'close'>;

/** What takes requests, and what ends it all. */
const createRequestMethods = (internals: SandboxInternals): RequestMethods => {
  const { hosted, clock, ending, dispatcher } = internals;
  const servers = new Set<shipped.SandboxServer>();
  const closeServers = async (): Promise<void> => {
    await Promise.all([...servers].map((server) => server.close()));
  };
  // Also where somebody stops it from afar.
  ending.signal.addEventListener('abort', () => void closeServers());
  return {
    fetch: createFetch({
      answer: (request) => answerInternally(internals, request),
      sleep: (ms, signal) => clock.sleep(ms, AbortSignal.any([signal, ending.signal])),
      origin: ORIGIN,
      now: hosted.now,
    }),
    handle: (request) =>
      explainErrors(() => toHandleAnswer(answerInternally(internals, toRequestRecord(request)))),
    listen: (listenOptions = {}) =>
      explainErrorsLater(async () => {
        ending.signal.throwIfAborted();
        const server = await listenOnPort(internals, listenOptions);
        servers.add(server);
        return server;
      }),
    async close() {
      await hosted.control.stop();
      await dispatcher.idle();
      await closeServers();
    },
  };
};

type StateMethods = Pick<shipped.Sandbox, 'state' | 'snapshot' | 'restore' | 'reset'>;

/** The state as a whole. */
const createStateMethods = ({ hosted, clock, chosen, dispatcher }: SandboxInternals): StateMethods => ({
  state: () => toSandboxState(hosted.world(), clock.now()),
  snapshot() {
    const { row, world } = createSnapshot('', hosted.world(), clock.now());
    return { ...world, now: row.now };
  },
  restore: (snapshot) =>
    explainErrors(() => {
      const { now = '', ...world }: Partial<shipped.Snapshot> = { ...snapshot };
      if (!isWorld(world) || Number.isNaN(Date.parse(now))) {
        throw new UsageError('this is not a snapshot from this version of the sandbox');
      }
      hosted.replace(resumeSnapshot({ row: { now }, world }, clock.now()));
      dispatcher.wake();
    }),
  reset: (seed) =>
    explainErrorsLater(async () => {
      hosted.replace(await createInitialWorld(seed, chosen, clock.now()));
      hosted.log.clear();
    }),
});

/** The library's one function (types.ts). */
export const createSandbox: typeof shipped.createSandbox = (options = {}) =>
  explainErrorsLater(async () => {
    const internals = await createInternals(options);
    const { hosted } = internals;
    const requestMethods = createRequestMethods(internals);
    return {
      baseUrl: `${ORIGIN}${BASE_PATH}`,
      authUrl: ORIGIN,
      tokenUrl: ORIGIN,
      get workspaceId() {
        return findFirstWorkspace(hosted.world()).id;
      },
      ...requestMethods,
      token: (tokenOptions = {}) => explainErrors(() => issueToken(internals, tokenOptions)),
      application: (applicationOptions) =>
        explainErrors(() => registerApplication(internals, applicationOptions)),
      clock: createSandboxClock(internals),
      faults: createSandboxFaults(internals),
      webhooks: createSandboxWebhooks(internals),
      log: () => [...hosted.log.rows()],
      clearLog: () => hosted.log.clear(),
      ...createStateMethods(internals),
      [Symbol.asyncDispose]: requestMethods.close,
    };
  });
