import { type Answer, created, done, shown } from '../answer.ts';
import { addAssignment, assigneeView, assignmentsOf } from '../assignments.ts';
import { type Call, pathValue, type Route, stampOf } from '../call.ts';
import { taskData } from '../events.ts';
import { fits } from '../filters.ts';
import { paged } from '../paging.ts';
import { integer, text } from '../read.ts';
import type { Task } from '../records.ts';
import { notFound, wrongState } from '../refusal.ts';
import { find, newNumber } from '../state.ts';
import * as rules from '../task-rules.ts';

const list = (call: Call): Answer => {
  const project = rules.namedProject(call);
  const status = call.input.filter('status', integer());
  const priority = call.input.filter('priority', integer());
  call.assume('archived-hidden');
  const rows = Object.values(call.space.tasks).filter(
    (task) =>
      task.project_id === project &&
      task.deleted_at === null &&
      fits(status, task.status) &&
      fits<number | null | undefined>(priority, task.priority),
  );
  return paged(call, rows, (task) => rules.taskView(call, task));
};

const create = (call: Call): Answer => {
  const project = rules.namedProject(call);
  const title = call.input.need('title', text);
  const body = rules.readBody(call);
  const users = rules.readAssignees(call, project);
  const task: Task = {
    id: newNumber(call.world),
    title,
    project_id: project,
    owner_id: call.user.id,
    creator_id: call.user.id,
    ...body,
    created_at: stampOf(call),
    updated_at: stampOf(call),
    deleted_at: null,
  };
  call.space.tasks[task.id] = task;
  rules.replaceAssignees(call, task, users ?? []);
  if (task.completed_at !== null) call.assume('task-completed');
  call.assume('created-201-task');
  call.emit('task.created', call.space, taskData(task));
  return created(201, rules.taskView(call, task), 'The task has been created.');
};

const update = (call: Call): Answer => {
  const task = rules.taskOf(call);
  const title = call.input.maybe('title', text) ?? task.title;
  const body = rules.readBody(call, task);
  const users = rules.readAssignees(call, task.project_id);
  rules.requireNotArchived(task);
  Object.assign(task, body, { title, updated_at: stampOf(call) });
  if (users !== undefined) rules.replaceAssignees(call, task, users);
  call.emit('task.updated', call.space, taskData(task));
  return done('The task has been updated.');
};

const archive = (call: Call): Answer => {
  const task = rules.taskOf(call);
  rules.requireNotArchived(task);
  task.deleted_at = stampOf(call);
  task.updated_at = stampOf(call);
  call.emit('task.deleted', call.space, taskData(task));
  return done('The task has been archived.');
};

const assignees = (call: Call): Answer =>
  shown(assignmentsOf(call.space, rules.taskOf(call).id).map((row) => assigneeView(call, row)));

/** @throws Refused (404) for a user id that is nobody's here. */
const userInPath = (call: Call): number => {
  const id = pathValue(call, 'userId');
  if (find(call.space.members, id) === undefined) throw notFound('member', id);
  return Number(id);
};

const assign = (call: Call): Answer => {
  rules.requireProject(call, call.input.need('project_id', integer()));
  const task = rules.taskOf(call);
  const user = userInPath(call);
  rules.requireWorker(call, user, task.project_id, 'userId');
  rules.requireNotArchived(task);
  if (assignmentsOf(call.space, task.id).some((row) => row.user_id === user)) {
    throw wrongState(`The user ${user} is already assigned to this task.`, 'one-assignment');
  }
  const row = addAssignment(call.world, call.space, task, user, call.user.id);
  call.emit('task.assigned', call.space, { ...row });
  return shown(assigneeView(call, row), 'The user has been assigned to the task.');
};

const unassign = (call: Call): Answer => {
  rules.namedProject(call);
  const task = rules.taskOf(call);
  const user = userInPath(call);
  const row = assignmentsOf(call.space, task.id).find((assignment) => assignment.user_id === user);
  if (row === undefined) throw wrongState(`The user ${user} is not assigned to this task.`);
  delete call.space.assignments[row.id];
  call.emit('task.unassigned', call.space, { ...row });
  return done('The user has been unassigned from the task.');
};

const WRITERS = 'Owners, Executive Managers, Project Managers, Team Managers';

export const routes: readonly Route[] = [
  {
    route: 'GET /tasks',
    handle: list,
    documented: ['tasks of a project', 'filters status, priority'],
    beyond: ['record', 'pagination', 'list-paging', 'last-page', 'archived-hidden'],
  },
  {
    route: 'POST /tasks',
    handle: create,
    documented: [WRITERS],
    beyond: ['record', 'body', 'date-order', 'created-201-task', 'task-completed', 'event-others'],
  },
  {
    route: 'GET /tasks/{taskId}',
    handle: (call) => shown(rules.taskView(call, rules.taskOf(call)), 'The task.'),
    documented: ['by id'],
    beyond: ['record'],
  },
  {
    route: 'PUT /tasks/{taskId}',
    handle: update,
    documented: [WRITERS],
    beyond: ['body', 'date-order', 'archived-locked', 'task-completed', 'event-others'],
  },
  {
    route: 'DELETE /tasks/{taskId}',
    handle: archive,
    documented: ['soft delete', WRITERS],
    beyond: ['archived-locked', 'event-others'],
  },
  {
    route: 'GET /tasks/{taskId}/assignees',
    handle: assignees,
    documented: ['the fields of an assignee'],
    beyond: [],
  },
  {
    route: 'POST /tasks/{taskId}/assign/{userId}',
    workspace: 'body',
    handle: assign,
    documented: ['workspace_id and project_id required', 'only a member of the project', '200', WRITERS],
    beyond: ['one-assignment', 'archived-locked', 'event-others'],
  },
  {
    route: 'DELETE /tasks/{taskId}/unassign/{userId}',
    handle: unassign,
    documented: ['removes the assignment', WRITERS],
    beyond: ['body', 'state-400', 'event-others'],
  },
];
