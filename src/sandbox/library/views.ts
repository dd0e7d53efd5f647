import { findRecord, toSandboxTime } from '../state.ts';
import type { RecordMap, Workspace, World } from '../world.ts';
import type { SandboxState, StateRecord, WorkspaceState } from './types.ts';

/** What is in the sandbox, as a copy for assertions. */

const copyRecords = (records: RecordMap<{ id: number | string }>): StateRecord[] =>
  Object.values(records).map((record) => structuredClone({ ...record }));

const listMembers = (world: World, workspace: Workspace): StateRecord[] =>
  Object.values(workspace.members).map(({ user_id, ...membership }) => {
    const user = findRecord(world.users, user_id);
    return structuredClone({ ...user, id: user_id, ...membership });
  });

const toWorkspaceState = (world: World, workspace: Workspace): WorkspaceState => ({
  id: workspace.id,
  name: workspace.workspace_name,
  owner: findRecord(world.users, workspace.owner_id)?.email ?? '',
  members: listMembers(world, workspace),
  projects: copyRecords(workspace.projects),
  contracts: copyRecords(workspace.contracts),
  tasks: copyRecords(workspace.tasks),
  assignments: copyRecords(workspace.assignments),
  timesheets: copyRecords(workspace.timesheets),
  leaves: copyRecords(workspace.leaves),
  leave_policies: copyRecords(workspace.leave_policies),
  time_requests: copyRecords(workspace.time_requests),
  expenses: copyRecords(workspace.expenses),
  expense_categories: copyRecords(workspace.categories),
  webhooks: copyRecords(workspace.webhooks),
});

/** @param machineMs the machine's time, ms */
export const toSandboxState = (world: World, machineMs: number): SandboxState => ({
  seed: world.seed,
  now: new Date(toSandboxTime(world, machineMs)).toISOString(),
  workspaces: Object.values(world.spaces).map((workspace) => toWorkspaceState(world, workspace)),
});

/** The first workspace and the address of its owner. */
export const findFirstWorkspace = (world: World): { readonly id: number; readonly owner: string } => {
  const [workspace] = Object.values(world.spaces);
  return { id: workspace?.id ?? 0, owner: findRecord(world.users, workspace?.owner_id ?? 0)?.email ?? '' };
};
