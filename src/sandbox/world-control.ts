import type { Clock } from '../clock.ts';
import { clockState, moveClock } from './clock.ts';
import type { SandboxControl } from './control.ts';
import type { Dialect } from './dialect.ts';
import { addFault, clearFaults, faultRows } from './fault-wish.ts';
import { type RequestLog, rowsAfter } from './log.ts';
import { appRows, registerApp } from './oauth/apps.ts';
import { createSnapshotControl, type SnapshotDoor } from './snapshots/control.ts';
import { sandboxTime } from './state.ts';
import { createToken, keptToken } from './tokens.ts';
import type { World } from './world.ts';

/** The controls that are a look at the state, or a change of it: the same for a file and for a server. */

export interface WorldDoor extends SnapshotDoor {
  readonly log: RequestLog;
  readonly dialect: Dialect;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed: readonly string[];
  /** The change is kept. */
  change<T>(work: (world: World) => T): Promise<T>;
}

type WorldControl = Omit<SandboxControl, 'status' | 'reset' | 'webhooks' | 'stop' | 'close'>;

/** @param clock the machine's */
export const worldControl = (door: WorldDoor, clock: Clock): WorldControl => {
  const { look, log } = door;
  /** A change, or with `plan` the same on a copy that nobody keeps. */
  const change = <T>(work: (world: World) => T, plan = false): Promise<T> =>
    plan ? look((world) => work(structuredClone(world))) : door.change(work);
  const chance = (world: World) => ({
    now: sandboxTime(world, clock.now()),
    random: () => clock.random(),
  });
  return {
    createToken: ({ as, scopes, keptAs: name }, plan) =>
      change((world) => {
        const wish = { as, scopes, ...chance(world) };
        return name === undefined ? createToken(world, wish) : keptToken(world, { ...wish, name });
      }, plan),
    createApp: (wish, plan) => change((world) => registerApp(world, wish, chance(world)), plan),
    apps: () => look(appRows),
    clock: () => look((world) => clockState(world, clock.now())),
    moveClock: (move, plan) =>
      change((world) => {
        const machine = clock.now();
        moveClock(world, move, machine);
        return clockState(world, machine);
      }, plan),
    faults: () => look(faultRows),
    addFault: async (wish, plan) => {
      // The table of operations is needed for nothing else here.
      const { routeFor } = await import('./fault-target.ts');
      const route = routeFor(wish.operation);
      return change((world) => addFault(world, route, wish), plan);
    },
    clearFaults: (ids, plan) => change((world) => clearFaults(world, ids), plan),
    simulate: async (by_ms, plan) => {
      const { passTime } = await import('./simulation/pass-time.ts');
      const { dialect, allowed } = door;
      return change((world) => passTime(world, { by_ms, machine: clock.now(), dialect, allowed }), plan);
    },
    snapshots: createSnapshotControl(door, clock),
    log: async (after) => rowsAfter(log.rows(), after),
    clearLog: async () => log.clear(),
  };
};
