import type { WorkspaceCall } from './call.ts';
import type { Assignment, Task } from './records.ts';
import { createNumber, findRecord } from './state.ts';
import type { Space, World } from './world.ts';

/** Who is assigned to which task. */

/** Whether the user has a contract in the project (docs/service.md, Contracts). */
export const isAssignedTo = (space: Space, user: number, project: number): boolean =>
  Object.values(space.contracts).some(
    (row) => row.user_id === user && row.project_id === project && row.deleted_at === null,
  );

export const listAssignments = (space: Space, task: number): Assignment[] =>
  Object.values(space.assignments).filter((row) => row.task_id === task);

export const addAssignment = (
  world: World,
  space: Space,
  task: Task,
  user: number,
  assigner: number,
): Assignment => {
  const row: Assignment = { id: createNumber(world), task_id: task.id, user_id: user, assigner_id: assigner };
  space.assignments[row.id] = row;
  return row;
};

/** The answer to an assignment (docs/service.md, Tasks). */
export const toAssigneeView = (call: WorkspaceCall, row: Assignment) => {
  const user = findRecord(call.world.users, row.user_id);
  return {
    id: row.id,
    firstname: user?.firstname ?? null,
    lastname: user?.lastname ?? null,
    email: user?.email ?? null,
    user_id: row.user_id,
    task_id: row.task_id,
    assigner_id: row.assigner_id,
  };
};
