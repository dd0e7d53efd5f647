import { decisionStates } from './fields.ts';
import {
  ARCHIVES,
  DELETED,
  type Operation,
  operation,
  param,
  RESTORES,
  required,
  type Undo,
} from './operation.ts';
import * as records from './records.ts';

const email = param('email', 'e-mail address');
const firstname = param('string', 'first name');
const lastname = param('string', 'last name');
const invited = { email: required(email), firstname: required(firstname), lastname: required(lastname) };
const projectId = param('integer', 'project');
/** Where the documentation names no place, or two. */
const projectInBoth = { ...projectId, place: 'both' } as const;
const userId = param('integer', 'member');
const id = param('string', 'only the record with this id');
const hoursLimit = { ...param('integer', 'weekly limit in hours'), min: 0 } as const;
const dateFrom = param('date', 'from this date, inclusive');
const dateTo = { ...param('date', 'up to this date, inclusive'), notBefore: 'date_from' } as const;
const dateRange = { date_from: dateFrom, date_to: dateTo } as const;
const lastDay = { ...param('date', 'last day, not before the first'), notBefore: 'start_date' } as const;
const taskStatus = { ...param('integer', 'state of the task'), words: records.TASK_STATUS } as const;
const taskPriority = { ...param('integer', 'priority of the task'), words: records.TASK_PRIORITY } as const;

const projectBody = {
  start_date: param('date', 'first day'),
  deadline: lastDay,
  estimation: { ...param('number', 'estimated hours'), min: 0, unit: 'hours' },
  budget: { ...param('number', 'budget'), min: 0 },
  notes: param('string', 'notes'),
  icon: param('string', 'icon'),
} as const;
const contractBody = {
  weekly_hours_limit: hoursLimit,
  screenshots: { type: 'string', choices: records.SCREENSHOTS, about: 'screenshot mode' },
  rate: { ...param('number', 'hourly rate'), min: 0 },
} as const;
const taskBody = {
  description: param('string', 'description'),
  status: taskStatus,
  priority: taskPriority,
  start_date: param('date', 'first day'),
  end_date: lastDay,
  assignees: param('integer[]', 'members to assign'),
} as const;
const expenseBody = {
  expense_name: required(param('string', 'name of the expense')),
  date: required(param('date', 'day of the expense')),
  amount: required({ ...param('number', 'amount'), min: 0 }),
  category_id: required(param('string', 'expense category')),
  project_id: param('integer', 'project it belongs to'),
  note: param('string', 'note'),
  is_billable: param('boolean', 'billable to the client'),
} as const;
const webhookBody = {
  url: required(param('url', 'address that receives the events')),
  events: required(param('string[]', 'event to subscribe to')),
} as const;

const OLD_VALUES: Undo = { kind: 'values' };
const ARCHIVES_FOR_GOOD = {
  undo: { kind: 'none', why: 'the API cannot restore an archived record of this kind' },
  moves: ARCHIVES,
} as const;
const DELETES = { undo: { kind: 'none', why: 'a deleted record is gone' }, moves: DELETED } as const;

/** Decisions on what waits for one. */
const FINAL: Undo = { kind: 'none', why: 'the API cannot reverse a decision' };
const APPROVES_SHEET = { undo: FINAL, moves: { from: 'submitted', to: 'approved', past: 'approved' } };
const REJECTS_SHEET = { undo: FINAL, moves: { from: 'submitted', to: 'rejected', past: 'rejected' } };
const APPROVES = { undo: FINAL, moves: { from: 'pending', to: 'approved', past: 'approved' } };
const REJECTS = { undo: FINAL, moves: { from: 'pending', to: 'rejected', past: 'rejected' } };

/**
 * THE TABLE: the operations of the service, in the order of the documentation. Protocol facts only
 * (docs/service.md), also those that are found or assumed.
 */

export const operations = {
  workspaces: {
    list: operation('GET /workspaces', 'list the workspaces of the signed-in user', {
      workspace: 'none',
      paging: 'none',
      lists: 'Workspace',
    }),
  },
  members: {
    list: operation('GET /members', 'list the members of the workspace', {
      lists: 'Member',
      parameters: {
        email: param('email', 'only the member with this e-mail address'),
        status: { type: 'string', choices: records.member.states, about: 'only members with this status' },
        role: { type: 'string', choices: records.ROLES, about: 'only members with this role' },
      },
    }),
    invite: operation('POST /members', 'invite a person to the workspace', {
      undo: { kind: 'removal', by: 'members.archive' },
      roles: 'managers',
      gives: 'Invitation',
      createdId: 'user_id',
      parameters: {
        ...invited,
        role: required({
          type: 'string',
          choices: records.ASSIGNABLE_ROLES,
          about: 'role of the new member',
        }),
      },
    }),
    get: operation('GET /members/{memberId}', 'show one member', { gives: 'Member' }),
    update: operation('PUT /members/{memberId}', 'change a member', {
      undo: OLD_VALUES,
      roles: 'managers',
      parameters: {
        email,
        firstname,
        lastname,
        timezone: param('string', 'time zone (IANA name)'),
        role: { type: 'string', choices: records.ASSIGNABLE_ROLES, about: 'role in the workspace' },
        rate_status: {
          ...param('integer', 'visibility of the rate'),
          words: records.RATE_STATUS,
          min: 0,
          max: 1,
        },
        weekly_hours_limit: hoursLimit,
        remove_avatar: { ...param('integer', 'remove the picture'), on: 1 },
      },
    }),
    archive: operation('DELETE /members/{memberId}', 'archive members (soft delete)', {
      undo: { kind: 'opposite', by: 'members.restore' },
      moves: ARCHIVES,
      roles: 'managers',
    }),
    restore: operation('POST /members/{memberId}/restore', 'restore archived members', {
      undo: { kind: 'opposite', by: 'members.archive' },
      moves: RESTORES,
      roles: 'managers',
    }),
  },
  viewers: {
    list: operation('GET /project-viewers', 'list the project viewers', {
      lists: 'Viewer',
      parameters: { email: param('email', 'only the viewer with this e-mail address') },
    }),
    invite: operation('POST /project-viewers', 'invite a project viewer', {
      undo: { kind: 'removal', by: 'viewers.archive' },
      workspace: 'body',
      roles: 'managers',
      gives: 'Viewer',
      parameters: invited,
    }),
    get: operation('GET /project-viewers/{viewerId}', 'show one project viewer', { gives: 'Viewer' }),
    archive: operation('DELETE /project-viewers/{viewerId}', 'archive project viewers (soft delete)', {
      undo: { kind: 'opposite', by: 'viewers.restore' },
      moves: ARCHIVES,
    }),
    restore: operation('POST /project-viewers/{viewerId}/restore', 'restore archived project viewers', {
      undo: { kind: 'opposite', by: 'viewers.archive' },
      moves: RESTORES,
    }),
    assign: operation(
      'POST /project-viewers/{viewerId}/assign-project',
      'give viewers read-only access to a project',
      {
        undo: { kind: 'opposite', by: 'viewers.unassign' },
        joins: true,
        parameters: { project_id: required(projectInBoth) },
      },
    ),
    unassign: operation(
      'DELETE /project-viewers/{viewerId}/unassign-project',
      'remove access to a project from viewers',
      {
        undo: { kind: 'opposite', by: 'viewers.assign' },
        joins: true,
        parameters: { project_id: required(projectInBoth) },
      },
    ),
  },
  projects: {
    list: operation('GET /projects', 'list the projects', {
      lists: 'Project',
      parameters: { name: param('string', 'only projects with this in their name, ignoring case') },
    }),
    create: operation('POST /projects', 'create a project', {
      undo: { kind: 'removal', by: 'projects.archive' },
      roles: 'managers',
      gives: 'Project',
      parameters: { name: required(param('string', 'name of the project')), ...projectBody },
    }),
    get: operation('GET /projects/{projectId}', 'show one project', { gives: 'Project' }),
    update: operation('PUT /projects/{projectId}', 'change a project', {
      undo: OLD_VALUES,
      roles: 'managers',
      parameters: { name: param('string', 'name'), ...projectBody },
    }),
    archive: operation('DELETE /projects/{projectId}', 'archive projects (soft delete)', {
      ...ARCHIVES_FOR_GOOD,
      workspace: 'body',
      roles: 'managers',
    }),
  },
  contracts: {
    list: operation('GET /contracts', 'list the contracts (assignments of members to projects)', {
      lists: 'Contract',
      parameters: {
        project_id: param('integer', 'only contracts of this project'),
        user_id: param('integer', 'only contracts of this member'),
        status: {
          type: 'string',
          choices: records.contract.states,
          about: 'only contracts with this status',
        },
      },
    }),
    create: operation('POST /contracts', 'assign a member to a project', {
      undo: { kind: 'removal', by: 'contracts.archive' },
      roles: 'managers',
      gives: 'Contract',
      parameters: { project_id: required(projectId), user_id: required(userId), ...contractBody },
    }),
    get: operation('GET /contracts/{contractId}', 'show one contract', { gives: 'Contract' }),
    update: operation('PUT /contracts/{contractId}', 'change a contract', {
      undo: OLD_VALUES,
      roles: 'managers',
      parameters: {
        ...contractBody,
        status: { type: 'string', choices: records.contract.states, about: 'status of the contract' },
      },
    }),
    archive: operation('DELETE /contracts/{contractId}', 'archive contracts (soft delete)', {
      ...ARCHIVES_FOR_GOOD,
      roles: 'managers',
    }),
  },
  tasks: {
    list: operation('GET /tasks', 'list the tasks of a project', {
      lists: 'Task',
      parameters: { project_id: required(projectId), status: taskStatus, priority: taskPriority },
    }),
    create: operation('POST /tasks', 'create a task', {
      undo: { kind: 'removal', by: 'tasks.archive' },
      roles: 'task-writers',
      gives: 'Task',
      parameters: {
        project_id: required(projectInBoth),
        title: required(param('string', 'title of the task')),
        ...taskBody,
      },
    }),
    get: operation('GET /tasks/{taskId}', 'show one task', {
      gives: 'Task',
      parameters: { project_id: projectId },
    }),
    update: operation('PUT /tasks/{taskId}', 'change a task', {
      undo: OLD_VALUES,
      roles: 'task-writers',
      parameters: { project_id: projectInBoth, title: param('string', 'title'), ...taskBody },
    }),
    archive: operation('DELETE /tasks/{taskId}', 'archive tasks (soft delete)', {
      ...ARCHIVES_FOR_GOOD,
      roles: 'task-writers',
      parameters: { project_id: projectInBoth },
    }),
    assignees: operation('GET /tasks/{taskId}/assignees', 'list the members assigned to a task', {
      paging: 'none',
      lists: 'Assignee',
      parameters: { project_id: projectId },
    }),
    assign: operation('POST /tasks/{taskId}/assign/{userId}', 'assign members to a task', {
      undo: { kind: 'opposite', by: 'tasks.unassign' },
      joins: true,
      shownBy: 'tasks.assignees',
      refusal: {
        why: 'Only members of the project can be assigned. To add this member',
        see: 'contracts create --project {project_id} --member {userId}',
      },
      workspace: 'body',
      roles: 'task-writers',
      gives: 'Assignee',
      parameters: { project_id: required(projectId) },
    }),
    unassign: operation('DELETE /tasks/{taskId}/unassign/{userId}', 'remove members from a task', {
      undo: { kind: 'opposite', by: 'tasks.assign' },
      joins: true,
      shownBy: 'tasks.assignees',
      roles: 'task-writers',
      parameters: { project_id: required(projectInBoth) },
    }),
  },
  timesheets: {
    list: operation('GET /timesheets', 'list the timesheets', {
      lists: 'Timesheet',
      parameters: {
        status: {
          type: 'string',
          choices: records.timesheet.states,
          about: 'only timesheets with this status',
        },
        ...dateRange,
        id,
      },
    }),
    approve: operation('PUT /timesheets/{timesheetId}/approve', 'approve submitted timesheets', {
      ...APPROVES_SHEET,
      roles: 'managers',
    }),
    reject: operation('PUT /timesheets/{timesheetId}/reject', 'reject submitted timesheets with a reason', {
      ...REJECTS_SHEET,
      roles: 'managers',
      parameters: { reason: required(param('string', 'reason shown to the member')) },
    }),
    submit: operation('PUT /timesheets/{timesheetId}/submit', 'submit open timesheets', {
      undo: { kind: 'opposite', by: 'timesheets.unsubmit' },
      moves: { from: 'open', to: 'submitted', past: 'submitted' },
    }),
    unsubmit: operation('PUT /timesheets/{timesheetId}/unsubmit', 'reopen submitted timesheets', {
      undo: { kind: 'opposite', by: 'timesheets.submit' },
      moves: { from: 'submitted', to: 'open', past: 'reopened' },
    }),
  },
  leaves: {
    list: operation('GET /leaves', 'list the leave requests', {
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
    approve: operation('PUT /leaves/{leaveRequestId}/approve', 'approve pending leave requests', {
      ...APPROVES,
      roles: 'managers',
    }),
    reject: operation('PUT /leaves/{leaveRequestId}/reject', 'reject pending leave requests with a reason', {
      ...REJECTS,
      roles: 'managers',
      parameters: { reason: required(param('string', 'reason shown to the member')) },
    }),
    balances: operation('GET /leaves/balances', 'list the leave balances', {
      paging: 'page',
      lists: 'LeaveBalance',
      parameters: {
        date_from: required(dateFrom),
        date_to: required(dateTo),
        user_id: param('integer', 'only the balance of this member'),
      },
    }),
    policies: operation('GET /leaves/policies', 'list the leave policies', {
      paging: 'none',
      lists: 'LeavePolicy',
      parameters: { id },
    }),
  },
  timeRequests: {
    list: operation('GET /time-requests', 'list the manual time requests', {
      lists: 'TimeRequest',
      parameters: {
        status: { type: 'string', choices: decisionStates, about: 'only requests with this status' },
        user_id: param('integer', 'only requests of this member'),
        ...dateRange,
        id,
      },
    }),
    create: operation('POST /time-requests', 'create a manual time request', {
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
    get: operation('GET /time-requests/{id}', 'show one time request', { gives: 'TimeRequest' }),
    approve: operation('POST /time-requests/{id}/approve', 'approve pending time requests', {
      ...APPROVES,
    }),
    reject: operation('POST /time-requests/{id}/reject', 'reject pending time requests with a comment', {
      ...REJECTS,
      parameters: { comment: required(param('string', 'reason shown to the member')) },
    }),
  },
  expenses: {
    list: operation('GET /expenses', 'list the expenses', {
      lists: 'Expense',
      parameters: { id, ...dateRange },
    }),
    create: operation('POST /expenses', 'record an expense', {
      undo: { kind: 'removal', by: 'expenses.delete' },
      gives: 'Expense',
      parameters: expenseBody,
    }),
    update: operation('PUT /expenses/{expenseId}', 'change an expense (all four main fields are required)', {
      undo: OLD_VALUES,
      parameters: expenseBody,
    }),
    delete: operation('DELETE /expenses/{expenseId}', 'delete expenses permanently', { ...DELETES }),
    categories: operation('GET /expenses/categories', 'list the expense categories', {
      paging: 'none',
      lists: 'ExpenseCategory',
      parameters: { id },
    }),
  },
  timeTracking: {
    stop: operation('POST /time-tracking/stop', "stop the signed-in user's running tracker", {
      undo: { kind: 'none', why: 'a stopped tracker cannot go on' },
      refusal: { why: 'Only the tracker of the signed-in account can be stopped. See', see: 'auth status' },
      workspace: 'none',
      gives: 'Stopped',
    }),
  },
  webhooks: {
    list: operation('GET /webhooks', 'list the webhooks', { lists: 'Webhook' }),
    create: operation('POST /webhooks', 'register a webhook', {
      undo: { kind: 'removal', by: 'webhooks.delete' },
      workspace: 'body',
      gives: 'Webhook',
      parameters: webhookBody,
    }),
    get: operation('GET /webhooks/{webhookId}', 'show one webhook; --show-secrets shows its token', {
      gives: 'Webhook',
    }),
    update: operation('PUT /webhooks/{webhookId}', 'change a webhook', {
      undo: OLD_VALUES,
      workspace: 'body',
      parameters: webhookBody,
    }),
    delete: operation('DELETE /webhooks/{webhookId}', 'delete webhooks permanently', {
      ...DELETES,
      workspace: 'body',
    }),
  },
} as const;

for (const [key, rows] of Object.entries(operations)) {
  // `time-requests` of `timeRequests`.
  const noun = key.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
  for (const [verb, row] of Object.entries(rows)) Object.assign(row, { noun, id: `${noun}.${verb}` });
}

/** All rows, in the order of the table. */
export const allOperations: readonly Operation[] = Object.values(operations).flatMap((group) =>
  Object.values<Operation>(group),
);

export function findOperation(id: string): Operation | undefined {
  return allOperations.find((operation) => operation.id === id);
}
