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
import { toDurationMs, toMomentMs } from './moments.ts';
import { type ChosenOptions, chooseOptions } from './options.ts';
import { createOwnClock } from './own-clock.ts';
import { toHandleAnswer, toRequestRecord } from './requests.ts';
import { listenOnPort } from './server.ts';
import type * as shipped from './types.ts';
import type { Seed } from './types.ts';
import { findFirstWorkspace, toSandboxState } from './views.ts';
import { createFetch } from './web.ts';

/** `ttctl/sandbox`: the composition root of a sandbox in somebody else's process. */

const worldOf = (
  wanted: Seed,
  options: { readonly now: number; readonly number: number },
): World | Promise<World> => {
  // As a file would have it, so that a line can be told.
  if (typeof wanted !== 'string') return seedFromText(JSON.stringify(wanted, null, 2), 'the seed', options);
  return isSeedFile(wanted) ? readSeedFile(wanted, options) : createSeed(wanted, options);
};

/**
 * The world that a sandbox begins with, its clock as the options have it.
 * @param machine the machine's time, ms
 * @throws UsageError for an unknown seed, and for what is wrong in a file or an object
 */
const grown = async (
  wanted: Seed,
  { now, frozen, seedNumber }: ChosenOptions,
  machine: number,
): Promise<World> => {
  const begin = now === undefined ? machine : toMomentMs(now);
  const world = await worldOf(wanted, { now: begin, number: seedNumber });
  return { ...world, time: { offset_ms: begin - machine, frozen_ms: frozen === true ? begin : null } };
};

export { SandboxError } from './errors.ts';

/** RFC 2606: no such host can be, so that a request that strays from `sandbox.fetch` reaches nobody. */
const ORIGIN = 'http://sandbox.invalid';

/** The world to begin with, in which whoever approves can do so. */
const worldFor = async (
  seed: shipped.Seed | undefined,
  chosen: ChosenOptions,
  machine: number,
): Promise<World> => {
  const world = await grown(seed ?? chosen.seed ?? 'demo', chosen, machine);
  if (chosen.autoApprove !== undefined) requireHolder(world, chosen.autoApprove);
  return world;
};

const rigOf = async (given: shipped.SandboxOptions): Promise<SandboxInternals> => {
  const chosen = chooseOptions(given);
  const { seedNumber, limits, dialect, autoApprove, allowWebhooksTo: allowed } = chosen;
  const clock = createOwnClock(seedNumber);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const hosted = await createHostedSandbox(await worldFor(undefined, chosen, clock.now()), {
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

type Doors = Pick<shipped.Sandbox, 'fetch' | 'handle' | 'listen' | 'close'>;

/** The ways in, and the way out. */
const doorsOf = (internals: SandboxInternals): Doors => {
  const { hosted, clock, ending, dispatcher } = internals;
  const servers = new Set<shipped.SandboxServer>();
  const closeAll = async (): Promise<void> => {
    await Promise.all([...servers].map((server) => server.close()));
  };
  // Also where somebody stops it from afar.
  ending.signal.addEventListener('abort', () => void closeAll());
  return {
    fetch: createFetch({
      answer: (request) => answerInternally(internals, request),
      sleep: (ms, signal) => clock.sleep(ms, AbortSignal.any([signal, ending.signal])),
      origin: ORIGIN,
      now: hosted.now,
    }),
    handle: (request) =>
      explainErrors(() => toHandleAnswer(answerInternally(internals, toRequestRecord(request)))),
    listen: (wish = {}) =>
      explainErrorsLater(async () => {
        ending.signal.throwIfAborted();
        const server = await listenOnPort(internals, wish);
        servers.add(server);
        return server;
      }),
    async close() {
      await hosted.control.stop();
      await dispatcher.idle();
      await closeAll();
    },
  };
};

type Keeping = Pick<shipped.Sandbox, 'state' | 'simulate' | 'snapshot' | 'restore' | 'reset'>;

/** The state as a whole. */
const keepingOf = ({ hosted, clock, chosen, dispatcher }: SandboxInternals): Keeping => ({
  state: () => toSandboxState(hosted.world(), clock.now()),
  simulate: (by) => explainErrorsLater(async () => hosted.control.simulate({ by_ms: toDurationMs(by) })),
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
      hosted.replace(await worldFor(seed, chosen, clock.now()));
      hosted.log.clear();
    }),
});

/** The library's one function (types.ts). */
export const createSandbox: typeof shipped.createSandbox = (options = {}) =>
  explainErrorsLater(async () => {
    const internals = await rigOf(options);
    const { hosted } = internals;
    const doors = doorsOf(internals);
    return {
      baseUrl: `${ORIGIN}${BASE_PATH}`,
      authUrl: ORIGIN,
      tokenUrl: ORIGIN,
      get workspaceId() {
        return findFirstWorkspace(hosted.world()).id;
      },
      ...doors,
      token: (wish = {}) => explainErrors(() => issueToken(internals, wish)),
      application: (wish) => explainErrors(() => registerApplication(internals, wish)),
      clock: createSandboxClock(internals),
      faults: createSandboxFaults(internals),
      webhooks: createSandboxWebhooks(internals),
      log: () => [...hosted.log.rows()],
      clearLog: () => hosted.log.clear(),
      ...keepingOf(internals),
      [Symbol.asyncDispose]: doors.close,
    };
  });
