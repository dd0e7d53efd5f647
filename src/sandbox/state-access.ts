import type { SandboxRequest } from './exchange.ts';
import type { World } from './world.ts';

/** A request that changed the state, so that it can be repeated: with what it began from. */
export interface Change {
  /** The machine's time, ms. */
  readonly at: number;
  readonly generator: number;
  readonly next_id: number;
  readonly request: SandboxRequest;
}

/** The state of a sandbox: in memory, or in a file that several processes use (store.ts). */
export interface StateAccess {
  /** Runs the work alone with the state; `save` keeps what it changes: all of it, or what a request changed. */
  use<T>(work: (world: World, save: (change?: Change) => void) => T): Promise<T>;
  /** Puts another state in the place of the present one, which is not read. @returns it */
  replace(make: () => Promise<World>): Promise<World>;
  /** The state for looking, undefined where there is none yet. @throws Failure where it is damaged */
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
