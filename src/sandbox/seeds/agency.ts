import type { Contract } from '../records.ts';
import type { Membership, Role, World } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';
import { createEmailAddress, createPersonName, projectNames } from './names.ts';
import { createPersonalDetails } from './personal-facts.ts';

/** An agency of 60 people and 25 projects; `staff` makes one of any size for the other large seeds. */

const TEAMS = ['Strategy', 'Design', 'Engineering', 'Research', 'Delivery', 'Support'];
const getRole = (n: number): Role => {
  if (n === 0) return 'Owner';
  if (n <= 2) return 'Executive manager';
  if (n <= 2 + TEAMS.length) return 'Team manager';
  return n % 9 === 0 ? 'Project manager' : 'Regular User';
};

/** Adds `count` people; the first is the owner. */
export const addStaff = (context: build.SeedContext, count: number, domain: string): Membership[] => {
  const staff = Array.from({ length: count }, (_, n) => {
    const role = getRole(n);
    const team = TEAMS[n % TEAMS.length] ?? 'Support';
    return build.addPerson(context, {
      email: createEmailAddress(n, domain),
      name: createPersonName(n),
      role,
      ...createPersonalDetails(context, n),
      team_name: team,
      title: role === 'Regular User' ? 'Consultant' : role,
      rate: 45 + (n % 12) * 5,
      rate_status: n <= 1 ? 1 : 0,
    });
  });
  context.workspace.owner_id = staff[0]?.user_id ?? 0;
  return staff;
};

/** Projects with contracts of their people: each person works on three. */
export const addWork = (context: build.SeedContext, staff: readonly Membership[]): Contract[] => {
  const projects = projectNames.map((name, n) =>
    build.addProject(context, name, {
      is_billable: n % 5 !== 0,
      rate: 70 + (n % 6) * 10,
      estimation: 100 + n * 20,
    }),
  );
  return staff.flatMap((member, n) =>
    [0, 1, 2].flatMap((step) => {
      const project = projects[(n * 3 + step) % projects.length];
      return project === undefined ? [] : build.addContract(context, project, member.user_id);
    }),
  );
};

export const seedAgency = (options: build.SeedOptions): World => {
  const world = build.createWorld('agency', options);
  const context = build.addWorkspace(world, options.now, 'Meridian Agency', 0);
  const staff = addStaff(context, 60, 'meridian.example');
  const contracts = addWork(context, staff);
  for (const project of Object.values(context.workspace.projects)) {
    for (const title of ['Kick-off', 'First draft', 'Review', 'Handover']) {
      build.addTask(context, project, title, { priority: entry.drawOne(context, [10, 20, 30, 40], 30) });
    }
  }
  for (const member of staff) {
    entry.addSheet(context, member.user_id, 0, 'open', 480);
    entry.addSheet(context, member.user_id, 1, 'submitted', entry.drawWeekMinutes(context));
    entry.addSheet(context, member.user_id, 2, 'approved', entry.drawWeekMinutes(context));
  }
  const holiday = entry.addPolicy(context, 'Annual leave', true, 25);
  entry.addPolicy(context, 'Sick leave', true, 12);
  for (const [n, member] of staff.entries()) {
    if (n % 5 === 0) entry.addLeave(context, member.user_id, holiday, -10 - n, 4, 'pending');
    if (n % 7 === 0) entry.addLeave(context, member.user_id, holiday, 40 + n, 3, 'approved');
  }
  for (const [n, contract] of contracts.entries()) {
    if (n % 15 === 0) entry.addTimeRequest(context, contract, 1 + (n % 10), 'pending');
  }
  const travel = entry.addCategory(context, 'Travel');
  entry.addCategory(context, 'Equipment');
  for (const [n, member] of staff.entries()) {
    if (n % 6 !== 0) continue;
    entry.addExpense(context, member.user_id, 'Train ticket', 18.4 + n, n % 28, { category_id: travel.id });
  }
  entry.addWebhook(context, 'https://hooks.meridian.example/time', ['tracker.started', 'tracker.stopped']);
  entry.addPast(context);
  return world;
};

/** The day on which all is decided: 180 submitted sheets, 40 leaves and 60 time requests that wait. */
export const seedMonthEnd = (options: build.SeedOptions): World => {
  const world = build.createWorld('month-end', options);
  const context = build.addWorkspace(world, options.now, 'Month-end Ltd', 0);
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

/** Very many members. */
export const seedBig = (options: build.SeedOptions, count: number): World => {
  const world = build.createWorld(count === 5000 ? 'big' : `big:${count}`, options);
  const context = build.addWorkspace(world, options.now, 'Big Company', 0);
  addStaff(context, count, 'big.example');
  return world;
};
