import { addAssignment, isAssignedTo, listAssignments, toAssigneeView } from './assignments.ts';
import { formatCallTime, getPathValue, type WorkspaceCall } from './call.ts';
import { matchesFilter } from './filters.ts';
import { anyTextReader, dayReader, integerReader, listReader, numberChoiceReader } from './read.ts';
import type { Task } from './records.ts';
import { invalid, notFound, wrongState } from './refusal.ts';
import { findRecord, isLive } from './state.ts';

/** What the operations on tasks have in common: how a task is found, read from a body, and shown. */

const STATUSES = [0, 10, 20, 30];
const DONE = 20;
const PRIORITIES = [10, 20, 30, 40];

export const toTaskView = (call: WorkspaceCall, task: Task) => ({
  ...task,
  assignees: listAssignments(call.workspace, task.id).map((row) => toAssigneeView(call, row)),
});

/** @throws Refusal (404) for a project that is not there or archived. */
export const requireProject = (call: WorkspaceCall, id: number): void => {
  if (!isLive(call.workspace.projects, id)) throw notFound('project', String(id));
};

/** The project that the request names. @throws Refusal (400) for none, (404) for one that is not there. */
export const readProjectId = (call: WorkspaceCall): number => {
  const id = call.input.either('project_id', integerReader());
  if (id === undefined) throw invalid('project_id', 'The project_id field is required.');
  requireProject(call, id);
  return id;
};

/** @throws Refusal (404), also where the request names a project that is not the task's. */
export const requireTask = (call: WorkspaceCall): Task => {
  const id = getPathValue(call, 'taskId');
  const task = findRecord(call.workspace.tasks, id);
  const project = call.input.either('project_id', integerReader());
  if (task === undefined || !matchesFilter(project, task.project_id)) throw notFound('task', id);
  return task;
};

export const requireUnarchivedTask = (task: Task): void => {
  if (task.deleted_at !== null) throw wrongState(`The task ${task.id} is archived.`);
};

export const readBody = (call: WorkspaceCall, existing?: Task) => {
  const start = call.input.maybe('start_date', dayReader) ?? existing?.start_date ?? null;
  const end = call.input.maybe('end_date', dayReader) ?? existing?.end_date ?? null;
  if (start !== null && end !== null && end < start) {
    throw invalid('end_date', 'The end_date must be a date after or equal to start_date.');
  }
  const status = call.input.maybe('status', numberChoiceReader(STATUSES)) ?? existing?.status ?? 0;
  return {
    description: call.input.maybe('description', anyTextReader) ?? existing?.description ?? null,
    status,
    priority: call.input.maybe('priority', numberChoiceReader(PRIORITIES)) ?? existing?.priority ?? null,
    start_date: start,
    end_date: end,
    completed_at: status >= DONE ? (existing?.completed_at ?? formatCallTime(call)) : null,
  };
};

/** @throws Refusal (400): the user must be a member of the project (docs/service.md, Tasks). */
export const requireWorker = (call: WorkspaceCall, user: number, project: number, field: string): void => {
  const member = findRecord(call.workspace.members, user);
  if (member === undefined || member.deleted_at !== null || !isAssignedTo(call.workspace, user, project)) {
    throw invalid(field, `The user ${user} is not a member of the project ${project}.`);
  }
};

export const readAssignees = (call: WorkspaceCall, project: number): number[] | undefined => {
  const users = call.input.maybe('assignees', listReader(integerReader()));
  for (const user of users ?? []) requireWorker(call, user, project, 'assignees');
  return users === undefined ? undefined : [...new Set(users)];
};

/** Makes the assignees of the task exactly these. */
export const replaceAssignees = (call: WorkspaceCall, task: Task, users: readonly number[]): void => {
  const assignments = listAssignments(call.workspace, task.id);
  for (const assignment of assignments)
    if (!users.includes(assignment.user_id)) delete call.workspace.assignments[assignment.id];
  const newUsers = users.filter((user) => !assignments.some((assignment) => assignment.user_id === user));
  for (const user of newUsers) addAssignment(call.world, call.workspace, task, user, call.user.id);
};
