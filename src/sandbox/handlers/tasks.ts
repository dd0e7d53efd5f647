import { answerCreated, answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { addAssignment, listAssignments, toAssigneeView } from '../assignments.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toTaskData } from '../events.ts';
import { matchesFilter } from '../filters.ts';
import { answerPage } from '../paging.ts';
import { integerReader, textReader } from '../read.ts';
import type { Task } from '../records.ts';
import { notFound, wrongState } from '../refusal.ts';
import { createNumber, findRecord } from '../state.ts';
import * as rules from '../task-rules.ts';

const list = (call: WorkspaceCall): HandlerAnswer => {
  const project = rules.readProjectId(call);
  const status = call.input.filter('status', integerReader());
  const priority = call.input.filter('priority', integerReader());
  const rows = Object.values(call.workspace.tasks).filter(
    (task) =>
      task.project_id === project &&
      task.deleted_at === null &&
      matchesFilter(status, task.status) &&
      matchesFilter<number | null | undefined>(priority, task.priority),
  );
  return answerPage(call, rows, (task) => rules.toTaskView(call, task));
};

const create = (call: WorkspaceCall): HandlerAnswer => {
  const project = rules.readProjectId(call);
  const title = call.input.need('title', textReader);
  const body = rules.readBody(call);
  const users = rules.readAssignees(call, project);
  const task: Task = {
    id: createNumber(call.world),
    title,
    project_id: project,
    owner_id: call.user.id,
    creator_id: call.user.id,
    ...body,
    created_at: formatCallTime(call),
    updated_at: formatCallTime(call),
    deleted_at: null,
  };
  call.workspace.tasks[task.id] = task;
  rules.replaceAssignees(call, task, users ?? []);
  call.emit(call.workspace, toTaskData(task));
  return answerCreated(201, rules.toTaskView(call, task), 'The task has been created.');
};

const update = (call: WorkspaceCall): HandlerAnswer => {
  const task = rules.requireTask(call);
  const title = call.input.maybe('title', textReader) ?? task.title;
  const body = rules.readBody(call, task);
  const users = rules.readAssignees(call, task.project_id);
  rules.requireUnarchivedTask(task);
  Object.assign(task, body, { title, updated_at: formatCallTime(call) });
  if (users !== undefined) rules.replaceAssignees(call, task, users);
  call.emit(call.workspace, toTaskData(task));
  return answerDone('The task has been updated.');
};

const archive = (call: WorkspaceCall): HandlerAnswer => {
  const task = rules.requireTask(call);
  rules.requireUnarchivedTask(task);
  task.deleted_at = formatCallTime(call);
  task.updated_at = formatCallTime(call);
  call.emit(call.workspace, toTaskData(task));
  return answerDone('The task has been archived.');
};

const listAssignees = (call: WorkspaceCall): HandlerAnswer =>
  answerData(
    listAssignments(call.workspace, rules.requireTask(call).id).map((assignment) =>
      toAssigneeView(call, assignment),
    ),
  );

/** @throws Refusal (404) for a user id that is nobody's here. */
const requireUserId = (call: WorkspaceCall): number => {
  const id = getPathValue(call, 'userId');
  if (findRecord(call.workspace.members, id) === undefined) throw notFound('member', id);
  return Number(id);
};

const assign = (call: WorkspaceCall): HandlerAnswer => {
  rules.requireProject(call, call.input.need('project_id', integerReader()));
  const task = rules.requireTask(call);
  const user = requireUserId(call);
  rules.requireWorker(call, user, task.project_id, 'userId');
  rules.requireUnarchivedTask(task);
  if (listAssignments(call.workspace, task.id).some((assignment) => assignment.user_id === user)) {
    throw wrongState(`The user ${user} is already assigned to this task.`);
  }
  const assignment = addAssignment(call.world, call.workspace, task, user, call.user.id);
  call.emit(call.workspace, { ...assignment });
  return answerData(toAssigneeView(call, assignment), 'The user has been assigned to the task.');
};

const unassign = (call: WorkspaceCall): HandlerAnswer => {
  rules.readProjectId(call);
  const task = rules.requireTask(call);
  const user = requireUserId(call);
  const assignment = listAssignments(call.workspace, task.id).find(
    (assignment) => assignment.user_id === user,
  );
  if (assignment === undefined) throw wrongState(`The user ${user} is not assigned to this task.`);
  delete call.workspace.assignments[assignment.id];
  call.emit(call.workspace, { ...assignment });
  return answerDone('The user has been unassigned from the task.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /tasks',
    handle: list,
  },
  {
    route: 'POST /tasks',
    handle: create,
    events: ['task.created'],
  },
  {
    route: 'GET /tasks/{taskId}',
    handle: (call) => answerData(rules.toTaskView(call, rules.requireTask(call)), 'The task.'),
  },
  {
    route: 'PUT /tasks/{taskId}',
    handle: update,
    events: ['task.updated'],
  },
  {
    route: 'DELETE /tasks/{taskId}',
    handle: archive,
    events: ['task.deleted'],
  },
  {
    route: 'GET /tasks/{taskId}/assignees',
    handle: listAssignees,
  },
  {
    route: 'POST /tasks/{taskId}/assign/{userId}',
    workspace: 'body',
    handle: assign,
    events: ['task.assigned'],
  },
  {
    route: 'DELETE /tasks/{taskId}/unassign/{userId}',
    handle: unassign,
    events: ['task.unassigned'],
  },
];
