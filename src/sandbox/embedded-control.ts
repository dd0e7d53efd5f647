import { dirname } from 'node:path';
import { type SandboxControl, type SandboxStatus, statusOf } from './control.ts';
import { sendAfterwards } from './deliveries/afterwards.ts';
import { createWebhookControl } from './deliveries/control.ts';
import { storeDepot } from './deliveries/depots.ts';
import { createDeliverySender } from './deliveries/sender.ts';
import { DEFAULT_DIALECT } from './dialect.ts';
import { fileLog, logFileOf } from './log-file.ts';
import { seedOrFile } from './seeds/seed-or-file.ts';
import { snapshotFiles, snapshotFolder } from './snapshots/snapshot-files.ts';
import { sandboxTime } from './state.ts';
import { openStore, type Store, type StoreDisk } from './store.ts';
import type { World } from './world.ts';
import { worldControl } from './world-control.ts';

const NEVER = new AbortController().signal;

/** Undefined where there is no state, or it is damaged: a reset is what mends it. */
const timeOf = (peek: () => World | undefined): World['time'] | undefined => {
  try {
    return peek()?.time;
  } catch {
    return undefined;
  }
};

/**
 * Control over the state file of the embedded sandbox.
 * @param interrupted ends what is being sent
 */
export const embeddedControl = (disk: StoreDisk, interrupted: AbortSignal = NEVER): SandboxControl => {
  let changed = false;
  const opened = openStore(disk);
  const store: Store = {
    ...opened,
    save(world) {
      changed = true;
      opened.save(world);
    },
  };
  const { clock } = disk;
  const depot = storeDepot(store);
  const carrying = { depot, clock, allowed: [] };
  const status = (world: World): SandboxStatus =>
    statusOf(world, { kind: 'embedded', state: disk.file, machine: clock.now() });
  const door = {
    log: fileLog(logFileOf(disk.file)),
    look: <T>(work: (world: World) => T) => store.locked(async (world) => work(world)),
    change: <T>(work: (world: World) => T) =>
      store.locked(async (world) => {
        const made = work(world);
        store.save(world);
        return made;
      }),
    put: async (make: () => World) => void (await store.replace(async () => make())),
    shelf: snapshotFiles(snapshotFolder(dirname(disk.file)), disk),
    dialect: DEFAULT_DIALECT,
    allowed: [],
  };
  return {
    ...worldControl(door, clock),
    status: () => store.locked(async (world) => status(world)),
    reset: async (name, plan) => {
      const time = timeOf(store.peek);
      const make = async () => {
        const now = time === undefined ? clock.now() : sandboxTime({ time }, clock.now());
        const world = await seedOrFile(name, now);
        return time === undefined ? world : { ...world, time };
      };
      return status(await (plan === true ? make() : store.replace(make)));
    },
    webhooks: createWebhookControl({
      ...carrying,
      dialect: DEFAULT_DIALECT,
      sender: createDeliverySender({ ...carrying, signal: interrupted }),
    }),
    stop: async () => {},
    close: async () => (changed ? sendAfterwards(store, clock, interrupted) : undefined),
  };
};
