import { lazy, lazyMembers } from '../lazy.ts';
import { contract } from '../resources/contract.ts';
import { decisionStates } from '../resources/decision.ts';
import { ASSIGNABLE_ROLES, member, ROLES } from '../resources/member.ts';
import { timesheet } from '../resources/timesheet.ts';
import { list, type Operation, operation, record } from './operation.ts';
import {
  a,
  both,
  contractBody,
  email,
  expenseBody,
  firstname,
  hoursLimit,
  id,
  lastname,
  needed,
  oneOf,
  projectBody,
  projectId,
  range,
  rateStatus,
  taskBody,
  taskPriority,
  taskStatus,
  userId,
  webhookBody,
} from './parameters.ts';

/**
 * THE TABLE: the operations of the service, in the order of the documentation. Protocol facts only
 * (docs/service.md), also those that are found or assumed.
 */

export const operations = lazyMembers({
  workspaces: () => ({
    list: operation('workspaces.list', 'GET /workspaces', {
      summary: 'list the workspaces of the signed-in user',
      workspace: 'none',
      answer: list('Workspace'),
    }),
  }),
  members: () => ({
    list: operation('members.list', 'GET /members', {
      summary: 'list the members of the workspace',
      paging: 'pages',
      answer: list('Member'),
      parameters: {
        email: a('email', 'only the member with this e-mail address'),
        status: oneOf(member.states, 'only members with this status'),
        role: oneOf(ROLES, 'only members with this role'),
      },
    }),
    invite: operation('members.invite', 'POST /members', {
      summary: 'invite a person to the workspace',
      roles: 'managers',
      answer: record('Invitation'),
      parameters: {
        email: needed(email),
        firstname: needed(firstname),
        lastname: needed(lastname),
        role: needed(oneOf(ASSIGNABLE_ROLES, 'role of the new member')),
      },
    }),
    get: operation('members.get', 'GET /members/{memberId}', {
      summary: 'show one member',
      answer: record('Member'),
    }),
    update: operation('members.update', 'PUT /members/{memberId}', {
      summary: 'change a member',
      roles: 'managers',
      parameters: {
        email,
        firstname,
        lastname,
        timezone: a('string', 'time zone (IANA name)'),
        role: oneOf(ASSIGNABLE_ROLES, 'role in the workspace'),
        rate_status: rateStatus,
        weekly_hours_limit: hoursLimit,
        remove_avatar: { ...a('integer', 'remove the picture'), on: 1 },
      },
    }),
    archive: operation('members.archive', 'DELETE /members/{memberId}', {
      summary: 'archive members (soft delete)',
      roles: 'managers',
    }),
    restore: operation('members.restore', 'POST /members/{memberId}/restore', {
      summary: 'restore archived members',
      roles: 'managers',
    }),
  }),
  viewers: () => ({
    list: operation('viewers.list', 'GET /project-viewers', {
      summary: 'list the project viewers',
      paging: 'pages',
      answer: list('Viewer'),
      parameters: { email: a('email', 'only the viewer with this e-mail address') },
    }),
    invite: operation('viewers.invite', 'POST /project-viewers', {
      summary: 'invite a project viewer',
      workspace: 'body',
      roles: 'managers',
      answer: record('Viewer'),
      parameters: { email: needed(email), firstname: needed(firstname), lastname: needed(lastname) },
    }),
    get: operation('viewers.get', 'GET /project-viewers/{viewerId}', {
      summary: 'show one project viewer',
      answer: record('Viewer'),
    }),
    archive: operation('viewers.archive', 'DELETE /project-viewers/{viewerId}', {
      summary: 'archive project viewers (soft delete)',
    }),
    restore: operation('viewers.restore', 'POST /project-viewers/{viewerId}/restore', {
      summary: 'restore archived project viewers',
    }),
    assign: operation('viewers.assign', 'POST /project-viewers/{viewerId}/assign-project', {
      summary: 'give viewers read-only access to a project',
      parameters: { project_id: needed(both(projectId)) },
    }),
    unassign: operation('viewers.unassign', 'DELETE /project-viewers/{viewerId}/unassign-project', {
      summary: 'remove access to a project from viewers',
      parameters: { project_id: needed(both(projectId)) },
    }),
  }),
  projects: () => ({
    list: operation('projects.list', 'GET /projects', {
      summary: 'list the projects',
      paging: 'pages',
      answer: list('Project'),
      parameters: { name: a('string', 'only projects with this in their name, ignoring case') },
    }),
    create: operation('projects.create', 'POST /projects', {
      summary: 'create a project',
      roles: 'managers',
      answer: record('Project'),
      parameters: { name: needed(a('string', 'name of the project')), ...projectBody },
    }),
    get: operation('projects.get', 'GET /projects/{projectId}', {
      summary: 'show one project',
      answer: record('Project'),
    }),
    update: operation('projects.update', 'PUT /projects/{projectId}', {
      summary: 'change a project',
      roles: 'managers',
      parameters: { name: a('string', 'name'), ...projectBody },
    }),
    archive: operation('projects.archive', 'DELETE /projects/{projectId}', {
      summary: 'archive projects (soft delete)',
      workspace: 'body',
      roles: 'managers',
    }),
  }),
  contracts: () => ({
    list: operation('contracts.list', 'GET /contracts', {
      summary: 'list the contracts (assignments of members to projects)',
      paging: 'pages',
      answer: list('Contract'),
      parameters: {
        project_id: a('integer', 'only contracts of this project'),
        user_id: a('integer', 'only contracts of this member'),
        status: oneOf(contract.states, 'only contracts with this status'),
      },
    }),
    create: operation('contracts.create', 'POST /contracts', {
      summary: 'assign a member to a project',
      roles: 'managers',
      answer: record('Contract'),
      parameters: { project_id: needed(projectId), user_id: needed(userId), ...contractBody },
    }),
    get: operation('contracts.get', 'GET /contracts/{contractId}', {
      summary: 'show one contract',
      answer: record('Contract'),
    }),
    update: operation('contracts.update', 'PUT /contracts/{contractId}', {
      summary: 'change a contract',
      roles: 'managers',
      parameters: { ...contractBody, status: oneOf(contract.states, 'status of the contract') },
    }),
    archive: operation('contracts.archive', 'DELETE /contracts/{contractId}', {
      summary: 'archive contracts (soft delete)',
      roles: 'managers',
    }),
  }),
  tasks: () => ({
    list: operation('tasks.list', 'GET /tasks', {
      summary: 'list the tasks of a project',
      paging: 'pages',
      answer: list('Task'),
      parameters: { project_id: needed(projectId), status: taskStatus, priority: taskPriority },
    }),
    create: operation('tasks.create', 'POST /tasks', {
      summary: 'create a task',
      roles: 'task-writers',
      answer: record('Task'),
      parameters: {
        project_id: needed(both(projectId)),
        title: needed(a('string', 'title of the task')),
        ...taskBody,
      },
    }),
    get: operation('tasks.get', 'GET /tasks/{taskId}', {
      summary: 'show one task',
      answer: record('Task'),
      parameters: { project_id: projectId },
    }),
    update: operation('tasks.update', 'PUT /tasks/{taskId}', {
      summary: 'change a task',
      roles: 'task-writers',
      parameters: { project_id: both(projectId), title: a('string', 'title'), ...taskBody },
    }),
    archive: operation('tasks.archive', 'DELETE /tasks/{taskId}', {
      summary: 'archive tasks (soft delete)',
      roles: 'task-writers',
      parameters: { project_id: both(projectId) },
    }),
    assignees: operation('tasks.assignees', 'GET /tasks/{taskId}/assignees', {
      summary: 'list the members assigned to a task',
      answer: list('Assignee'),
      parameters: { project_id: projectId },
    }),
    assign: operation('tasks.assign', 'POST /tasks/{taskId}/assign/{userId}', {
      summary: 'assign members to a task',
      workspace: 'body',
      roles: 'task-writers',
      answer: record('Assignee'),
      parameters: { project_id: needed(projectId) },
    }),
    unassign: operation('tasks.unassign', 'DELETE /tasks/{taskId}/unassign/{userId}', {
      summary: 'remove members from a task',
      roles: 'task-writers',
      parameters: { project_id: needed(both(projectId)) },
    }),
  }),
  timesheets: () => ({
    list: operation('timesheets.list', 'GET /timesheets', {
      summary: 'list the timesheets',
      paging: 'pages',
      answer: list('Timesheet'),
      parameters: { status: oneOf(timesheet.states, 'only timesheets with this status'), ...range, id },
    }),
    approve: operation('timesheets.approve', 'PUT /timesheets/{timesheetId}/approve', {
      summary: 'approve submitted timesheets',
      roles: 'managers',
    }),
    reject: operation('timesheets.reject', 'PUT /timesheets/{timesheetId}/reject', {
      summary: 'reject submitted timesheets with a reason',
      roles: 'managers',
      parameters: { reason: needed(a('string', 'reason (the member will see it)')) },
    }),
    submit: operation('timesheets.submit', 'PUT /timesheets/{timesheetId}/submit', {
      summary: 'submit open timesheets',
    }),
    unsubmit: operation('timesheets.unsubmit', 'PUT /timesheets/{timesheetId}/unsubmit', {
      summary: 'reopen submitted timesheets',
    }),
  }),
  leaves: () => ({
    list: operation('leaves.list', 'GET /leaves', {
      summary: 'list the leave requests',
      paging: 'pages',
      answer: list('Leave'),
      parameters: {
        id,
        policy_id: a('integer', 'only leaves of this policy'),
        is_paid: oneOf(['yes', 'no'], 'only paid or unpaid leaves'),
        status: oneOf(decisionStates, 'only leaves with this status'),
        ...range,
        user_id: a('integer', 'only leaves of this member'),
      },
    }),
    approve: operation('leaves.approve', 'PUT /leaves/{leaveRequestId}/approve', {
      summary: 'approve pending leave requests',
      roles: 'managers',
    }),
    reject: operation('leaves.reject', 'PUT /leaves/{leaveRequestId}/reject', {
      summary: 'reject pending leave requests with a reason',
      roles: 'managers',
      parameters: { reason: needed(a('string', 'reason (the member will see it)')) },
    }),
    balances: operation('leaves.balances', 'GET /leaves/balances', {
      summary: 'list the leave balances',
      paging: 'page',
      answer: list('LeaveBalance'),
      parameters: {
        date_from: needed(range.date_from),
        date_to: needed(range.date_to),
        user_id: a('integer', 'only the balance of this member'),
      },
    }),
    policies: operation('leaves.policies', 'GET /leaves/policies', {
      summary: 'list the leave policies',
      answer: list('LeavePolicy'),
      parameters: { id },
    }),
  }),
  timeRequests: () => ({
    list: operation('time-requests.list', 'GET /time-requests', {
      summary: 'list the manual time requests',
      paging: 'pages',
      answer: list('TimeRequest'),
      parameters: {
        status: oneOf(decisionStates, 'only requests with this status'),
        user_id: a('integer', 'only requests of this member'),
        ...range,
        id,
      },
    }),
    create: operation('time-requests.create', 'POST /time-requests', {
      summary: 'create a manual time request',
      answer: record('TimeRequest'),
      parameters: {
        user_id: needed(userId),
        contract_id: needed(a('integer', 'contract the time is for')),
        start: needed(a('datetime', 'begin')),
        end: needed({ ...a('datetime', 'end time, after the start'), after: 'start' }),
        task_id: a('integer', 'task the time was spent on'),
        notes: a('string', 'notes for the approver'),
      },
    }),
    get: operation('time-requests.get', 'GET /time-requests/{id}', {
      summary: 'show one time request',
      answer: record('TimeRequest'),
    }),
    approve: operation('time-requests.approve', 'POST /time-requests/{id}/approve', {
      summary: 'approve pending time requests',
    }),
    reject: operation('time-requests.reject', 'POST /time-requests/{id}/reject', {
      summary: 'reject pending time requests with a comment',
      parameters: { comment: needed(a('string', 'reason (the member will see it)')) },
    }),
  }),
  expenses: () => ({
    list: operation('expenses.list', 'GET /expenses', {
      summary: 'list the expenses',
      paging: 'pages',
      answer: list('Expense'),
      parameters: { id, ...range },
    }),
    create: operation('expenses.create', 'POST /expenses', {
      summary: 'record an expense',
      answer: record('Expense'),
      parameters: expenseBody,
    }),
    update: operation('expenses.update', 'PUT /expenses/{expenseId}', {
      summary: 'change an expense (all four main fields are required)',
      parameters: expenseBody,
    }),
    delete: operation('expenses.delete', 'DELETE /expenses/{expenseId}', {
      summary: 'delete expenses permanently',
    }),
    categories: operation('expenses.categories', 'GET /expenses/categories', {
      summary: 'list the expense categories',
      answer: list('ExpenseCategory'),
      parameters: { id },
    }),
  }),
  timeTracking: () => ({
    stop: operation('time-tracking.stop', 'POST /time-tracking/stop', {
      summary: "stop the signed-in user's running tracker",
      workspace: 'none',
      answer: record('Stopped'),
    }),
  }),
  webhooks: () => ({
    list: operation('webhooks.list', 'GET /webhooks', {
      summary: 'list the webhooks',
      paging: 'pages',
      answer: list('Webhook'),
    }),
    create: operation('webhooks.create', 'POST /webhooks', {
      summary: 'register a webhook',
      workspace: 'body',
      answer: record('Webhook'),
      parameters: webhookBody,
    }),
    get: operation('webhooks.get', 'GET /webhooks/{webhookId}', {
      summary: 'show one webhook and its secret token',
      answer: record('Webhook'),
    }),
    update: operation('webhooks.update', 'PUT /webhooks/{webhookId}', {
      summary: 'change a webhook',
      workspace: 'body',
      parameters: webhookBody,
    }),
    delete: operation('webhooks.delete', 'DELETE /webhooks/{webhookId}', {
      summary: 'delete webhooks permanently',
      workspace: 'body',
    }),
  }),
});

/** All rows, in the order of the table. */
export const allOperations = lazy((): readonly Operation[] =>
  Object.values(operations).flatMap((group) => Object.values(group)),
);

export const isOperation = (id: string): boolean => allOperations().some((operation) => operation.id === id);

type Table = typeof operations;
type Row = { readonly [Noun in keyof Table]: Table[Noun][keyof Table[Noun]] }[keyof Table];

/** The ids of all operations that are not a GET. */
export type WriteId = Exclude<Row, { readonly route: `GET ${string}` }>['id'];
