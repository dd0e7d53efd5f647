import type { Contract } from '../records.ts';
import type { Membership, Role, World } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';
import { addressOf, nameOf, projectNames } from './names.ts';
import { personalFacts } from './personal-facts.ts';

/** An agency of 60 people and 25 projects; `staff` makes one of any size for the other large seeds. */

const TEAMS = ['Strategy', 'Design', 'Engineering', 'Research', 'Delivery', 'Support'];
const roleOf = (n: number): Role => {
  if (n === 0) return 'Owner';
  if (n <= 2) return 'Executive manager';
  if (n <= 2 + TEAMS.length) return 'Team manager';
  return n % 9 === 0 ? 'Project manager' : 'Regular User';
};

/** Adds `count` people; the first is the owner. */
export const addStaff = (plot: build.Plot, count: number, domain: string): Membership[] => {
  const staff = Array.from({ length: count }, (_, n) => {
    const role = roleOf(n);
    const team = TEAMS[n % TEAMS.length] ?? 'Support';
    return build.addPerson(plot, {
      email: addressOf(n, domain),
      name: nameOf(n),
      role,
      ...personalFacts(plot, n),
      team_name: team,
      title: role === 'Regular User' ? 'Consultant' : role,
      rate: 45 + (n % 12) * 5,
      rate_status: n <= 1 ? 1 : 0,
      manages_teams: role === 'Team manager' ? [team] : [],
    });
  });
  plot.space.owner_id = staff[0]?.user_id ?? 0;
  return staff;
};

/** Projects with contracts of their people: each person works on three. */
export const addWork = (plot: build.Plot, staff: readonly Membership[]): Contract[] => {
  const projects = projectNames.map((name, n) =>
    build.addProject(plot, name, {
      is_billable: n % 5 !== 0,
      rate: 70 + (n % 6) * 10,
      estimation: 100 + n * 20,
    }),
  );
  return staff.flatMap((person, n) =>
    [0, 1, 2].flatMap((step) => {
      const project = projects[(n * 3 + step) % projects.length];
      return project === undefined ? [] : build.addContract(plot, project, person.user_id);
    }),
  );
};

export const grow = (options: build.SeedOptions): World => {
  const world = build.newWorld('agency', options);
  const plot = build.addSpace(world, options.now, 'Meridian Agency', 0);
  const staff = addStaff(plot, 60, 'meridian.example');
  const contracts = addWork(plot, staff);
  for (const project of Object.values(plot.space.projects)) {
    for (const title of ['Kick-off', 'First draft', 'Review', 'Handover']) {
      build.addTask(plot, project, title, { priority: entry.pick(plot, [10, 20, 30, 40], 30) });
    }
  }
  for (const person of staff) {
    entry.addSheet(plot, person.user_id, 0, 'open', 480);
    entry.addSheet(plot, person.user_id, 1, 'submitted', entry.someMinutes(plot));
    entry.addSheet(plot, person.user_id, 2, 'approved', entry.someMinutes(plot));
  }
  const holiday = entry.addPolicy(plot, 'Annual leave', true, 25);
  entry.addPolicy(plot, 'Sick leave', true, 12);
  for (const [n, person] of staff.entries()) {
    if (n % 5 === 0) entry.addLeave(plot, person.user_id, holiday, -10 - n, 4, 'pending');
    if (n % 7 === 0) entry.addLeave(plot, person.user_id, holiday, 40 + n, 3, 'approved');
  }
  for (const [n, contract] of contracts.entries()) {
    if (n % 15 === 0) entry.addTimeRequest(plot, contract, 1 + (n % 10), 'pending');
  }
  const travel = entry.addCategory(plot, 'Travel');
  entry.addCategory(plot, 'Equipment');
  for (const [n, person] of staff.entries()) {
    if (n % 6 !== 0) continue;
    entry.addExpense(plot, person.user_id, 'Train ticket', 18.4 + n, n % 28, { category_id: travel.id });
  }
  entry.addWebhook(plot, 'https://hooks.meridian.example/time', ['tracker.started', 'tracker.stopped']);
  return world;
};
