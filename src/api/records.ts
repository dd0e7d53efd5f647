import { isNumber, toNumber, toText } from '../json.ts';
import {
  APPROVED,
  ARCHIVED,
  arrayOf,
  boolean,
  date,
  datetime,
  decisionStates,
  defineRecord,
  email,
  type FieldsRecord,
  findState,
  integer,
  isArchived,
  isInState,
  number,
  object,
  person,
  REJECTED,
  type RecordFacts,
  SUBMITTED,
  state,
  text,
  timestamps,
  toState,
  uri,
  withDisplay,
} from './fields.ts';

/** What is true of the service's records: data only. How they are shown and written is in `resources/`. */

export const workspace = defineRecord({
  noun: 'workspaces',
  words: ['workspace', 'workspaces'],
  fields: {
    id: integer,
    owner_id: integer,
    user_id: integer,
    workspace_name: text,
    role: text,
    status: text,
    created_at: datetime,
    activated_at: datetime,
  },
});

export const OWNER = 'Owner';
export const PROJECT_VIEWER = 'Project viewer';
const EXECUTIVE_MANAGER = 'Executive manager';
/** Whom nobody named: without the owner a workspace could not go on. Whether the service refuses that is not known. */
export function isOfferedToArchive(row: Readonly<Record<string, unknown>>): boolean {
  return !isArchived(row) && row['current_role'] !== OWNER;
}

/** Roles that may use the API (docs/service.md, Access). */
export const API_ROLES: readonly unknown[] = [OWNER, EXECUTIVE_MANAGER];

export const ROLES = [
  OWNER,
  PROJECT_VIEWER,
  EXECUTIVE_MANAGER,
  'Team manager',
  'Project manager',
  'Regular User',
] as const;
export const ASSIGNABLE_ROLES = [
  'Regular User',
  'Project manager',
  'Team manager',
  EXECUTIVE_MANAGER,
  PROJECT_VIEWER,
] as const;
/** Whether others see a member's rate. */
export const RATE_STATUS = { hidden: 0, visible: 1 } as const;

export const member = defineRecord({
  noun: 'members',
  words: ['member', 'members'],
  states: ['active', 'inactive', 'left', 'unknown'],
  shownAs: { role: 'current_role', remove_avatar: 'avatar' },
  fields: {
    id: integer,
    ...person,
    avatar: text,
    current_role: withDisplay(text, { title: 'role', values: ROLES }),
    timezone: withDisplay(text, { title: 'time zone' }),
    status: state,
    team_name: withDisplay(text, { title: 'team' }),
    title: text,
    birth_date: date,
    hired_at: withDisplay(datetime, { title: 'hired', kind: 'date' }),
    preferred_timezone: withDisplay(text, { title: 'preferred time zone' }),
    settings_max_inactive_minutes: withDisplay(integer, { title: 'maximum inactive minutes' }),
    currency: text,
    rate: withDisplay(number, { kind: 'money' }),
    rate_type: text,
    rate_status: withDisplay(integer, { title: 'rate from', words: RATE_STATUS }),
    tax_country: text,
    tax_state: text,
    is_blocked: withDisplay(boolean, { title: 'blocked' }),
    weekly_hours_limit: withDisplay(integer, { title: 'hours a week' }),
    screenshots: text,
    ...timestamps,
  },
});
/** In a word why a member does no work: `archived`, `gone`, `inactive`; undefined where nothing says so. */
export function explainAbsence(row: Readonly<Record<string, unknown>>): string | undefined {
  if (isArchived(row)) return ARCHIVED;
  const state = findState(member, row);
  if (state === 'left') return 'gone';
  const isUnsaid = typeof row.status !== 'string' || state === 'active' || state === 'unknown';
  return isUnsaid ? undefined : (state ?? toText(row.status));
}

export const invitationFields = { user_id: integer, invitation_link: uri } as const;

/** The document gives a viewer no `deleted_at`; an archived one is said to have left. */
export function hasLeft(row: Readonly<Record<string, unknown>>): boolean {
  return isArchived(row) || toState(row.status) === 'left';
}

export const viewer = defineRecord({
  noun: 'viewers',
  words: ['viewer', 'viewers'],
  fields: {
    id: integer,
    ...person,
    status: state,
    member_since: withDisplay(datetime, { title: 'since', kind: 'date' }),
    projects: arrayOf(object({ project_id: integer, project_name: text })),
  },
});

/** Other numbers have no known word. */
export const PROJECT_STATUS = { active: 1 } as const;

export const project = defineRecord({
  noun: 'projects',
  words: ['project', 'projects'],
  // docs/service.md, Projects
  shownAs: { budget: 'budget_estimation' },
  fields: {
    id: integer,
    name: text,
    owner_id: integer,
    start_date: withDisplay(text, { title: 'start', kind: 'date' }),
    deadline: withDisplay(text, { kind: 'date' }),
    estimation: withDisplay(number, { title: 'estimate', kind: 'hours' }),
    budget_estimation: withDisplay(number, { title: 'budget', kind: 'money' }),
    notes: text,
    icon: text,
    is_billable: withDisplay(boolean, { title: 'billable' }),
    rate: withDisplay(number, { kind: 'money' }),
    weekly_hours_limit: integer,
    screenshots: text,
    tags: arrayOf(object({ id: integer, name: text, color: text })),
    contracts_count: withDisplay(integer, { title: 'contracts', kind: 'number' }),
    status: withDisplay(integer, { kind: 'state' }),
    ...timestamps,
  },
});

export const SCREENSHOTS = [
  'full',
  'blurred',
  'no_preview',
  'no_screenshot',
  'background_blurred',
  'video_full',
  'video_blurred',
  'video_full_silent',
  'video_blurred_silent',
] as const;
/** Whose rate counts. */
export const RATE_TYPE = { custom: 1, "member's": 2, "project's": 3 } as const;

/** Whether the rate that a contract shows is its own: not the member's, nor the project's. */
export function hasOwnRate({ rate_type: type }: Readonly<Record<string, unknown>>): boolean {
  return ![RATE_TYPE["member's"], RATE_TYPE["project's"]].some((other) => other === toNumber(type));
}

/** Whether time may be booked on a contract, as far as it says. */
export function isRunning(row: Readonly<Record<string, unknown>>): boolean {
  return row.status === undefined || isInState(contract, row, contract.states[0]);
}

/** Why it does not tell who may book time on it; undefined where it does. */
export function findContractProblem(row: Readonly<Record<string, unknown>>): string | undefined {
  if (row.user_id == null) return 'its member cannot be read';
  const isSaid = row.status === undefined || findState(contract, row) !== undefined;
  return isSaid ? undefined : 'its status cannot be read';
}

/** Hours of a week. */
const HOURS_PER_WEEK = 168;

/** The service takes any limit; one that no week reaches is most likely a slip: 400 for 40. */
export function describeWeekLimit({ weekly_hours_limit: limit }: Readonly<Record<string, unknown>>) {
  return isNumber(limit) && Number(limit) > HOURS_PER_WEEK
    ? `a weekly limit of ${limit} hours has no effect: a week has ${HOURS_PER_WEEK}`
    : undefined;
}

export const contract = defineRecord({
  noun: 'contracts',
  words: ['contract', 'contracts'],
  states: ['active', 'paused'],
  fields: {
    id: integer,
    project_id: integer,
    project_name: text,
    project_icon: text,
    user_id: integer,
    user_firstname: text,
    user_lastname: text,
    user_email: email,
    user_role: text,
    weekly_hours_limit: withDisplay(integer, { title: 'h/week', kind: 'number' }),
    screenshots: text,
    screenshots_label: text,
    rate: withDisplay(number, { kind: 'money' }),
    rate_type: withDisplay(integer, { title: 'rate from', words: RATE_TYPE }),
    status: state,
  },
});

export const TASK_STATUS = { open: 0, 'in-progress': 10, done: 20, closed: 30 } as const;
export const TASK_PRIORITY = { urgent: 10, high: 20, normal: 30, low: 40 } as const;

export const task = defineRecord({
  noun: 'tasks',
  words: ['task', 'tasks'],
  fields: {
    id: integer,
    title: text,
    description: text,
    project_id: integer,
    owner_id: integer,
    creator_id: integer,
    status: withDisplay(integer, { kind: 'state', words: TASK_STATUS }),
    priority: withDisplay(integer, { kind: 'state', words: TASK_PRIORITY }),
    start_date: withDisplay(text, { title: 'start', kind: 'date' }),
    end_date: withDisplay(text, { title: 'due', kind: 'date' }),
    completed_at: withDisplay(datetime, { title: 'completed' }),
    assignees: arrayOf(object({})),
    ...timestamps,
  },
});
export const assigneeFields = {
  id: integer,
  ...person,
  user_id: integer,
  task_id: integer,
  assigner_id: integer,
} as const;

export const timesheet = defineRecord({
  noun: 'timesheets',
  words: ['timesheet', 'timesheets'],
  states: ['open', SUBMITTED, REJECTED, APPROVED],
  // So newer generations of the service call it.
  aliases: { open: 'pending' },
  shownAs: { reason: 'reject_reason' },
  decisive: ['status', 'date_from', 'date_to', 'total_hours'],
  fields: {
    id: text,
    user_id: integer,
    date_from: withDisplay(date, { title: 'from' }),
    date_to: withDisplay(date, { title: 'to' }),
    total_hours: withDisplay(number, { title: 'hours', kind: 'hours' }),
    submitted_on: withDisplay(datetime, { title: 'submitted' }),
    reject_reason: text,
    status: state,
  },
});

export const leave = defineRecord({
  noun: 'leaves',
  words: ['leave request', 'leave requests'],
  states: decisionStates,
  shownAs: { reason: 'reject_reason' },
  decisive: ['status', 'start_date', 'end_date', 'total'],
  fields: {
    id: text,
    user_id: integer,
    status: state,
    note: text,
    is_paid: withDisplay(text, { title: 'paid' }),
    policy_id: integer,
    created_by: integer,
    approved_by: integer,
    rejected_by: integer,
    reject_reason: text,
    start_date: withDisplay(text, { title: 'from', kind: 'date' }),
    end_date: withDisplay(text, { title: 'to', kind: 'date' }),
    created_on: withDisplay(datetime, { title: 'requested' }),
    total: object({ days: number, hours: number }),
  },
});
export const leaveBalanceFields = {
  user_id: integer,
  user_name: withDisplay(text, { title: 'member' }),
  leave_information: arrayOf(object({ leave_type: text, balance: text })),
  total_balance: withDisplay(text, { title: 'total' }),
} as const;

export const leavePolicy = defineRecord({
  noun: 'leaves',
  words: ['leave policy', 'leave policies'],
  fields: {
    id: integer,
    name: text,
    is_paid: withDisplay(boolean, { title: 'paid' }),
    time_unit: text,
    duration: withDisplay(number, { title: 'allowance' }),
    hours_per_day: withDisplay(number, { title: 'h/day', kind: 'number' }),
    allow_negative_balance: withDisplay(boolean, { title: 'may go negative' }),
    reason_required: withDisplay(boolean, { title: 'reason needed' }),
  },
});

export const timeRequest = defineRecord({
  noun: 'time-requests',
  words: ['time request', 'time requests'],
  states: decisionStates,
  decisive: ['status', 'start', 'end'],
  fields: {
    id: text,
    user_id: integer,
    contract_id: withDisplay(integer, { title: 'contract' }),
    project_id: integer,
    task_id: withDisplay(integer, { title: 'task' }),
    start: datetime,
    end: datetime,
    status: state,
    notes: text,
    comment: text,
    updated_by: integer,
    created_at: withDisplay(datetime, { title: 'created' }),
    updated_at: withDisplay(datetime, { title: 'updated' }),
  },
});

/** The words of a record for `is_billable`. */
const BILLING = { billable: true, 'non-billable': false } as const;

export const expense = defineRecord({
  noun: 'expenses',
  words: ['expense', 'expenses'],
  decisive: ['expense_name', 'expense_date', 'amount'],
  shownAs: { date: 'expense_date', category_id: 'category', project_id: 'project', is_billable: 'type' },
  written: { type: BILLING },
  fields: {
    id: text,
    member: text,
    expense_name: withDisplay(text, { title: 'name' }),
    expense_date: withDisplay(text, { title: 'date', kind: 'date' }),
    project: text,
    category: text,
    amount: withDisplay(number, { kind: 'money' }),
    note: text,
    type: withDisplay(text, { title: 'billing' }),
    added_dte: withDisplay(text, { title: 'added', kind: 'date' }),
  },
});

export const expenseCategory = defineRecord({
  noun: 'expenses',
  words: ['expense category', 'expense categories'],
  fields: { id: text, name: text },
});

/** Known event names; the list is not complete, others are accepted. */
export const WEBHOOK_EVENTS = [
  'tracker.started',
  'tracker.stopped',
  'member.invited',
  'member.updated',
  'member.deleted',
  'member.activated',
  'member.archived',
  'project.created',
  'project.updated',
  'project.deleted',
] as const;

export const webhook = defineRecord({
  noun: 'webhooks',
  words: ['webhook', 'webhooks'],
  fields: {
    id: text,
    url: withDisplay(uri, { kind: 'address' }),
    events: arrayOf(text),
    token: withDisplay(text, { kind: 'secret' }),
  },
});

/** What a tracker leaves; nothing shows one that runs. */
export const tracker = defineRecord({
  noun: 'time-tracking',
  words: ['tracker', 'trackers'],
  fields: { stopped_at: datetime },
});

/** The records of the service by the names of their schemas. */
export const RECORDS = {
  Workspace: workspace.fields,
  Member: member.fields,
  Invitation: invitationFields,
  Viewer: viewer.fields,
  Project: project.fields,
  Contract: contract.fields,
  Task: task.fields,
  Assignee: assigneeFields,
  Timesheet: timesheet.fields,
  Leave: leave.fields,
  LeaveBalance: leaveBalanceFields,
  LeavePolicy: leavePolicy.fields,
  TimeRequest: timeRequest.fields,
  Expense: expense.fields,
  ExpenseCategory: expenseCategory.fields,
  Stopped: tracker.fields,
  Webhook: webhook.fields,
} as const;

const RESOURCES: readonly RecordFacts[] = [
  member,
  viewer,
  project,
  contract,
  task,
  timesheet,
  leave,
  timeRequest,
  expense,
  webhook,
];

/** By the noun of its commands. */
export function findRecordFacts(noun: string): RecordFacts | undefined {
  return RESOURCES.find((resource) => resource.noun === noun);
}

export type RecordName = keyof typeof RECORDS;
export type ServiceRecords = { readonly [Name in RecordName]: FieldsRecord<(typeof RECORDS)[Name]> };
