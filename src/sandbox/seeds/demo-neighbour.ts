import type { World } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';

/** Somebody else's workspace: the owner of the first is a Regular User here. */
export const addNeighbour = (world: World, now: number): void => {
  const owner = { email: 'ingrid@fjordworks.example', name: ['Ingrid', 'Solheim'] } as const;
  const plot = build.addSpace(world, now, 'Fjordworks', 0);
  const boss = build.addPerson(plot, { ...owner, role: 'Owner', rate_status: 1, zone: 'Europe/Oslo' });
  plot.space.owner_id = boss.user_id;
  const project = build.addProject(plot, 'Boat house', { owner_id: boss.user_id });
  const guest = build.addPerson(plot, {
    email: 'nora@lindenhof.example',
    name: ['Nora', 'Lindqvist'],
    zone: 'Europe/Stockholm',
    avatar: 'nora.png',
  });
  build.addContract(plot, project, guest.user_id);
  entry.addSheet(plot, guest.user_id, 1, 'submitted', 480);
};
