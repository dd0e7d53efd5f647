import type { World } from '../world.ts';
import { addPerson, addSpace, newWorld, type SeedOptions } from './builder.ts';

/** A workspace with its owner and nothing else. */
export const grow = (options: SeedOptions): World => {
  const world = newWorld('empty', options);
  const plot = addSpace(world, options.now, 'New workspace', 0);
  const owner = addPerson(plot, {
    email: 'owner@new.example',
    name: ['Robin', 'Castellano'],
    role: 'Owner',
    rate_status: 1,
    zone: 'UTC',
  });
  plot.space.owner_id = owner.user_id;
  return world;
};
