import type { World } from '../world.ts';
import { addStaff, addWork } from './agency.ts';
import { addWorkspace, createWorld, type SeedOptions } from './builder.ts';
import * as entry from './entries.ts';

/** The day on which all is decided: 180 submitted sheets, 40 leaves and 60 time requests that wait. */
export const seedMonthEnd = (options: SeedOptions): World => {
  const world = createWorld('month-end', options);
  const context = addWorkspace(world, options.now, 'Month-end Ltd', 0);
  const staff = addStaff(context, 45, 'month-end.example');
  const contracts = addWork(context, staff);
  for (const person of staff) {
    for (const week of [1, 2, 3, 4]) {
      entry.addSheet(context, person.user_id, week, 'submitted', entry.drawWeekMinutes(context));
    }
    entry.addSheet(context, person.user_id, 5, 'approved', entry.drawWeekMinutes(context));
  }
  const holiday = entry.addPolicy(context, 'Annual leave', true, 26);
  const unpaid = entry.addPolicy(context, 'Unpaid leave', false, 10);
  for (const [n, person] of staff.slice(0, 40).entries()) {
    entry.addLeave(context, person.user_id, n % 4 === 0 ? unpaid : holiday, -5 - n, 1 + (n % 5), 'pending');
  }
  for (const [n, contract] of contracts.slice(0, 60).entries()) {
    entry.addTimeRequest(context, contract, 1 + (n % 20), 'pending', n % 3 === 0 ? 'Forgot to start' : null);
  }
  entry.addPast(context);
  return world;
};
