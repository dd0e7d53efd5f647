import { moveClock, parseClockMove, readClock } from './clock.ts';
import {
  type ControlFields,
  type ControlledSandbox,
  changeState,
  defineControlOperation,
  isPlainNumber,
  isText,
  pickTexts,
  readList,
} from './control-operation.ts';
import { addFault, clearFaults, listFaultRows, parseFaultRequest } from './faults.ts';
import { listRowsAfter } from './log.ts';
import { type AppRegistration, listAppRows, registerApp } from './oauth/apps.ts';
import { loadSeed } from './seeds/seed.ts';
import { toSandboxTime } from './state.ts';
import { toSandboxStatus } from './status.ts';
import { listTokenRows, revokeToken } from './token-rows.ts';
import { createToken, findOrCreateToken } from './tokens.ts';
import type { World } from './world.ts';

/** The control's operations on the sandbox itself: its state, clock, faults and log. */

export interface TokenRequest {
  /** E-mail address of an active Owner or Executive Manager. */
  readonly as: string;
  readonly scopes: readonly string[];
  readonly name?: string | undefined;
  /** A token of this name is handed out again as long as it holds. */
  readonly keptAs?: string | undefined;
}

const readNothing = () => ({});

/** Undefined where there is no state, or it is damaged: a reset is what mends it. */
const getTime = async ({ state }: ControlledSandbox): Promise<World['time'] | undefined> => {
  try {
    return (await state.peek())?.time;
  } catch {
    return undefined;
  }
};

/** The state of a seed, by the clock as it stands. */
const loadSeedWorld = async (sandbox: ControlledSandbox, name: string, limits: boolean): Promise<World> => {
  const machineMs = sandbox.clock.now();
  const time = await getTime(sandbox);
  const world = await loadSeed(name, time === undefined ? machineMs : toSandboxTime({ time }, machineMs));
  return { ...world, time: (await getTime(sandbox)) ?? world.time, ...(limits ? { limits } : {}) };
};

const getSandboxTime = ({ clock }: ControlledSandbox, world: World) => ({
  now: toSandboxTime(world, clock.now()),
  random: () => clock.random(),
});

export const STATE_OPERATIONS = {
  status: defineControlOperation('GET status', readNothing, ({ state, about, clock }) =>
    state.use((world) => toSandboxStatus(world, about(), clock.now())),
  ),
  /** Begins again from a seed, by the sandbox's clock; every token ends. The clock stays as it is. */
  reset: defineControlOperation(
    'POST reset',
    ({ seed, limits }): { readonly seed: string; readonly limits?: boolean } => ({
      seed: isText(seed) ? seed : 'demo',
      limits: limits === true,
    }),
    async (sandbox, { seed, limits = false }) => {
      const load = () => loadSeedWorld(sandbox, seed, limits);
      const world = await sandbox.state.replace(load);
      return toSandboxStatus(world, sandbox.about(), sandbox.clock.now());
    },
  ),
  createToken: defineControlOperation(
    'POST tokens',
    (fields): TokenRequest => ({
      as: String(fields['as'] ?? ''),
      scopes: readList(fields['scopes'], isText),
      ...pickTexts(fields, 'name', 'keptAs'),
    }),
    (sandbox, { as, scopes, name, keptAs }) =>
      changeState(sandbox, (world) => {
        const request = { as, scopes, ...getSandboxTime(sandbox, world) };
        return keptAs === undefined
          ? createToken(world, name === undefined ? request : { ...request, name })
          : findOrCreateToken(world, { ...request, name: keptAs });
      }),
  ),
  tokens: defineControlOperation('GET tokens', readNothing, ({ state, clock }) =>
    state.use((world) => listTokenRows(world, toSandboxTime(world, clock.now()))),
  ),
  revokeToken: defineControlOperation(
    'POST tokens/revoke',
    ({ token }) => ({ token: String(token ?? '') }),
    (sandbox, { token }) =>
      changeState(sandbox, (world) => revokeToken(world, token, toSandboxTime(world, sandbox.clock.now()))),
  ),
  /** Registers an OAuth2 application. */
  createApp: defineControlOperation(
    'POST apps',
    (fields): AppRegistration => ({
      name: String(fields['name'] ?? ''),
      ...pickTexts(fields, 'redirect_uri', 'grant', 'as'),
    }),
    (sandbox, app) =>
      changeState(sandbox, (world) => registerApp(world, app, getSandboxTime(sandbox, world))),
  ),
  apps: defineControlOperation('GET apps', readNothing, ({ state }) => state.use(listAppRows)),
  clock: defineControlOperation('GET clock', readNothing, ({ state, clock }) =>
    state.use((world) => readClock(world, clock.now())),
  ),
  moveClock: defineControlOperation('POST clock', parseClockMove, (sandbox, move) =>
    changeState(sandbox, (world) => {
      const machineMs = sandbox.clock.now();
      moveClock(world, move, machineMs);
      return readClock(world, machineMs);
    }),
  ),
  faults: defineControlOperation('GET faults', readNothing, ({ state }) => state.use(listFaultRows)),
  addFault: defineControlOperation('POST faults', parseFaultRequest, (sandbox, fault) =>
    changeState(sandbox, (world) => addFault(world, fault)),
  ),
  /** Takes away the faults of these ids, or all. Returns how many. */
  clearFaults: defineControlOperation(
    'POST faults/clear',
    ({ ids }: ControlFields): { readonly ids?: readonly number[] } => ({ ids: readList(ids, isPlainNumber) }),
    (sandbox, { ids = [] }) => changeState(sandbox, (world) => clearFaults(world, ids)),
  ),
  /** The latest requests, the oldest first; only those after the one with this id. */
  log: defineControlOperation(
    'GET log',
    (fields) => pickTexts(fields, 'after'),
    ({ log }, { after }) => listRowsAfter(log.rows(), after),
  ),
  clearLog: defineControlOperation('POST log/clear', readNothing, ({ log }) => {
    log.clear();
    return { cleared: true };
  }),
  stop: defineControlOperation('POST stop', readNothing, async ({ stop }) => {
    await stop();
    return { stopped: true };
  }),
};
