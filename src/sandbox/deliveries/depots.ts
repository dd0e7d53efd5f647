import type { Store } from '../store.ts';
import type { World } from '../world.ts';
import type { Depot } from './sender.ts';

/** In a state file that several processes use at once. */
export const storeDepot = (store: Store): Depot => ({
  change: (work) =>
    store.locked(async (world) => {
      let changed = false;
      const value = work(world, () => {
        changed = true;
      });
      if (changed) store.save(world);
      return value;
    }),
  look: store.peek,
});

/** In the memory of a server; `save` where the server keeps its state. */
export const memoryDepot = (world: () => World, save?: (world: World) => void): Depot => ({
  change: async (work) => {
    const present = world();
    return work(present, () => save?.(present));
  },
  look: world,
});
