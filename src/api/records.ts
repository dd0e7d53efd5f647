import { toNumber } from '../json.ts';
import {
  APPROVED,
  arrayOf,
  boolean,
  date,
  datetime,
  decisionStates,
  each,
  type Fields,
  findState,
  integer,
  isArchived,
  isInState,
  money,
  number,
  object,
  person,
  REJECTED,
  type RecordFacts,
  type Row,
  SUBMITTED,
  state,
  text,
  timestamps,
  toState,
  uri,
} from './fields.ts';

/** What is true of the service's records: data only. How they are shown and written is in `resources/`. */

export const workspace = {
  noun: 'workspaces',
  namedBy: 'workspace_name',
  words: ['workspace', 'workspaces'],
  fields: {
    ...each(integer, 'id', 'owner_id', 'user_id'),
    ...each(text, 'workspace_name', 'role', 'status'),
    ...each(datetime, 'created_at', 'activated_at'),
  },
} as const satisfies RecordFacts;

export const OWNER = 'Owner';
export const PROJECT_VIEWER = 'Project viewer';
const EXECUTIVE_MANAGER = 'Executive manager';
/** Roles that may use the API (docs/service.md, Access). */
export const API_ROLES: readonly unknown[] = [OWNER, EXECUTIVE_MANAGER];

export const ASSIGNABLE_ROLES = [
  'Regular User',
  'Project manager',
  'Team manager',
  EXECUTIVE_MANAGER,
  PROJECT_VIEWER,
] as const;
export const ROLES = [OWNER, ...ASSIGNABLE_ROLES] as const;
/** Whether others see a member's rate. */
export const RATE_STATUS = { hidden: 0, visible: 1 } as const;

export const member = {
  noun: 'members',
  namedBy: 'email',
  words: ['member', 'members'],
  states: ['active', 'inactive', 'left', 'unknown'],
  shownAs: { role: 'current_role', remove_avatar: 'avatar' },
  fields: {
    id: integer,
    ...person,
    avatar: text,
    current_role: { ...text, title: 'role', values: ROLES },
    timezone: { ...text, title: 'time zone' },
    status: state,
    team_name: { ...text, title: 'team' },
    title: text,
    birth_date: date,
    hired_at: { ...datetime, title: 'hired', kind: 'date' },
    preferred_timezone: { ...text, title: 'preferred time zone' },
    settings_max_inactive_minutes: { ...integer, title: 'maximum inactive minutes' },
    currency: text,
    rate: money,
    rate_type: text,
    rate_status: { ...integer, title: 'rate visibility', words: RATE_STATUS },
    ...each(text, 'tax_country', 'tax_state'),
    is_blocked: { ...boolean, title: 'blocked' },
    weekly_hours_limit: { ...integer, title: 'hours a week' },
    screenshots: text,
    ...timestamps,
  },
} as const satisfies RecordFacts;

/** The document gives a viewer no `deleted_at`; an archived one is said to have left. */
export function hasLeft(row: Row): boolean {
  return isArchived(row) || toState(row.status) === 'left';
}

export const viewer = {
  noun: 'viewers',
  namedBy: 'email',
  words: ['viewer', 'viewers'],
  fields: {
    id: integer,
    ...person,
    status: state,
    member_since: { ...datetime, title: 'since', kind: 'date' },
    projects: arrayOf(object({ project_id: integer, project_name: text })),
  },
} as const satisfies RecordFacts;

export const project = {
  noun: 'projects',
  namedBy: 'name',
  words: ['project', 'projects'],
  // docs/service.md, Projects
  shownAs: { budget: 'budget_estimation' },
  fields: {
    id: integer,
    name: text,
    owner_id: integer,
    start_date: { ...date, title: 'start' },
    deadline: date,
    estimation: { ...number, title: 'estimate', kind: 'hours' },
    budget_estimation: { ...money, title: 'budget' },
    ...each(text, 'notes', 'icon'),
    is_billable: { ...boolean, title: 'billable' },
    rate: money,
    weekly_hours_limit: integer,
    screenshots: text,
    tags: arrayOf(object({ id: integer, name: text, color: text })),
    contracts_count: { ...integer, title: 'contracts', kind: 'number' },
    status: { ...integer, kind: 'state' },
    ...timestamps,
  },
} as const satisfies RecordFacts;

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
export function hasOwnRate({ rate_type: type }: Row): boolean {
  return ![RATE_TYPE["member's"], RATE_TYPE["project's"]].some((other) => other === toNumber(type));
}

/** Whether time may be booked on a contract, as far as it says. */
export function isRunning(row: Row): boolean {
  return row.status === undefined || isInState(contract, row, contract.states[0]);
}

/** Why it does not tell who may book time on it; undefined where it does. */
export function findContractProblem(row: Row): string | undefined {
  if (row.user_id == null) return 'its member cannot be read';
  const isSaid = row.status === undefined || findState(contract, row) !== undefined;
  return isSaid ? undefined : 'its status cannot be read';
}

export const contract = {
  noun: 'contracts',
  words: ['contract', 'contracts'],
  states: ['active', 'paused'],
  fields: {
    ...each(integer, 'id', 'project_id'),
    ...each(text, 'project_name', 'project_icon'),
    user_id: integer,
    ...each(text, 'user_firstname', 'user_lastname', 'user_email', 'user_role'),
    weekly_hours_limit: { ...integer, title: 'h/week', kind: 'number' },
    ...each(text, 'screenshots', 'screenshots_label'),
    rate: money,
    rate_type: { ...integer, title: 'rate from', words: RATE_TYPE },
    status: state,
  },
} as const satisfies RecordFacts;

export const TASK_STATUS = { open: 0, 'in-progress': 10, done: 20, closed: 30 } as const;
export const TASK_PRIORITY = { urgent: 10, high: 20, normal: 30, low: 40 } as const;

export const task = {
  noun: 'tasks',
  words: ['task', 'tasks'],
  fields: {
    id: integer,
    ...each(text, 'title', 'description'),
    ...each(integer, 'project_id', 'owner_id', 'creator_id'),
    status: { ...integer, kind: 'state', words: TASK_STATUS },
    priority: { ...integer, kind: 'state', words: TASK_PRIORITY },
    start_date: { ...date, title: 'start' },
    end_date: { ...date, title: 'due' },
    completed_at: { ...datetime, title: 'completed' },
    assignees: arrayOf(object({})),
    ...timestamps,
  },
} as const satisfies RecordFacts;
export const assigneeFields = {
  id: integer,
  ...person,
  ...each(integer, 'user_id', 'task_id', 'assigner_id'),
} as const;

export const timesheet = {
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
    date_from: { ...date, title: 'from' },
    date_to: { ...date, title: 'to' },
    total_hours: { ...number, title: 'hours', kind: 'hours' },
    submitted_on: { ...datetime, title: 'submitted' },
    reject_reason: text,
    status: state,
  },
} as const satisfies RecordFacts;

export const leave = {
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
    is_paid: { ...text, title: 'paid' },
    policy_id: integer,
    ...each(integer, 'created_by', 'approved_by', 'rejected_by'),
    reject_reason: text,
    start_date: { ...date, title: 'from' },
    end_date: { ...date, title: 'to' },
    created_on: { ...datetime, title: 'requested' },
    total: object({ days: number, hours: number }),
  },
} as const satisfies RecordFacts;
export const leaveBalanceFields = {
  user_id: integer,
  user_name: { ...text, title: 'member' },
  leave_information: arrayOf(object({ leave_type: text, balance: text })),
  total_balance: { ...text, title: 'total' },
} as const;

export const leavePolicy = {
  noun: 'leaves',
  listedBy: 'policies',
  namedBy: 'name',
  words: ['leave policy', 'leave policies'],
  fields: {
    id: integer,
    name: text,
    is_paid: { ...boolean, title: 'paid' },
    time_unit: text,
    duration: { ...number, title: 'allowance' },
    hours_per_day: { ...number, title: 'h/day', kind: 'number' },
    allow_negative_balance: { ...boolean, title: 'may go negative' },
    reason_required: { ...boolean, title: 'reason needed' },
  },
} as const satisfies RecordFacts;

export const timeRequest = {
  noun: 'time-requests',
  words: ['time request', 'time requests'],
  states: decisionStates,
  decisive: ['status', 'start', 'end'],
  fields: {
    id: text,
    user_id: integer,
    contract_id: { ...integer, title: 'contract' },
    project_id: integer,
    task_id: { ...integer, title: 'task' },
    ...each(datetime, 'start', 'end'),
    status: state,
    ...each(text, 'notes', 'comment'),
    updated_by: integer,
    created_at: timestamps.created_at,
    updated_at: timestamps.updated_at,
  },
} as const satisfies RecordFacts;

/** The words of a record for `is_billable`. */
const BILLING = { billable: true, 'non-billable': false } as const;

export const expense = {
  noun: 'expenses',
  words: ['expense', 'expenses'],
  decisive: ['expense_name', 'expense_date', 'amount'],
  shownAs: { date: 'expense_date', category_id: 'category', project_id: 'project', is_billable: 'type' },
  written: { type: BILLING },
  fields: {
    ...each(text, 'id', 'member'),
    expense_name: { ...text, title: 'name' },
    expense_date: { ...date, title: 'date' },
    ...each(text, 'project', 'category'),
    amount: money,
    note: text,
    type: { ...text, title: 'billing' },
    added_dte: { ...date, title: 'added' },
  },
} as const satisfies RecordFacts;

export const expenseCategory = {
  noun: 'expenses',
  listedBy: 'categories',
  namedBy: 'name',
  words: ['expense category', 'expense categories'],
  fields: each(text, 'id', 'name'),
} as const satisfies RecordFacts;

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

export const webhook = {
  noun: 'webhooks',
  words: ['webhook', 'webhooks'],
  fields: {
    id: text,
    url: { ...uri, kind: 'address' },
    events: arrayOf(text),
    token: { ...text, kind: 'secret' },
  },
} as const satisfies RecordFacts;

/** What a tracker leaves; nothing shows one that runs. */
export const tracker = {
  noun: 'time-tracking',
  words: ['tracker', 'trackers'],
  fields: { stopped_at: datetime },
} as const satisfies RecordFacts;

/** Resources that people name on a command line, by their word for one. Of those with one noun its own comes first. */
const NAMED = {
  ...{ member, viewer, project, contract, task, timesheet, leave, policy: leavePolicy },
  ...{ 'time-request': timeRequest, expense, category: expenseCategory, webhook, workspace },
} as const;

export type RecordKind = keyof typeof NAMED;
export const KINDS: Readonly<Record<RecordKind, RecordFacts>> = NAMED;
export const RECORD_KINDS = Object.keys(NAMED) as readonly RecordKind[];

/** What answers hold beside them. */
const OTHERS = {
  ...{ invitation: { user_id: integer, invitation_link: uri }, assignee: assigneeFields },
  ...{ balance: leaveBalanceFields, tracker: tracker.fields },
};
export type RecordName = RecordKind | keyof typeof OTHERS;

export const RECORDS = {
  ...(Object.fromEntries(RECORD_KINDS.map((kind) => [kind, KINDS[kind].fields])) as Record<
    RecordKind,
    Fields
  >),
  ...OTHERS,
};

/** Kinds that a name or an address is looked up for; a workspace is found before all others. */
export type NamedKind = Exclude<
  {
    readonly [K in RecordKind]: (typeof NAMED)[K] extends { readonly namedBy: string } ? K : never;
  }[RecordKind],
  'workspace'
>;

export function isNamedKind(kind: RecordKind): kind is NamedKind {
  return kind !== 'workspace' && KINDS[kind].namedBy !== undefined;
}

export function getListId(kind: RecordKind): string {
  const { noun, listedBy = 'list' } = KINDS[kind];
  return `${noun}.${listedBy}`;
}

export function findKindOfOperation(id: string): RecordKind | undefined {
  return RECORD_KINDS.find((kind) => getListId(kind) === id) ?? findKindOfNoun(id.split('.')[0] ?? '');
}

/** `timesheet` of `timesheets`. */
export function findKindOfNoun(noun: string): RecordKind | undefined {
  return RECORD_KINDS.find((kind) => KINDS[kind].noun === noun);
}

export function findRecordFacts(noun: string): RecordFacts | undefined {
  return Object.values(KINDS).find((record) => record.noun === noun);
}
