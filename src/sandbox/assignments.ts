import type { WorkspaceCall } from './call.ts';
import type { Assignment, Task } from './records.ts';
import { createNumber, findRecord } from './state.ts';
import type { Workspace, World } from './world.ts';

/** Who is assigned to which task. */

/** Whether the user has a contract in the project (docs/service.md, Contracts). */
export const isAssignedTo = (workspace: Workspace, user: number, project: number): boolean =>
  Object.values(workspace.contracts).some(
    (contract) =>
      contract.user_id === user && contract.project_id === project && contract.deleted_at === null,
  );

export const listAssignments = (workspace: Workspace, task: number): Assignment[] =>
  Object.values(workspace.assignments).filter((assignment) => assignment.task_id === task);

export const addAssignment = (
  world: World,
  workspace: Workspace,
  task: Task,
  user: number,
  assigner: number,
): Assignment => {
  const assignment: Assignment = {
    id: createNumber(world),
    task_id: task.id,
    user_id: user,
    assigner_id: assigner,
  };
  workspace.assignments[assignment.id] = assignment;
  return assignment;
};

/** The answer to an assignment (docs/service.md, Tasks). */
export const toAssigneeView = (call: WorkspaceCall, assignment: Assignment) => {
  const user = findRecord(call.world.users, assignment.user_id);
  return {
    id: assignment.id,
    firstname: user?.firstname ?? null,
    lastname: user?.lastname ?? null,
    email: user?.email ?? null,
    user_id: assignment.user_id,
    task_id: assignment.task_id,
    assigner_id: assignment.assigner_id,
  };
};
