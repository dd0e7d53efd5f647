import { addUser, createMembership, findOrAddUser } from '../people.ts';
import type * as R from '../records.ts';
import { addDaysTo } from '../sheets.ts';
import { createNumber } from '../state.ts';
import type * as W from '../world.ts';

/** The pieces that seeds are put together from. Everything is relative to `now` and drawn from the world. */

export interface SeedOptions {
  /** The sandbox's time, ms. */
  readonly now: number;
  /** The same number grows the same world; default 1. */
  readonly number?: number;
}

export const createWorld = (seed: string, options: SeedOptions): W.World => ({
  version: 1,
  seed,
  generator: options.number ?? 1,
  next_id: 101,
  time: { offset_ms: 0, frozen_ms: null },
  users: {},
  spaces: {},
  tokens: {},
  trackers: {},
  windows: {},
});

/** What a seed is being built in: a world, one of its workspaces, and the moment. */
export interface SeedContext {
  readonly world: W.World;
  readonly workspace: W.Workspace;
  readonly now: number;
}

/** The moment `days` before now, at an hour of the day (UTC). */
export const toTimeAgo = (context: { readonly now: number }, days: number, hour = 9): string =>
  `${addDaysTo(new Date(context.now).toISOString().slice(0, 10), -days)}T${String(hour).padStart(2, '0')}:00:00.000Z`;

/** The day `days` before today; a negative number is after it. */
export const toDayAgo = (context: { readonly now: number }, days: number): string =>
  toTimeAgo(context, days).slice(0, 10);

export const addWorkspace = (world: W.World, now: number, name: string, owner: number): SeedContext => {
  const context = { now };
  const workspace: W.Workspace = {
    id: createNumber(world),
    owner_id: owner,
    workspace_name: name,
    status: 'active',
    created_at: toTimeAgo(context, 800),
    activated_at: toTimeAgo(context, 799),
    members: {},
    projects: {},
    contracts: {},
    tasks: {},
    assignments: {},
    timesheets: {},
    leaves: {},
    leave_policies: {},
    time_requests: {},
    expenses: {},
    categories: {},
    webhooks: {},
  };
  world.spaces[workspace.id] = workspace;
  return { world, workspace, now };
};

export type PersonSeed = Partial<Omit<W.Membership, 'user_id'>> & {
  readonly email: string;
  readonly name: readonly [first: string, last: string];
  readonly zone?: string | null;
  readonly avatar?: string | null;
};

/** Adds a membership; `now` minus 400 days is when it began, unless the seed says otherwise. */
export const addPerson = (context: SeedContext, seed: PersonSeed): W.Membership => {
  const { email, name, zone = 'Europe/Berlin', avatar, role = 'Regular User', ...rest } = seed;
  const person = { email, firstname: name[0], lastname: name[1] };
  // Looking for the address among all users costs too much where there are very many.
  const hasOneWorkspace = Object.keys(context.world.spaces).length === 1;
  const user = hasOneWorkspace ? addUser(context.world, person) : findOrAddUser(context.world, person);
  user.timezone = zone;
  if (avatar !== undefined) user.avatar = avatar;
  const joinedAt = toTimeAgo(context, 400);
  const hiredAt = role === 'Project viewer' ? undefined : joinedAt;
  const membership: W.Membership = {
    ...createMembership(user.id, role, joinedAt),
    hired_at: hiredAt,
    ...rest,
  };
  context.workspace.members[user.id] = membership;
  return membership;
};

export const addProject = (
  context: SeedContext,
  name: string,
  overrides: Partial<R.Project> = {},
): R.Project => {
  const project: R.Project = {
    id: createNumber(context.world),
    name,
    owner_id: context.workspace.owner_id,
    start_date: toDayAgo(context, 200),
    deadline: null,
    estimation: null,
    budget_estimation: null,
    notes: null,
    icon: null,
    is_billable: true,
    rate: 90,
    weekly_hours_limit: 168,
    screenshots: 'full',
    tags: [],
    created_at: toTimeAgo(context, 210),
    updated_at: toTimeAgo(context, 30),
    deleted_at: null,
    ...overrides,
  };
  context.workspace.projects[project.id] = project;
  return project;
};

export const addContract = (
  context: SeedContext,
  project: R.Project,
  user: number,
  overrides: Partial<R.Contract> = {},
): R.Contract => {
  const contract: R.Contract = {
    id: createNumber(context.world),
    project_id: project.id,
    user_id: user,
    weekly_hours_limit: 40,
    screenshots: 'full',
    rate: null,
    rate_type: 2,
    status: 'active',
    deleted_at: null,
    ...overrides,
  };
  context.workspace.contracts[contract.id] = contract;
  return contract;
};

export const addTask = (
  context: SeedContext,
  project: R.Project,
  title: string,
  overrides: Partial<R.Task> = {},
): R.Task => {
  const task: R.Task = {
    id: createNumber(context.world),
    title,
    description: null,
    project_id: project.id,
    owner_id: context.workspace.owner_id,
    creator_id: context.workspace.owner_id,
    status: 0,
    priority: 30,
    start_date: null,
    end_date: null,
    completed_at: null,
    created_at: toTimeAgo(context, 40),
    updated_at: toTimeAgo(context, 10),
    deleted_at: null,
    ...overrides,
  };
  context.workspace.tasks[task.id] = task;
  return task;
};
