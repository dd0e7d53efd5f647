import { drawRandom } from '../state.ts';
import type { World } from '../world.ts';

/** Chance of the simulation: drawn from the world, so that the same world does the same. */
export interface RandomSource {
  /** True this often, 0 to 1. */
  often(probability: number): boolean;
  /** A whole number, `min` and `max` among them. */
  between(min: number, max: number): number;
  /** Undefined of nothing. */
  pick<T>(values: readonly T[]): T | undefined;
}

export const createRandomSource = (world: World): RandomSource => {
  const between = (min: number, max: number): number => min + Math.floor(drawRandom(world) * (max - min + 1));
  return {
    often: (probability) => drawRandom(world) < probability,
    between,
    pick: (values) => values[between(0, values.length - 1)],
  };
};
