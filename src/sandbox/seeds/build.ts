import type { Place } from '../records.ts';
import * as records from '../records.ts';
import { createNumber, drawRandom } from '../state.ts';
import type * as W from '../world.ts';

export interface SeedOptions {
  readonly now: number;
  /** The same number grows the same world; default 1. */
  readonly number?: number;
}

export function createWorld(seed: string, { now, number = 1 }: SeedOptions, workspace: string): Place {
  const world: W.World = {
    ...{ version: 1, seed, generator: number, next_id: 101, time: { offset_ms: 0, frozen_ms: null } },
    ...{ users: {}, spaces: {}, tokens: {}, trackers: {}, windows: {} },
  };
  return addWorkspace(world, now, workspace);
}

/** A workspace without anybody in it; whoever is added as its owner owns it. */
export function addWorkspace(world: W.World, now: number, workspace_name: string): Place {
  const [created_at, activated_at] = [toTimeAgo({ now }, 800), toTimeAgo({ now }, 799)];
  const workspace: W.Workspace = {
    ...{ id: createNumber(world), owner_id: 0, workspace_name, status: 'active', created_at, activated_at },
    ...{ members: {}, projects: {}, contracts: {}, tasks: {}, assignments: {}, timesheets: {}, leaves: {} },
    ...{ leave_policies: {}, time_requests: {}, expenses: {}, categories: {}, webhooks: {} },
  };
  world.spaces[workspace.id] = workspace;
  return { world, workspace, now, time: new Date(now).toISOString() };
}

export function toTimeAgo(place: Pick<Place, 'now'>, days: number, hour = 9): string {
  return `${toDayAgo(place, days)}T${String(hour).padStart(2, '0')}:00:00.000Z`;
}

export function toDayAgo({ now }: Pick<Place, 'now'>, days: number): string {
  return records.addDaysTo(new Date(now).toISOString().slice(0, 10), -days);
}

export type PersonSeed = Partial<Omit<W.Membership, 'user_id'>> & {
  readonly email: string;
  readonly name: readonly [first: string, last: string];
  readonly zone?: string | null;
  readonly avatar?: string | null;
};

/** Adds a membership; `now` minus 400 days is when it began, unless the seed says otherwise. */
export function addPerson(place: Place, seed: PersonSeed): W.Membership {
  const { email, name, zone = 'Europe/Berlin', avatar, role = 'Regular User', ...rest } = seed;
  const { world, workspace } = place;
  const person = { email, firstname: name[0], lastname: name[1] };
  const user = records.findOrAddUser(world, person, Object.keys(world.spaces).length === 1);
  user.timezone = zone;
  if (avatar !== undefined) user.avatar = avatar;
  if (role === 'Owner') workspace.owner_id = user.id;
  const joined = toTimeAgo(place, 400);
  const hired = role === 'Project viewer' ? {} : { hired_at: joined };
  const given = { user_id: user.id, role, created_at: joined, updated_at: joined, ...hired, ...rest };
  return records.newMembership(place, given);
}

export function addProject(place: Place, name: string, more: Partial<W.Project> = {}): W.Project {
  const [created_at, updated_at] = [toTimeAgo(place, 210), toTimeAgo(place, 30)];
  const given = { name, owner_id: place.workspace.owner_id, start_date: toDayAgo(place, 200) };
  const usual = { is_billable: true, rate: 90, created_at, updated_at };
  return records.addRecord(place, 'projects', { ...given, ...usual, ...more });
}

export function addContract(place: Place, project: W.Project, user: number, more: Partial<W.Contract> = {}) {
  const ids = { project_id: project.id, user_id: user };
  return records.addRecord(place, 'contracts', { ...ids, weekly_hours_limit: 40, ...more });
}

export function addTask(place: Place, project: W.Project, title: string, more: Partial<W.Task> = {}): W.Task {
  const { owner_id } = place.workspace;
  const given = { title, project_id: project.id, owner_id, creator_id: owner_id, priority: 30 };
  const [created_at, updated_at] = [toTimeAgo(place, 40), toTimeAgo(place, 10)];
  return records.addRecord(place, 'tasks', { ...given, created_at, updated_at, ...more });
}

export function addSheet(
  place: Place,
  user_id: number,
  weeksAgo: number,
  status: W.TimesheetStatus,
  total_minutes: number,
  reject_reason: string | null = null,
): void {
  const date_from = toMondayAgo(place, weeksAgo);
  const submitted_on = status === 'open' ? null : `${records.addDaysTo(date_from, 7)}T08:15:00.000Z`;
  const sheet = { user_id, date_from, total_minutes, submitted_on, reject_reason, status };
  records.addRecord(place, 'timesheets', sheet);
}

export function toMondayAgo(place: Place, weeks: number): string {
  return records.addDaysTo(records.getMonday(toDayAgo(place, 0)), -7 * weeks);
}

/** For who has sheets: approved ones of the last ten weeks that they have none of. The last step of a seed: earlier ids stay. */
export function addPast(place: Place): void {
  // One crosses the end of a month; twelve weeks may pass without it, where two months end on a Sunday.
  let weeks = 0;
  const monthOf = (day: number) => records.addDaysTo(toMondayAgo(place, weeks), day).slice(0, 7);
  while (monthOf(0) === monthOf(6)) weeks += 1;
  const sheets = Object.values(place.workspace.timesheets);
  const known = new Set(sheets.map(({ user_id, date_from }) => `${user_id} ${date_from}`));
  for (const user of new Set(sheets.map(({ user_id }) => user_id)))
    for (let week = 1; week <= Math.max(10, weeks); week += 1)
      if (!known.has(`${user} ${toMondayAgo(place, week)}`))
        addSheet(place, user, week, 'approved', drawWeekMinutes(place));
}

/** A leave of `days` days that begins `daysAgo` days ago (negative: to come). */
export function addLeave(
  place: Place,
  user_id: number,
  policy: W.LeavePolicy,
  daysAgo: number,
  days: number,
  status: W.DecisionStatus,
  note: string | null = null,
): W.Leave {
  const { owner_id } = place.workspace;
  return records.addRecord(place, 'leaves', {
    ...{ user_id, policy_id: policy.id, status, note },
    approved_by: status === 'approved' ? owner_id : null,
    rejected_by: status === 'rejected' ? owner_id : null,
    reject_reason: status === 'rejected' ? 'The whole team is away that week' : null,
    start_date: toDayAgo(place, daysAgo),
    end_date: toDayAgo(place, daysAgo - days + 1),
    created_on: toTimeAgo(place, Math.max(daysAgo, 0) + 14),
    total: { days, hours: days * policy.hours_per_day },
  });
}

export function addTimeRequest(
  place: Place,
  { user_id, id: contract_id, project_id }: W.Contract,
  daysAgo: number,
  status: W.DecisionStatus,
  notes: string | null = null,
): W.TimeRequest {
  const [start, end] = [toTimeAgo(place, daysAgo, 9), toTimeAgo(place, daysAgo, 11)];
  const asked = toTimeAgo(place, daysAgo, 17);
  return records.addRecord(place, 'time_requests', {
    ...{ user_id, contract_id, project_id, start, end, status, notes },
    comment: status === 'rejected' ? 'This was already tracked' : null,
    updated_by: status === 'pending' ? null : place.workspace.owner_id,
    ...{ created_at: asked, updated_at: asked },
  });
}

export function addExpense(
  place: Place,
  user_id: number,
  expense_name: string,
  amount: number,
  daysAgo: number,
  more: Partial<W.Expense> = {},
): void {
  const [date, added_on] = [toDayAgo(place, daysAgo), toDayAgo(place, Math.max(0, daysAgo - 1))];
  records.addRecord(place, 'expenses', { user_id, expense_name, date, amount, added_on, ...more });
}

export function drawWeekMinutes({ world }: Place): number {
  return 1800 + 15 * Math.floor(drawRandom(world) * 48);
}
