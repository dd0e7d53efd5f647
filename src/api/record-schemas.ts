import type * as R from './records.ts';

/**
 * The records of records.ts as JSON Schema fields, for the OpenAPI document. The compiler holds the two together:
 * a field that is missing, too much or of another kind is an error.
 */

type Text = 'string' | 'email' | 'uri' | 'date' | 'date-time';
type Whole = 'integer' | 'number';
export type Field = Text | Whole | 'boolean' | { readonly list: Field | Fields } | Fields;
export interface Fields {
  readonly [name: string]: Field;
}

type KindOf<T> = T extends string
  ? Text
  : T extends number
    ? Whole
    : T extends boolean
      ? 'boolean'
      : T extends readonly (infer Item)[]
        ? { readonly list: unknown extends Item ? Field : KindOf<Item> }
        : { readonly [K in keyof T]-?: KindOf<T[K]> };

/** Every named field of an open record. */
type FieldsOf<T> = {
  readonly [K in keyof T as string extends K ? never : K]-?: KindOf<NonNullable<T[K]>>;
};

interface Types {
  Workspace: R.Workspace;
  Member: R.Member;
  Invitation: R.Invitation;
  Viewer: R.Viewer;
  Project: R.Project;
  Contract: R.Contract;
  Task: R.Task;
  Assignee: R.Assignee;
  Timesheet: R.Timesheet;
  Leave: R.Leave;
  LeaveBalance: R.LeaveBalance;
  LeavePolicy: R.LeavePolicy;
  TimeRequest: R.TimeRequest;
  Expense: R.Expense;
  ExpenseCategory: R.ExpenseCategory;
  Stopped: R.Stopped;
  Webhook: R.Webhook;
}

export type RecordName = keyof Types;

const person = { email: 'email', firstname: 'string', lastname: 'string' } as const;
const dates = { created_at: 'date-time', updated_at: 'date-time', deleted_at: 'date-time' } as const;

export const RECORDS: { readonly [Name in RecordName]: FieldsOf<Types[Name]> } = {
  Workspace: {
    id: 'integer',
    owner_id: 'integer',
    user_id: 'integer',
    workspace_name: 'string',
    role: 'string',
    status: 'string',
    created_at: 'date-time',
    activated_at: 'date-time',
  },
  Member: {
    id: 'integer',
    ...person,
    avatar: 'string',
    current_role: 'string',
    timezone: 'string',
    status: 'string',
    team_name: 'string',
    title: 'string',
    birth_date: 'date',
    hired_at: 'date-time',
    preferred_timezone: 'string',
    settings_max_inactive_minutes: 'integer',
    currency: 'string',
    rate: 'number',
    rate_type: 'string',
    rate_status: 'integer',
    tax_country: 'string',
    tax_state: 'string',
    is_blocked: 'boolean',
    weekly_hours_limit: 'integer',
    screenshots: 'string',
    ...dates,
  },
  Invitation: { user_id: 'integer', invitation_link: 'uri' },
  Viewer: {
    id: 'integer',
    ...person,
    status: 'string',
    member_since: 'date-time',
    projects: { list: { project_id: 'integer', project_name: 'string' } },
  },
  Project: {
    id: 'integer',
    name: 'string',
    owner_id: 'integer',
    start_date: 'string',
    deadline: 'string',
    estimation: 'number',
    budget_estimation: 'number',
    notes: 'string',
    icon: 'string',
    is_billable: 'boolean',
    rate: 'number',
    weekly_hours_limit: 'integer',
    screenshots: 'string',
    tags: { list: { id: 'integer', name: 'string', color: 'string' } },
    contracts_count: 'integer',
    status: 'integer',
    ...dates,
  },
  Contract: {
    id: 'integer',
    project_id: 'integer',
    project_name: 'string',
    project_icon: 'string',
    user_id: 'integer',
    user_firstname: 'string',
    user_lastname: 'string',
    user_email: 'email',
    user_role: 'string',
    weekly_hours_limit: 'integer',
    screenshots: 'string',
    screenshots_label: 'string',
    rate: 'number',
    rate_type: 'integer',
    status: 'string',
  },
  Task: {
    id: 'integer',
    title: 'string',
    description: 'string',
    project_id: 'integer',
    owner_id: 'integer',
    creator_id: 'integer',
    status: 'integer',
    priority: 'integer',
    start_date: 'string',
    end_date: 'string',
    completed_at: 'date-time',
    assignees: { list: {} },
    ...dates,
  },
  Assignee: { id: 'integer', ...person, user_id: 'integer', task_id: 'integer', assigner_id: 'integer' },
  Timesheet: {
    id: 'string',
    user_id: 'integer',
    date_from: 'date',
    date_to: 'date',
    total_hours: 'number',
    submitted_on: 'date-time',
    reject_reason: 'string',
    status: 'string',
  },
  Leave: {
    id: 'string',
    user_id: 'integer',
    status: 'string',
    note: 'string',
    is_paid: 'string',
    policy_id: 'integer',
    created_by: 'integer',
    approved_by: 'integer',
    rejected_by: 'integer',
    reject_reason: 'string',
    start_date: 'string',
    end_date: 'string',
    created_on: 'date-time',
    total: { days: 'number', hours: 'number' },
  },
  LeaveBalance: {
    user_id: 'integer',
    user_name: 'string',
    leave_information: { list: { leave_type: 'string', balance: 'string' } },
    total_balance: 'string',
  },
  LeavePolicy: {
    id: 'integer',
    name: 'string',
    is_paid: 'boolean',
    time_unit: 'string',
    duration: 'number',
    hours_per_day: 'number',
    allow_negative_balance: 'boolean',
    reason_required: 'boolean',
  },
  TimeRequest: {
    id: 'string',
    user_id: 'integer',
    contract_id: 'integer',
    project_id: 'integer',
    task_id: 'integer',
    start: 'date-time',
    end: 'date-time',
    status: 'string',
    notes: 'string',
    comment: 'string',
    updated_by: 'integer',
    created_at: 'date-time',
    updated_at: 'date-time',
  },
  Expense: {
    id: 'string',
    member: 'string',
    expense_name: 'string',
    expense_date: 'string',
    project: 'string',
    category: 'string',
    amount: 'number',
    note: 'string',
    type: 'string',
    added_dte: 'string',
  },
  ExpenseCategory: { id: 'string', name: 'string' },
  Stopped: { stopped_at: 'date-time' },
  Webhook: { id: 'string', url: 'uri', events: { list: 'string' }, token: 'string' },
};

const OF_NOUN: Readonly<Record<string, RecordName>> = {
  workspaces: 'Workspace',
  members: 'Member',
  viewers: 'Viewer',
  projects: 'Project',
  contracts: 'Contract',
  tasks: 'Task',
  timesheets: 'Timesheet',
  leaves: 'Leave',
  'time-requests': 'TimeRequest',
  expenses: 'Expense',
  webhooks: 'Webhook',
};

const OF_OPERATION: Readonly<Record<string, RecordName>> = {
  'members.invite': 'Invitation',
  'tasks.assignees': 'Assignee',
  'tasks.assign': 'Assignee',
  'leaves.balances': 'LeaveBalance',
  'leaves.policies': 'LeavePolicy',
  'expenses.categories': 'ExpenseCategory',
  'time-tracking.stop': 'Stopped',
};

/** Which record an operation answers with, by its id. */
export const recordNameOf = (id: string): RecordName | undefined =>
  OF_OPERATION[id] ?? OF_NOUN[id.split('.')[0] ?? ''];
