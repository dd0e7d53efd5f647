import { decisionStates } from './fields.ts';
import { ARCHIVES, DELETED, type Operation, param, RESTORES, read, required, write } from './operation.ts';
import * as records from './records.ts';

const email = param('email', 'e-mail address');
const firstname = param('string', 'first name');
const lastname = param('string', 'last name');
const invited = { email: required(email), firstname: required(firstname), lastname: required(lastname) };
const role = param('string', 'role in the workspace', { choices: records.ASSIGNABLE_ROLES });
const projectId = param('integer', 'project');
/** Where the documentation names no place, or two. */
const projectInBoth = { ...projectId, place: 'both' } as const;
const userId = param('integer', 'member');
const reason = param('string', 'reason shown to the member');
const id = param('string', 'only the record with this id');
const hoursLimit = param('integer', 'weekly limit in hours', { min: 0, unit: 'hours' });
const dateFrom = param('date', 'from this date, inclusive');
const dateTo = param('date', 'up to this date, inclusive', { notBefore: 'date_from' });
const dateRange = { date_from: dateFrom, date_to: dateTo } as const;
const lastDay = param('date', 'last day, not before the first', { notBefore: 'start_date' });
const taskStatus = param('integer', 'state of the task', { words: records.TASK_STATUS });
const taskPriority = param('integer', 'priority of the task', { words: records.TASK_PRIORITY });

const projectBody = {
  start_date: param('date', 'first day'),
  deadline: lastDay,
  estimation: param('number', 'estimated hours', { min: 0, unit: 'hours' }),
  budget: param('number', 'budget', { min: 0 }),
  notes: param('string', 'notes'),
  icon: param('string', 'icon'),
} as const;
const contractBody = {
  weekly_hours_limit: hoursLimit,
  screenshots: param('string', 'screenshot mode', { choices: records.SCREENSHOTS }),
  rate: param('number', 'hourly rate', { min: 0 }),
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
  expense_name: param('string', 'name of the expense'),
  date: param('date', 'day of the expense'),
  amount: param('number', 'amount', { min: 0 }),
  category_id: param('string', 'expense category'),
  project_id: param('integer', 'project it belongs to'),
  note: param('string', 'note'),
  is_billable: param('boolean', 'billable to the client'),
} as const;
const webhookBody = {
  url: param('url', 'address that receives the events'),
  events: param('string[]', 'event to subscribe to'),
} as const;

const ARCHIVES_FOR_GOOD = {
  undo: { why: 'the API cannot restore an archived record of this kind' },
  moves: ARCHIVES,
} as const;
const DELETES = { undo: { why: 'a deleted record is gone' }, moves: DELETED } as const;

/** Decisions on what waits for one. */
const FINAL = { undo: { why: 'the API cannot reverse a decision' } } as const;
const APPROVES_SHEET = { ...FINAL, moves: { from: 'submitted', to: 'approved', past: 'approved' } };
const REJECTS_SHEET = { ...FINAL, moves: { from: 'submitted', to: 'rejected', past: 'rejected' } };
const APPROVES = { ...FINAL, moves: { from: 'pending', to: 'approved', past: 'approved' } };
const REJECTS = { ...FINAL, moves: { from: 'pending', to: 'rejected', past: 'rejected' } };

/**
 * THE TABLE: the operations of the service, in the order of the documentation. Protocol facts only
 * (docs/service.md), also those that are found or assumed.
 */

export const operations = {
  workspaces: {
    list: {
      ...read('/workspaces', 'workspace[]', 'list the workspaces of the signed-in user'),
      ...({ workspace: 'none', paging: 'none' } as const),
    },
  },
  members: {
    list: read('/members', 'member[]', 'list the members of the workspace', {
      email: param('email', 'only the member with this e-mail address'),
      status: param('string', 'only members with this status', { choices: records.member.states }),
      role: param('string', 'only members with this role', { choices: records.ROLES }),
    }),
    invite: write('POST /members', 'invite a person to the workspace', 'managers', {
      undo: 'members.archive',
      gives: 'invitation',
      createdId: 'user_id',
      parameters: { ...invited, role: required({ ...role, about: 'role of the new member' }) },
    }),
    get: read('/members/{memberId}', 'member', 'show one member'),
    update: write('PUT /members/{memberId}', 'change a member', 'managers', {
      undo: 'values',
      parameters: {
        email,
        firstname,
        lastname,
        timezone: param('zone', 'time zone (IANA name)'),
        role,
        rate_status: param('integer', 'visibility of the rate', {
          words: records.RATE_STATUS,
          min: 0,
          max: 1,
        }),
        weekly_hours_limit: hoursLimit,
        remove_avatar: param('integer', 'remove the picture', { on: 1 }),
      },
    }),
    archive: write('DELETE /members/{memberId}', 'archive members (soft delete)', 'managers', {
      undo: 'members.restore',
      moves: ARCHIVES,
    }),
    restore: write('POST /members/{memberId}/restore', 'restore archived members', 'managers', {
      undo: 'members.archive',
      moves: RESTORES,
    }),
  },
  viewers: {
    list: read('/project-viewers', 'viewer[]', 'list the project viewers', {
      email: param('email', 'only the viewer with this e-mail address'),
    }),
    invite: write('POST /project-viewers', 'invite a project viewer', 'managers', {
      undo: 'viewers.archive',
      workspace: 'body',
      gives: 'viewer',
      parameters: invited,
    }),
    get: read('/project-viewers/{viewerId}', 'viewer', 'show one project viewer'),
    archive: write('DELETE /project-viewers/{viewerId}', 'archive project viewers (soft delete)', 'any', {
      undo: 'viewers.restore',
      moves: ARCHIVES,
    }),
    restore: write('POST /project-viewers/{viewerId}/restore', 'restore archived project viewers', 'any', {
      undo: 'viewers.archive',
      moves: RESTORES,
    }),
    assign: write(
      'POST /project-viewers/{viewerId}/assign-project',
      'give viewers read-only access to a project',
      'any',
      { undo: 'viewers.unassign', joins: true, parameters: { project_id: required(projectInBoth) } },
    ),
    unassign: write(
      'DELETE /project-viewers/{viewerId}/unassign-project',
      'remove access to a project from viewers',
      'any',
      { undo: 'viewers.assign', joins: true, parameters: { project_id: required(projectInBoth) } },
    ),
  },
  projects: {
    list: read('/projects', 'project[]', 'list the projects', {
      name: param('string', 'only projects with this in their name, ignoring case'),
    }),
    create: write('POST /projects', 'create a project', 'managers', {
      undo: 'projects.archive',
      gives: 'project',
      parameters: { name: required(param('string', 'name of the project')), ...projectBody },
    }),
    get: read('/projects/{projectId}', 'project', 'show one project'),
    update: write('PUT /projects/{projectId}', 'change a project', 'managers', {
      undo: 'values',
      parameters: { name: param('string', 'name'), ...projectBody },
    }),
    archive: write('DELETE /projects/{projectId}', 'archive projects (soft delete)', 'managers', {
      ...ARCHIVES_FOR_GOOD,
      workspace: 'body',
    }),
  },
  contracts: {
    list: read('/contracts', 'contract[]', 'list the contracts (assignments of members to projects)', {
      project_id: param('integer', 'only contracts of this project'),
      user_id: param('integer', 'only contracts of this member'),
      status: param('string', 'only contracts with this status', { choices: records.contract.states }),
    }),
    create: write('POST /contracts', 'assign a member to a project', 'managers', {
      undo: 'contracts.archive',
      gives: 'contract',
      parameters: { project_id: required(projectId), user_id: required(userId), ...contractBody },
    }),
    get: read('/contracts/{contractId}', 'contract', 'show one contract'),
    update: write('PUT /contracts/{contractId}', 'change a contract', 'managers', {
      undo: 'values',
      parameters: {
        ...contractBody,
        status: param('string', 'status of the contract', { choices: records.contract.states }),
      },
    }),
    archive: write('DELETE /contracts/{contractId}', 'archive contracts (soft delete)', 'managers', {
      ...ARCHIVES_FOR_GOOD,
    }),
  },
  tasks: {
    list: read('/tasks', 'task[]', 'list the tasks of a project', {
      project_id: required(projectId),
      status: taskStatus,
      priority: taskPriority,
    }),
    create: write('POST /tasks', 'create a task', 'task-writers', {
      undo: 'tasks.archive',
      gives: 'task',
      parameters: {
        project_id: required(projectInBoth),
        title: required(param('string', 'title of the task')),
        ...taskBody,
      },
    }),
    get: read('/tasks/{taskId}', 'task', 'show one task', { project_id: projectId }),
    update: write('PUT /tasks/{taskId}', 'change a task', 'task-writers', {
      undo: 'values',
      parameters: { project_id: projectInBoth, title: param('string', 'title'), ...taskBody },
    }),
    archive: write('DELETE /tasks/{taskId}', 'archive tasks (soft delete)', 'task-writers', {
      ...ARCHIVES_FOR_GOOD,
      parameters: { project_id: projectInBoth },
    }),
    assignees: {
      ...read('/tasks/{taskId}/assignees', 'assignee[]', 'list the members assigned to a task', {
        project_id: projectId,
      }),
      paging: 'none',
    },
    assign: write('POST /tasks/{taskId}/assign/{userId}', 'assign members to a task', 'task-writers', {
      undo: 'tasks.unassign',
      joins: true,
      shownBy: 'tasks.assignees',
      refusal: (commandLine, { project_id: project, userId: member }) =>
        `Only members of the project can be assigned. To add this member: ${commandLine`ttctl contracts create --project ${project} --member ${member}`}`,
      workspace: 'body',
      gives: 'assignee',
      parameters: { project_id: required(projectId) },
    }),
    unassign: write(
      'DELETE /tasks/{taskId}/unassign/{userId}',
      'remove members from a task',
      'task-writers',
      {
        undo: 'tasks.assign',
        joins: true,
        shownBy: 'tasks.assignees',
        parameters: { project_id: required(projectInBoth) },
      },
    ),
  },
  timesheets: {
    list: read('/timesheets', 'timesheet[]', 'list the timesheets', {
      status: param('string', 'only timesheets with this status', { choices: records.timesheet.states }),
      ...dateRange,
      id,
    }),
    approve: write('PUT /timesheets/{timesheetId}/approve', 'approve submitted timesheets', 'managers', {
      ...APPROVES_SHEET,
    }),
    reject: write(
      'PUT /timesheets/{timesheetId}/reject',
      'reject submitted timesheets with a reason',
      'managers',
      { ...REJECTS_SHEET, parameters: { reason: required(reason) } },
    ),
    submit: write('PUT /timesheets/{timesheetId}/submit', 'submit open timesheets', 'any', {
      undo: 'timesheets.unsubmit',
      moves: { from: 'open', to: 'submitted', past: 'submitted' },
    }),
    unsubmit: write('PUT /timesheets/{timesheetId}/unsubmit', 'reopen submitted timesheets', 'any', {
      undo: 'timesheets.submit',
      moves: { from: 'submitted', to: 'open', past: 'unsubmitted' },
    }),
  },
  leaves: {
    list: read('/leaves', 'leave[]', 'list the leave requests', {
      id,
      policy_id: param('integer', 'only leaves of this policy'),
      is_paid: param('string', 'only paid or unpaid leaves', { choices: ['yes', 'no'] }),
      status: param('string', 'only leaves with this status', { choices: decisionStates }),
      ...dateRange,
      user_id: param('integer', 'only leaves of this member'),
    }),
    approve: write('PUT /leaves/{leaveRequestId}/approve', 'approve pending leave requests', 'managers', {
      ...APPROVES,
    }),
    reject: write(
      'PUT /leaves/{leaveRequestId}/reject',
      'reject pending leave requests with a reason',
      'managers',
      { ...REJECTS, parameters: { reason: required(reason) } },
    ),
    balances: {
      ...read('/leaves/balances', 'balance[]', 'list the leave balances', {
        date_from: required(dateFrom),
        date_to: required(dateTo),
        user_id: param('integer', 'only the balance of this member'),
      }),
      paging: 'page',
    },
    policies: {
      ...read('/leaves/policies', 'policy[]', 'list the leave policies', { id }),
      paging: 'none',
    },
  },
  timeRequests: {
    list: read('/time-requests', 'time-request[]', 'list the manual time requests', {
      status: param('string', 'only requests with this status', { choices: decisionStates }),
      user_id: param('integer', 'only requests of this member'),
      ...dateRange,
      id,
    }),
    create: write('POST /time-requests', 'create a manual time request', 'any', {
      undo: { why: 'the API cannot withdraw a time request' },
      gives: 'time-request',
      parameters: {
        user_id: required(userId),
        contract_id: required(param('integer', 'contract')),
        start: required(param('datetime', 'start time, before the end')),
        end: required(param('datetime', 'end time, after the start', { after: 'start' })),
        task_id: param('integer', 'task the time was spent on'),
        notes: param('string', 'notes for the approver'),
      },
    }),
    get: read('/time-requests/{id}', 'time-request', 'show one time request'),
    approve: write('POST /time-requests/{id}/approve', 'approve pending time requests', 'any', {
      ...APPROVES,
    }),
    reject: write('POST /time-requests/{id}/reject', 'reject pending time requests with a comment', 'any', {
      ...REJECTS,
      parameters: { comment: required(reason) },
    }),
  },
  expenses: {
    list: read('/expenses', 'expense[]', 'list the expenses', { id, ...dateRange }),
    create: write('POST /expenses', 'record an expense', 'any', {
      undo: 'expenses.delete',
      gives: 'expense',
      parameters: {
        ...expenseBody,
        expense_name: required(expenseBody.expense_name),
        date: required(expenseBody.date),
        amount: required(expenseBody.amount),
        category_id: required(expenseBody.category_id),
      },
    }),
    update: write('PUT /expenses/{expenseId}', 'change an expense', 'any', {
      undo: 'values',
      keeps: ['expense_name', 'date', 'amount', 'category_id'],
      parameters: expenseBody,
    }),
    delete: write('DELETE /expenses/{expenseId}', 'delete expenses permanently', 'any', DELETES),
    categories: {
      ...read('/expenses/categories', 'category[]', 'list the expense categories', { id }),
      paging: 'none',
    },
  },
  timeTracking: {
    stop: write('POST /time-tracking/stop', "stop the signed-in user's running tracker", 'any', {
      undo: { why: 'a stopped tracker cannot go on' },
      refusal: (commandLine) =>
        `Only the tracker of the signed-in account can be stopped. See: ${commandLine`ttctl auth status`}`,
      workspace: 'none',
      gives: 'tracker',
    }),
  },
  webhooks: {
    list: read('/webhooks', 'webhook[]', 'list the webhooks'),
    create: write('POST /webhooks', 'register a webhook', 'any', {
      undo: 'webhooks.delete',
      workspace: 'body',
      gives: 'webhook',
      parameters: { url: required(webhookBody.url), events: required(webhookBody.events) },
    }),
    get: read('/webhooks/{webhookId}', 'webhook', 'show one webhook; --show-secrets shows its token'),
    update: write('PUT /webhooks/{webhookId}', 'change a webhook', 'any', {
      undo: 'values',
      workspace: 'body',
      keeps: ['url', 'events'],
      parameters: webhookBody,
    }),
    delete: write('DELETE /webhooks/{webhookId}', 'delete webhooks permanently', 'any', {
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

export const allOperations: readonly Operation[] = Object.values(operations).flatMap((group) =>
  Object.values<Operation>(group),
);

export function findOperation(id: string): Operation | undefined {
  return allOperations.find((operation) => operation.id === id);
}
