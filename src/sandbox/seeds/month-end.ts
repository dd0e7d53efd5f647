import type { World } from '../world.ts';
import { addStaff, addWork } from './agency.ts';
import { addSpace, newWorld, type SeedOptions } from './builder.ts';
import * as entry from './entries.ts';

/** The day on which all is decided: 180 submitted sheets, 40 leaves and 60 time requests that wait. */
export const grow = (options: SeedOptions): World => {
  const world = newWorld('month-end', options);
  const plot = addSpace(world, options.now, 'Month-end Ltd', 0);
  const staff = addStaff(plot, 45, 'month-end.example');
  const contracts = addWork(plot, staff);
  for (const person of staff) {
    for (const week of [1, 2, 3, 4]) {
      entry.addSheet(plot, person.user_id, week, 'submitted', entry.someMinutes(plot));
    }
    entry.addSheet(plot, person.user_id, 5, 'approved', entry.someMinutes(plot));
  }
  const holiday = entry.addPolicy(plot, 'Annual leave', true, 26);
  const unpaid = entry.addPolicy(plot, 'Unpaid leave', false, 10);
  for (const [n, person] of staff.slice(0, 40).entries()) {
    entry.addLeave(plot, person.user_id, n % 4 === 0 ? unpaid : holiday, -5 - n, 1 + (n % 5), 'pending');
  }
  for (const [n, contract] of contracts.slice(0, 60).entries()) {
    entry.addTimeRequest(plot, contract, 1 + (n % 20), 'pending', n % 3 === 0 ? 'Forgot to start' : null);
  }
  return world;
};
