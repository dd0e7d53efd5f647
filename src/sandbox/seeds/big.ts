import type { World } from '../world.ts';
import { addStaff } from './agency.ts';
import { addWorkspace, createWorld, type SeedOptions } from './builder.ts';

/** Very many members. */
export const seedBig = (options: SeedOptions, count: number): World => {
  const world = createWorld(count === 5000 ? 'big' : `big:${count}`, options);
  const context = addWorkspace(world, options.now, 'Big Company', 0);
  addStaff(context, count, 'big.example');
  return world;
};
