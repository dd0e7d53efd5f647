import { findRecord, toSandboxTime } from '../state.ts';
import type { RecordMap, Space, World } from '../world.ts';
import type { SandboxState, StateRecord, WorkspaceState } from './types.ts';

/** What is in the sandbox, as a copy for assertions. */

const listOf = (records: RecordMap<{ id: number | string }>): StateRecord[] =>
  Object.values(records).map((record) => structuredClone({ ...record }));

const membersOf = (world: World, space: Space): StateRecord[] =>
  Object.values(space.members).map(({ user_id, ...membership }) => {
    const user = findRecord(world.users, user_id);
    return structuredClone({ ...user, id: user_id, ...membership });
  });

const workspaceOf = (world: World, space: Space): WorkspaceState => ({
  id: space.id,
  name: space.workspace_name,
  owner: findRecord(world.users, space.owner_id)?.email ?? '',
  members: membersOf(world, space),
  projects: listOf(space.projects),
  contracts: listOf(space.contracts),
  tasks: listOf(space.tasks),
  assignments: listOf(space.assignments),
  timesheets: listOf(space.timesheets),
  leaves: listOf(space.leaves),
  leave_policies: listOf(space.leave_policies),
  time_requests: listOf(space.time_requests),
  expenses: listOf(space.expenses),
  expense_categories: listOf(space.categories),
  webhooks: listOf(space.webhooks),
});

/** @param machine the machine's time, ms */
export const toSandboxState = (world: World, machine: number): SandboxState => ({
  seed: world.seed,
  now: new Date(toSandboxTime(world, machine)).toISOString(),
  workspaces: Object.values(world.spaces).map((space) => workspaceOf(world, space)),
});

/** The first workspace and the address of its owner. */
export const findFirstWorkspace = (world: World): { readonly id: number; readonly owner: string } => {
  const [space] = Object.values(world.spaces);
  return { id: space?.id ?? 0, owner: findRecord(world.users, space?.owner_id ?? 0)?.email ?? '' };
};
