import { drawRandom } from '../state.ts';
import type { World } from '../world.ts';

/** Chance of the simulation: drawn from the world, so that the same world does the same. */
export interface RandomSource {
  /** True this often, 0 to 1. */
  often(share: number): boolean;
  /** A whole number, `least` and `most` among them. */
  between(least: number, most: number): number;
  /** Undefined of nothing. */
  pick<T>(values: readonly T[]): T | undefined;
}

export const createRandomSource = (world: World): RandomSource => {
  const between = (least: number, most: number): number =>
    least + Math.floor(drawRandom(world) * (most - least + 1));
  return {
    often: (share) => drawRandom(world) < share,
    between,
    pick: (values) => values[between(0, values.length - 1)],
  };
};
