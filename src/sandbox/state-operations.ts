import { clockState, moveClock, readMove } from './clock.ts';
import {
  type ControlledSandbox,
  change,
  type Fields,
  isNumber,
  isText,
  listOf,
  operation,
  pickTexts,
} from './control-operation.ts';
import { addFault, clearFaults, faultRows, readFaultWish } from './fault-wish.ts';
import { rowsAfter } from './log.ts';
import { type AppWish, appRows, registerApp } from './oauth/apps.ts';
import { seedOrFile } from './seeds/seed-or-file.ts';
import { sandboxTime } from './state.ts';
import { statusOf } from './status.ts';
import { createToken, keptToken } from './tokens.ts';
import type { World } from './world.ts';

/** The control's operations on the sandbox itself: its state, clock, faults and log. */

export interface TokenRequest {
  /** E-mail address of an active Owner or Executive Manager. */
  readonly as: string;
  readonly scopes: readonly string[];
  /** A token of this name is handed out again as long as it holds. */
  readonly keptAs?: string;
}

const nothing = () => ({});

/** Undefined where there is no state, or it is damaged: a reset is what mends it. */
const timeOf = ({ state }: ControlledSandbox): World['time'] | undefined => {
  try {
    return state.peek()?.time;
  } catch {
    return undefined;
  }
};

/** The state of a seed, by the clock as it stands. */
const seeded = async (sandbox: ControlledSandbox, name: string): Promise<World> => {
  const machine = sandbox.clock.now();
  const time = timeOf(sandbox);
  const world = await seedOrFile(name, time === undefined ? machine : sandboxTime({ time }, machine));
  return { ...world, time: timeOf(sandbox) ?? world.time };
};

const chance = ({ clock }: ControlledSandbox, world: World) => ({
  now: sandboxTime(world, clock.now()),
  random: () => clock.random(),
});

export const STATE_OPERATIONS = {
  status: operation('GET status', nothing, ({ state, about, clock }) =>
    state.use((world) => statusOf(world, about(), clock.now())),
  ),
  /** Begins again from a seed, by the sandbox's clock; every token ends. The clock stays as it is. */
  reset: operation(
    'POST reset',
    ({ seed }) => ({ seed: isText(seed) ? seed : 'demo' }),
    async (sandbox, { seed }, plan) => {
      const make = () => seeded(sandbox, seed);
      const world = await (plan ? make() : sandbox.state.replace(make));
      return statusOf(world, sandbox.about(), sandbox.clock.now());
    },
  ),
  createToken: operation(
    'POST tokens',
    (fields): TokenRequest => ({
      as: String(fields['as'] ?? ''),
      scopes: listOf(fields['scopes'], isText),
      ...pickTexts(fields, 'keptAs'),
    }),
    (sandbox, { as, scopes, keptAs: name }, plan) =>
      change(sandbox, plan, (world) => {
        const request = { as, scopes, ...chance(sandbox, world) };
        return name === undefined ? createToken(world, request) : keptToken(world, { ...request, name });
      }),
  ),
  /** Registers an OAuth2 application. */
  createApp: operation(
    'POST apps',
    (fields): AppWish => ({
      name: String(fields['name'] ?? ''),
      ...pickTexts(fields, 'redirect_uri', 'grant', 'as'),
    }),
    (sandbox, app, plan) => change(sandbox, plan, (world) => registerApp(world, app, chance(sandbox, world))),
  ),
  apps: operation('GET apps', nothing, ({ state }) => state.use(appRows)),
  clock: operation('GET clock', nothing, ({ state, clock }) =>
    state.use((world) => clockState(world, clock.now())),
  ),
  moveClock: operation('POST clock', readMove, (sandbox, move, plan) =>
    change(sandbox, plan, (world) => {
      const machine = sandbox.clock.now();
      moveClock(world, move, machine);
      return clockState(world, machine);
    }),
  ),
  faults: operation('GET faults', nothing, ({ state }) => state.use(faultRows)),
  addFault: operation('POST faults', readFaultWish, async (sandbox, fault, plan) => {
    // The table of operations is needed for nothing else here.
    const { routeFor } = await import('./fault-target.ts');
    const route = routeFor(fault.operation);
    return change(sandbox, plan, (world) => addFault(world, route, fault));
  }),
  /** Takes away the faults of these ids, or all. Returns how many. */
  clearFaults: operation(
    'POST faults/clear',
    ({ ids }: Fields): { readonly ids?: readonly number[] } => ({ ids: listOf(ids, isNumber) }),
    (sandbox, { ids = [] }, plan) => change(sandbox, plan, (world) => clearFaults(world, ids)),
  ),
  /** The latest requests, the oldest first; only those after the one with this id. */
  log: operation(
    'GET log',
    (fields) => pickTexts(fields, 'after'),
    ({ log }, { after }) => rowsAfter(log.rows(), after),
  ),
  clearLog: operation('POST log/clear', nothing, ({ log }, _args, plan) => {
    if (!plan) log.clear();
    return { cleared: !plan };
  }),
  /** Lets time pass with people at work in it, and moves the clock with it. */
  simulate: operation(
    'POST simulate',
    ({ by_ms }) => ({ by_ms: Number(by_ms) }),
    async (sandbox, { by_ms }, plan) => {
      const { passTime } = await import('./simulation/pass-time.ts');
      const { clock, dialect, allowed } = sandbox;
      return change(sandbox, plan, (world) =>
        passTime(world, { by_ms, machine: clock.now(), dialect, allowed }),
      );
    },
  ),
  stop: operation('POST stop', nothing, async ({ stop }, _args, plan) => {
    if (!plan) await stop();
    return { stopped: !plan };
  }),
};
