import { decisionStates } from './fields.ts';
import {
  ARCHIVES,
  contractBody,
  DELETES,
  dateRange,
  defineOperation,
  email,
  expenseBody,
  firstname,
  hoursLimit,
  id,
  lastname,
  move,
  OLD_VALUES,
  type Operation,
  param,
  projectBody,
  projectId,
  RESTORES,
  rateStatus,
  required,
  taskBody,
  taskPriority,
  taskStatus,
  userId,
  webhookBody,
} from './operation.ts';
import { ASSIGNABLE_ROLES, contract, leave, member, ROLES, timeRequest, timesheet } from './records.ts';

const FINAL = { kind: 'none', why: 'the API cannot reverse a decision' } as const;
const GONE = { kind: 'none', why: 'a deleted record is gone' } as const;
const NO_RESTORE = { kind: 'none', why: 'the API cannot restore an archived record of this kind' } as const;

/**
 * THE TABLE: the operations of the service, in the order of the documentation. Protocol facts only
 * (docs/service.md), also those that are found or assumed.
 */

export const operations = {
  workspaces: {
    list: defineOperation('workspaces.list', 'GET /workspaces', {
      summary: 'list the workspaces of the signed-in user',
      workspace: 'none',
      lists: 'Workspace',
    }),
  },
  members: {
    list: defineOperation('members.list', 'GET /members', {
      summary: 'list the members of the workspace',
      paging: 'pages',
      lists: 'Member',
      parameters: {
        email: param('email', 'only the member with this e-mail address'),
        status: { type: 'string', choices: member.states, about: 'only members with this status' },
        role: { type: 'string', choices: ROLES, about: 'only members with this role' },
      },
    }),
    invite: defineOperation('members.invite', 'POST /members', {
      summary: 'invite a person to the workspace',
      undo: { kind: 'removal', by: 'members.archive' },
      roles: 'managers',
      gives: 'Invitation',
      createdId: 'user_id',
      parameters: {
        email: required(email),
        firstname: required(firstname),
        lastname: required(lastname),
        role: required({ type: 'string', choices: ASSIGNABLE_ROLES, about: 'role of the new member' }),
      },
    }),
    get: defineOperation('members.get', 'GET /members/{memberId}', {
      summary: 'show one member',
      gives: 'Member',
    }),
    update: defineOperation('members.update', 'PUT /members/{memberId}', {
      summary: 'change a member',
      undo: OLD_VALUES,
      roles: 'managers',
      parameters: {
        email,
        firstname,
        lastname,
        timezone: param('string', 'time zone (IANA name)'),
        role: { type: 'string', choices: ASSIGNABLE_ROLES, about: 'role in the workspace' },
        rate_status: rateStatus,
        weekly_hours_limit: hoursLimit,
        remove_avatar: { ...param('integer', 'remove the picture'), on: 1 },
      },
    }),
    archive: defineOperation('members.archive', 'DELETE /members/{memberId}', {
      summary: 'archive members (soft delete)',
      undo: { kind: 'opposite', by: 'members.restore' },
      moves: ARCHIVES,
      roles: 'managers',
    }),
    restore: defineOperation('members.restore', 'POST /members/{memberId}/restore', {
      summary: 'restore archived members',
      undo: { kind: 'opposite', by: 'members.archive' },
      moves: RESTORES,
      roles: 'managers',
    }),
  },
  viewers: {
    list: defineOperation('viewers.list', 'GET /project-viewers', {
      summary: 'list the project viewers',
      paging: 'pages',
      lists: 'Viewer',
      parameters: { email: param('email', 'only the viewer with this e-mail address') },
    }),
    invite: defineOperation('viewers.invite', 'POST /project-viewers', {
      summary: 'invite a project viewer',
      undo: { kind: 'removal', by: 'viewers.archive' },
      workspace: 'body',
      roles: 'managers',
      gives: 'Viewer',
      parameters: { email: required(email), firstname: required(firstname), lastname: required(lastname) },
    }),
    get: defineOperation('viewers.get', 'GET /project-viewers/{viewerId}', {
      summary: 'show one project viewer',
      gives: 'Viewer',
    }),
    archive: defineOperation('viewers.archive', 'DELETE /project-viewers/{viewerId}', {
      summary: 'archive project viewers (soft delete)',
      undo: { kind: 'opposite', by: 'viewers.restore' },
      moves: ARCHIVES,
    }),
    restore: defineOperation('viewers.restore', 'POST /project-viewers/{viewerId}/restore', {
      summary: 'restore archived project viewers',
      undo: { kind: 'opposite', by: 'viewers.archive' },
      moves: RESTORES,
    }),
    assign: defineOperation('viewers.assign', 'POST /project-viewers/{viewerId}/assign-project', {
      summary: 'give viewers read-only access to a project',
      undo: { kind: 'opposite', by: 'viewers.unassign' },
      joins: true,
      parameters: { project_id: required({ ...projectId, place: 'both' }) },
    }),
    unassign: defineOperation('viewers.unassign', 'DELETE /project-viewers/{viewerId}/unassign-project', {
      summary: 'remove access to a project from viewers',
      undo: { kind: 'opposite', by: 'viewers.assign' },
      joins: true,
      parameters: { project_id: required({ ...projectId, place: 'both' }) },
    }),
  },
  projects: {
    list: defineOperation('projects.list', 'GET /projects', {
      summary: 'list the projects',
      paging: 'pages',
      lists: 'Project',
      parameters: { name: param('string', 'only projects with this in their name, ignoring case') },
    }),
    create: defineOperation('projects.create', 'POST /projects', {
      summary: 'create a project',
      undo: { kind: 'removal', by: 'projects.archive' },
      roles: 'managers',
      gives: 'Project',
      parameters: { name: required(param('string', 'name of the project')), ...projectBody },
    }),
    get: defineOperation('projects.get', 'GET /projects/{projectId}', {
      summary: 'show one project',
      gives: 'Project',
    }),
    update: defineOperation('projects.update', 'PUT /projects/{projectId}', {
      summary: 'change a project',
      undo: OLD_VALUES,
      roles: 'managers',
      parameters: { name: param('string', 'name'), ...projectBody },
    }),
    archive: defineOperation('projects.archive', 'DELETE /projects/{projectId}', {
      summary: 'archive projects (soft delete)',
      undo: NO_RESTORE,
      moves: ARCHIVES,
      workspace: 'body',
      roles: 'managers',
    }),
  },
  contracts: {
    list: defineOperation('contracts.list', 'GET /contracts', {
      summary: 'list the contracts (assignments of members to projects)',
      paging: 'pages',
      lists: 'Contract',
      parameters: {
        project_id: param('integer', 'only contracts of this project'),
        user_id: param('integer', 'only contracts of this member'),
        status: { type: 'string', choices: contract.states, about: 'only contracts with this status' },
      },
    }),
    create: defineOperation('contracts.create', 'POST /contracts', {
      summary: 'assign a member to a project',
      undo: { kind: 'removal', by: 'contracts.archive' },
      roles: 'managers',
      gives: 'Contract',
      parameters: { project_id: required(projectId), user_id: required(userId), ...contractBody },
    }),
    get: defineOperation('contracts.get', 'GET /contracts/{contractId}', {
      summary: 'show one contract',
      gives: 'Contract',
    }),
    update: defineOperation('contracts.update', 'PUT /contracts/{contractId}', {
      summary: 'change a contract',
      undo: OLD_VALUES,
      roles: 'managers',
      parameters: {
        ...contractBody,
        status: { type: 'string', choices: contract.states, about: 'status of the contract' },
      },
    }),
    archive: defineOperation('contracts.archive', 'DELETE /contracts/{contractId}', {
      summary: 'archive contracts (soft delete)',
      undo: NO_RESTORE,
      moves: ARCHIVES,
      roles: 'managers',
    }),
  },
  tasks: {
    list: defineOperation('tasks.list', 'GET /tasks', {
      summary: 'list the tasks of a project',
      paging: 'pages',
      lists: 'Task',
      parameters: { project_id: required(projectId), status: taskStatus, priority: taskPriority },
    }),
    create: defineOperation('tasks.create', 'POST /tasks', {
      summary: 'create a task',
      undo: { kind: 'removal', by: 'tasks.archive' },
      projectMembers: true,
      roles: 'task-writers',
      gives: 'Task',
      parameters: {
        project_id: required({ ...projectId, place: 'both' }),
        title: required(param('string', 'title of the task')),
        ...taskBody,
      },
    }),
    get: defineOperation('tasks.get', 'GET /tasks/{taskId}', {
      summary: 'show one task',
      gives: 'Task',
      parameters: { project_id: projectId },
    }),
    update: defineOperation('tasks.update', 'PUT /tasks/{taskId}', {
      summary: 'change a task',
      undo: OLD_VALUES,
      projectMembers: true,
      roles: 'task-writers',
      parameters: {
        project_id: { ...projectId, place: 'both' },
        title: param('string', 'title'),
        ...taskBody,
      },
    }),
    archive: defineOperation('tasks.archive', 'DELETE /tasks/{taskId}', {
      summary: 'archive tasks (soft delete)',
      undo: NO_RESTORE,
      moves: ARCHIVES,
      roles: 'task-writers',
      parameters: { project_id: { ...projectId, place: 'both' } },
    }),
    assignees: defineOperation('tasks.assignees', 'GET /tasks/{taskId}/assignees', {
      summary: 'list the members assigned to a task',
      lists: 'Assignee',
      parameters: { project_id: projectId },
    }),
    assign: defineOperation('tasks.assign', 'POST /tasks/{taskId}/assign/{userId}', {
      summary: 'assign members to a task',
      undo: { kind: 'opposite', by: 'tasks.unassign' },
      joins: true,
      shownBy: 'tasks.assignees',
      projectMembers: true,
      workspace: 'body',
      roles: 'task-writers',
      gives: 'Assignee',
      parameters: { project_id: required(projectId) },
    }),
    unassign: defineOperation('tasks.unassign', 'DELETE /tasks/{taskId}/unassign/{userId}', {
      summary: 'remove members from a task',
      undo: { kind: 'opposite', by: 'tasks.assign' },
      joins: true,
      shownBy: 'tasks.assignees',
      roles: 'task-writers',
      parameters: { project_id: required({ ...projectId, place: 'both' }) },
    }),
  },
  timesheets: {
    list: defineOperation('timesheets.list', 'GET /timesheets', {
      summary: 'list the timesheets',
      paging: 'pages',
      lists: 'Timesheet',
      parameters: {
        status: { type: 'string', choices: timesheet.states, about: 'only timesheets with this status' },
        ...dateRange,
        id,
      },
    }),
    approve: defineOperation('timesheets.approve', 'PUT /timesheets/{timesheetId}/approve', {
      summary: 'approve submitted timesheets',
      undo: FINAL,
      moves: move(timesheet, 'submitted', 'approved'),
      roles: 'managers',
    }),
    reject: defineOperation('timesheets.reject', 'PUT /timesheets/{timesheetId}/reject', {
      summary: 'reject submitted timesheets with a reason',
      undo: FINAL,
      moves: move(timesheet, 'submitted', 'rejected'),
      roles: 'managers',
      parameters: { reason: required(param('string', 'reason shown to the member')) },
    }),
    submit: defineOperation('timesheets.submit', 'PUT /timesheets/{timesheetId}/submit', {
      summary: 'submit open timesheets',
      undo: { kind: 'opposite', by: 'timesheets.unsubmit' },
      moves: move(timesheet, 'open', 'submitted'),
    }),
    unsubmit: defineOperation('timesheets.unsubmit', 'PUT /timesheets/{timesheetId}/unsubmit', {
      summary: 'reopen submitted timesheets',
      undo: { kind: 'opposite', by: 'timesheets.submit' },
      moves: move(timesheet, 'submitted', 'open', 'reopened'),
    }),
  },
  leaves: {
    list: defineOperation('leaves.list', 'GET /leaves', {
      summary: 'list the leave requests',
      paging: 'pages',
      lists: 'Leave',
      parameters: {
        id,
        policy_id: param('integer', 'only leaves of this policy'),
        is_paid: { type: 'string', choices: ['yes', 'no'], about: 'only paid or unpaid leaves' },
        status: { type: 'string', choices: decisionStates, about: 'only leaves with this status' },
        ...dateRange,
        user_id: param('integer', 'only leaves of this member'),
      },
    }),
    approve: defineOperation('leaves.approve', 'PUT /leaves/{leaveRequestId}/approve', {
      summary: 'approve pending leave requests',
      undo: FINAL,
      moves: move(leave, 'pending', 'approved'),
      roles: 'managers',
    }),
    reject: defineOperation('leaves.reject', 'PUT /leaves/{leaveRequestId}/reject', {
      summary: 'reject pending leave requests with a reason',
      undo: FINAL,
      moves: move(leave, 'pending', 'rejected'),
      roles: 'managers',
      parameters: { reason: required(param('string', 'reason shown to the member')) },
    }),
    balances: defineOperation('leaves.balances', 'GET /leaves/balances', {
      summary: 'list the leave balances',
      paging: 'page',
      lists: 'LeaveBalance',
      parameters: {
        date_from: required(dateRange.date_from),
        date_to: required(dateRange.date_to),
        user_id: param('integer', 'only the balance of this member'),
      },
    }),
    policies: defineOperation('leaves.policies', 'GET /leaves/policies', {
      summary: 'list the leave policies',
      lists: 'LeavePolicy',
      parameters: { id },
    }),
  },
  timeRequests: {
    list: defineOperation('time-requests.list', 'GET /time-requests', {
      summary: 'list the manual time requests',
      paging: 'pages',
      lists: 'TimeRequest',
      parameters: {
        status: { type: 'string', choices: decisionStates, about: 'only requests with this status' },
        user_id: param('integer', 'only requests of this member'),
        ...dateRange,
        id,
      },
    }),
    create: defineOperation('time-requests.create', 'POST /time-requests', {
      summary: 'create a manual time request',
      undo: { kind: 'none', why: 'the API cannot withdraw a time request' },
      gives: 'TimeRequest',
      parameters: {
        user_id: required(userId),
        contract_id: required(param('integer', 'contract')),
        start: required(param('datetime', 'start time, before the end')),
        end: required({ ...param('datetime', 'end time, after the start'), after: 'start' }),
        task_id: param('integer', 'task the time was spent on'),
        notes: param('string', 'notes for the approver'),
      },
    }),
    get: defineOperation('time-requests.get', 'GET /time-requests/{id}', {
      summary: 'show one time request',
      gives: 'TimeRequest',
    }),
    approve: defineOperation('time-requests.approve', 'POST /time-requests/{id}/approve', {
      summary: 'approve pending time requests',
      undo: FINAL,
      moves: move(timeRequest, 'pending', 'approved'),
    }),
    reject: defineOperation('time-requests.reject', 'POST /time-requests/{id}/reject', {
      summary: 'reject pending time requests with a comment',
      undo: FINAL,
      moves: move(timeRequest, 'pending', 'rejected'),
      parameters: { comment: required(param('string', 'reason shown to the member')) },
    }),
  },
  expenses: {
    list: defineOperation('expenses.list', 'GET /expenses', {
      summary: 'list the expenses',
      paging: 'pages',
      lists: 'Expense',
      parameters: { id, ...dateRange },
    }),
    create: defineOperation('expenses.create', 'POST /expenses', {
      summary: 'record an expense',
      undo: { kind: 'removal', by: 'expenses.delete' },
      gives: 'Expense',
      parameters: expenseBody,
    }),
    update: defineOperation('expenses.update', 'PUT /expenses/{expenseId}', {
      summary: 'change an expense (all four main fields are required)',
      undo: OLD_VALUES,
      parameters: expenseBody,
    }),
    delete: defineOperation('expenses.delete', 'DELETE /expenses/{expenseId}', {
      summary: 'delete expenses permanently',
      undo: GONE,
      moves: DELETES,
    }),
    categories: defineOperation('expenses.categories', 'GET /expenses/categories', {
      summary: 'list the expense categories',
      lists: 'ExpenseCategory',
      parameters: { id },
    }),
  },
  timeTracking: {
    stop: defineOperation('time-tracking.stop', 'POST /time-tracking/stop', {
      summary: "stop the signed-in user's running tracker",
      undo: { kind: 'none', why: 'a stopped tracker cannot go on' },
      refusal: { why: 'Only the tracker of the signed-in account can be stopped', see: 'auth status' },
      workspace: 'none',
      gives: 'Stopped',
    }),
  },
  webhooks: {
    list: defineOperation('webhooks.list', 'GET /webhooks', {
      summary: 'list the webhooks',
      paging: 'pages',
      lists: 'Webhook',
    }),
    create: defineOperation('webhooks.create', 'POST /webhooks', {
      summary: 'register a webhook',
      undo: { kind: 'removal', by: 'webhooks.delete' },
      workspace: 'body',
      gives: 'Webhook',
      parameters: webhookBody,
    }),
    get: defineOperation('webhooks.get', 'GET /webhooks/{webhookId}', {
      summary: 'show one webhook; --show-secrets shows its token',
      gives: 'Webhook',
    }),
    update: defineOperation('webhooks.update', 'PUT /webhooks/{webhookId}', {
      summary: 'change a webhook',
      undo: OLD_VALUES,
      workspace: 'body',
      parameters: webhookBody,
    }),
    delete: defineOperation('webhooks.delete', 'DELETE /webhooks/{webhookId}', {
      summary: 'delete webhooks permanently',
      undo: GONE,
      moves: DELETES,
      workspace: 'body',
    }),
  },
} as const;

/** All rows, in the order of the table. */
export const allOperations: readonly Operation[] = Object.values(operations).flatMap((group) =>
  Object.values<Operation>(group),
);

export function findOperation(id: string): Operation | undefined {
  return allOperations.find((operation) => operation.id === id);
}

type Table = typeof operations;
type Row = { readonly [Noun in keyof Table]: Table[Noun][keyof Table[Noun]] }[keyof Table];

/** The ids of all operations that are not a GET. */
export type WriteId = Exclude<Row, { readonly route: `GET ${string}` }>['id'];
