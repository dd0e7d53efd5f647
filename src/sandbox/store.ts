import type { RepeatableRequest } from './answer.ts';
import type { World } from './world.ts';

export interface SandboxStore {
  /** Runs the work alone with the state; `save` keeps what it changes: all of it, or what a request changed. */
  use<T>(work: (world: World, save: (change?: RepeatableRequest) => void) => T): Promise<T>;
  /** Puts another state in the place of the present one, which is not read. @returns it */
  replace(make: () => Promise<World>): Promise<World>;
  /** The state for looking, undefined where there is none yet. @throws what the host throws where it is damaged */
  peek(): Promise<World | undefined>;
}

export interface MemoryStore extends SandboxStore {
  world(): World;
}

export function createMemoryStore(initial: World, save: (world: World) => void = () => {}): MemoryStore {
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
