import type { World } from '../world.ts';
import { addStaff } from './agency.ts';
import { addSpace, newWorld, type SeedOptions } from './builder.ts';

/** Very many members. */
export const grow = (options: SeedOptions, count: number): World => {
  const world = newWorld(count === 5000 ? 'big' : `big:${count}`, options);
  const plot = addSpace(world, options.now, 'Big Company', 0);
  addStaff(plot, count, 'big.example');
  return world;
};
