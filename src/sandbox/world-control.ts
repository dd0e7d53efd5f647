import type { Clock } from '../clock.ts';
import type { SandboxEvent } from './app.ts';
import { clockState, moveClock } from './clock.ts';
import type { SandboxControl } from './control.ts';
import { recordEvent } from './deliveries/ledger.ts';
import type { Dialect } from './dialect.ts';
import { addFault, clearFaults, faultRows } from './fault-wish.ts';
import { type RequestLog, rowsAfter } from './log.ts';
import { appRows, registerApp } from './oauth/apps.ts';
import { createSnapshotControl, type SnapshotDoor } from './snapshots/control.ts';
import { sandboxTime } from './state.ts';
import { createToken } from './tokens.ts';
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

const simulation = async ({ look, change, dialect, allowed }: WorldDoor, clock: Clock, by_ms: number) => {
  const { checkSpan, simulate } = await import('./simulation/simulate.ts');
  checkSpan(by_ms);
  const through = (world: World) => {
    const machine = clock.now();
    const from = sandboxTime(world, machine);
    const onEvent = (event: SandboxEvent): void => recordEvent(world, event, allowed);
    const told = simulate(world, { from, to: from + by_ms, dialect, onEvent });
    moveClock(world, { action: 'set', to_ms: from + by_ms }, machine);
    return told;
  };
  return {
    done: () => change(through),
    planned: () => look((world) => through(structuredClone(world))),
  };
};

/** @param clock the machine's */
export const worldControl = (door: WorldDoor, clock: Clock): WorldControl => {
  const { look, change, log } = door;
  const chance = (world: World) => ({
    now: sandboxTime(world, clock.now()),
    random: () => clock.random(),
  });
  return {
    createToken: ({ as, scopes }) => change((world) => createToken(world, { as, scopes, ...chance(world) })),
    createApp: (wish) => change((world) => registerApp(world, wish, chance(world))),
    apps: () => look(appRows),
    clock: () => look((world) => clockState(world, clock.now())),
    moveClock: (move) =>
      change((world) => {
        const machine = clock.now();
        moveClock(world, move, machine);
        return clockState(world, machine);
      }),
    faults: () => look(faultRows),
    addFault: async (wish) => {
      // The table of operations is needed for nothing else here.
      const { routeFor } = await import('./fault-target.ts');
      const route = routeFor(wish.operation);
      return change((world) => addFault(world, route, wish));
    },
    clearFaults: (ids) => change((world) => clearFaults(world, ids)),
    simulate: async (by_ms, plan) => {
      const { done, planned } = await simulation(door, clock, by_ms);
      return plan ? planned() : done();
    },
    snapshots: createSnapshotControl(door, clock),
    log: async (after) => rowsAfter(log.rows(), after),
    clearLog: async () => log.clear(),
  };
};
