import type { World } from '../world.ts';
import { addPerson, addWorkspace, createWorld, type SeedOptions } from './builder.ts';

/** A workspace with its owner and nothing else. */
export const seedEmpty = (options: SeedOptions): World => {
  const world = createWorld('empty', options);
  const context = addWorkspace(world, options.now, 'New workspace', 0);
  const owner = addPerson(context, {
    email: 'owner@new.example',
    name: ['Robin', 'Castellano'],
    role: 'Owner',
    rate_status: 1,
    zone: 'UTC',
  });
  context.workspace.owner_id = owner.user_id;
  return world;
};
