import type { Change } from './logged-app.ts';
import type { World } from './world.ts';

/** The state of a sandbox: in the memory of a server, or in a file that several processes use (store.ts). */
export interface StateAccess {
  /** Runs the work alone with the state; `save` keeps what it changes: all of it, or what a request changed. */
  use<T>(work: (world: World, save: (change?: Change) => void) => T): Promise<T>;
  /** Puts another state in the place of the present one, which is not read. @returns it */
  replace(make: () => Promise<World>): Promise<World>;
  /** The state for looking, undefined where there is none yet. @throws Failure where it is damaged */
  peek(): Promise<World | undefined>;
}

/** In memory; `save` where the server keeps its state. */
export const createMemoryState = (
  world: () => World,
  setWorld: (next: World) => void,
  save: (world: World) => void = () => {},
): StateAccess => ({
  use: async (work) => {
    const current = world();
    return work(current, () => save(current));
  },
  replace: async (make) => {
    const next = await make();
    setWorld(next);
    save(next);
    return next;
  },
  peek: async () => world(),
});
