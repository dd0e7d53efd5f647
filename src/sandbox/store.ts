import type { RepeatableRequest } from './app.ts';
import type { World } from './world.ts';

/** The state of a sandbox: in memory, or as a host keeps it. */
export interface StateAccess {
  /** Runs the work alone with the state; `save` keeps what it changes: all of it, or what a request changed. */
  use<T>(work: (world: World, save: (change?: RepeatableRequest) => void) => T): Promise<T>;
  /** Puts another state in the place of the present one, which is not read. @returns it */
  replace(make: () => Promise<World>): Promise<World>;
  /** The state for looking, undefined where there is none yet. @throws what the host throws where it is damaged */
  peek(): Promise<World | undefined>;
}

export interface MemoryState extends StateAccess {
  /** The state as it is now; a reset puts another in its place. */
  world(): World;
}

/** @param save keeps the state elsewhere after each change */
export function createMemoryState(initial: World, save: (world: World) => void = () => {}): MemoryState {
  let world = initial;
  return {
    world: () => world,
    peek: async () => world,
    use: async (work) => work(world, () => save(world)),
    replace: async (make) => {
      world = await make();
      save(world);
      return world;
    },
  };
}
