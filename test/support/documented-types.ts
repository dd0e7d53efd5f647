/**
 * What the answers of the service are made of, written from docs/service.md, not from the code.
 * A field may be left out of a record; null it is only where `or null` says so.
 */

type Text = 'string' | 'email' | 'url' | 'date' | 'date-time' | 'role' | 'member status' | 'zone';
type Plain = Text | 'integer' | 'number' | 'boolean' | 'id';
type Type = Plain | `${Plain} or null` | readonly [Type] | Fields;
export interface Fields {
  readonly [name: string]: Type;
}

/** docs/service.md, Members: every field but `deleted_at` has one type. */
const MEMBER: Fields = {
  id: 'integer',
  email: 'email',
  firstname: 'string',
  lastname: 'string',
  avatar: 'string',
  current_role: 'role',
  timezone: 'zone',
  status: 'member status',
  team_name: 'string',
  title: 'string',
  birth_date: 'date',
  hired_at: 'date-time',
  preferred_timezone: 'zone',
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
  created_at: 'date-time',
  updated_at: 'date-time',
  deleted_at: 'date-time or null',
};

/** docs/service.md, Project viewers; the items of `projects` are found. */
const VIEWER: Fields = {
  id: 'integer',
  email: 'email',
  firstname: 'string',
  lastname: 'string',
  status: 'string',
  member_since: 'date-time',
  projects: [{ project_id: 'integer', project_name: 'string' }],
};

/** The answer to an assignment (docs/service.md, Tasks). */
const ASSIGNEE: Fields = {
  id: 'integer',
  firstname: 'string or null',
  lastname: 'string or null',
  email: 'string or null',
  user_id: 'integer or null',
  task_id: 'integer or null',
  assigner_id: 'integer or null',
};

/** docs/service.md, Webhooks. */
const WEBHOOK: Fields = { id: 'string', url: 'url', events: ['string'], token: 'string' };

// The fields of the records below are found or assumed. Those that nobody has set are null.

const WORKSPACE: Fields = {
  id: 'integer',
  owner_id: 'integer',
  user_id: 'integer',
  workspace_name: 'string',
  role: 'role',
  status: 'member status',
  created_at: 'date-time',
  activated_at: 'date-time or null',
};

const PROJECT: Fields = {
  id: 'integer',
  name: 'string',
  owner_id: 'integer',
  start_date: 'date or null',
  deadline: 'date or null',
  estimation: 'number or null',
  budget_estimation: 'number or null',
  notes: 'string or null',
  icon: 'string or null',
  is_billable: 'boolean',
  rate: 'number or null',
  weekly_hours_limit: 'integer',
  screenshots: 'string',
  tags: [{ id: 'integer', name: 'string', color: 'string' }],
  contracts_count: 'integer',
  status: 'integer',
  created_at: 'date-time',
  updated_at: 'date-time',
  deleted_at: 'date-time or null',
};

const CONTRACT: Fields = {
  id: 'integer',
  project_id: 'integer',
  project_name: 'string',
  project_icon: 'string or null',
  user_id: 'integer',
  user_firstname: 'string',
  user_lastname: 'string',
  user_email: 'email',
  user_role: 'role',
  weekly_hours_limit: 'integer',
  screenshots: 'string',
  screenshots_label: 'string',
  rate: 'number or null',
  rate_type: 'integer',
  status: 'string',
};

const TASK: Fields = {
  id: 'integer',
  title: 'string',
  description: 'string or null',
  project_id: 'integer',
  owner_id: 'integer',
  creator_id: 'integer',
  status: 'integer',
  priority: 'integer or null',
  start_date: 'date or null',
  end_date: 'date or null',
  completed_at: 'date-time or null',
  assignees: [ASSIGNEE],
  created_at: 'date-time',
  updated_at: 'date-time',
  deleted_at: 'date-time or null',
};

const TIMESHEET: Fields = {
  id: 'id',
  user_id: 'integer',
  date_from: 'date',
  date_to: 'date',
  total_hours: 'number',
  submitted_on: 'date-time or null',
  reject_reason: 'string or null',
  status: 'string',
};

const LEAVE: Fields = {
  id: 'id',
  user_id: 'integer',
  status: 'string',
  note: 'string or null',
  is_paid: 'string',
  policy_id: 'integer',
  created_by: 'integer',
  approved_by: 'integer or null',
  rejected_by: 'integer or null',
  reject_reason: 'string or null',
  start_date: 'date',
  end_date: 'date',
  created_on: 'date-time',
  total: { days: 'number', hours: 'number' },
};

const BALANCE: Fields = {
  user_id: 'integer',
  user_name: 'string',
  leave_information: [{ leave_type: 'string', balance: 'string' }],
  total_balance: 'string',
};

const POLICY: Fields = {
  id: 'integer',
  name: 'string',
  is_paid: 'boolean',
  time_unit: 'string',
  duration: 'number',
  hours_per_day: 'number',
  allow_negative_balance: 'boolean',
  reason_required: 'boolean',
};

const TIME_REQUEST: Fields = {
  id: 'id',
  user_id: 'integer',
  contract_id: 'integer',
  project_id: 'integer',
  task_id: 'integer or null',
  start: 'date-time',
  end: 'date-time',
  status: 'string',
  notes: 'string or null',
  comment: 'string or null',
  updated_by: 'integer or null',
  created_at: 'date-time',
  updated_at: 'date-time',
};

const EXPENSE: Fields = {
  id: 'id',
  member: 'string',
  expense_name: 'string',
  expense_date: 'string',
  project: 'string or null',
  category: 'string or null',
  amount: 'number',
  note: 'string or null',
  type: 'string',
  added_dte: 'string',
};

const CATEGORY: Fields = { id: 'id', name: 'string' };

/** `data` of every answer that has some; of every other operation it is null, or there is none (webhooks). */
export const DATA: Readonly<Record<string, Type>> = {
  'GET /workspaces': [WORKSPACE],
  'GET /members': [MEMBER],
  'POST /members': { user_id: 'integer', invitation_link: 'url' },
  'GET /members/{memberId}': MEMBER,
  'GET /project-viewers': [VIEWER],
  'POST /project-viewers': VIEWER,
  'GET /project-viewers/{viewerId}': VIEWER,
  'GET /projects': [PROJECT],
  'POST /projects': PROJECT,
  'GET /projects/{projectId}': PROJECT,
  'GET /contracts': [CONTRACT],
  'POST /contracts': CONTRACT,
  'GET /contracts/{contractId}': CONTRACT,
  'GET /tasks': [TASK],
  'POST /tasks': TASK,
  'GET /tasks/{taskId}': TASK,
  'GET /tasks/{taskId}/assignees': [ASSIGNEE],
  'POST /tasks/{taskId}/assign/{userId}': ASSIGNEE,
  'GET /timesheets': [TIMESHEET],
  'GET /leaves': [LEAVE],
  'GET /leaves/balances': [BALANCE],
  'GET /leaves/policies': [POLICY],
  'GET /time-requests': [TIME_REQUEST],
  'POST /time-requests': TIME_REQUEST,
  'GET /time-requests/{id}': TIME_REQUEST,
  'GET /expenses': [EXPENSE],
  'POST /expenses': EXPENSE,
  'GET /expenses/categories': [CATEGORY],
  'POST /time-tracking/stop': { stopped_at: 'date-time' },
  'GET /webhooks': [WEBHOOK],
  'POST /webhooks': WEBHOOK,
  'GET /webhooks/{webhookId}': WEBHOOK,
};

const ROLES = /^(Owner|Project viewer|Executive manager|Team manager|Project manager|Regular User)$/;
const SHAPES: Readonly<Record<Text, RegExp>> = {
  string: /^/,
  email: /^[^@\s]+@[^@\s]+$/,
  url: /^https?:\/\/./,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  role: ROLES,
  'member status': /^(active|inactive|left|unknown)$/,
  zone: /^(UTC|[A-Z]\w+\/[\w/-]+)$/,
};

const isOf = (type: Plain, value: unknown): boolean => {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'number') return typeof value === 'number';
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === 'string' && (type === 'id' ? /^[\w-]+$/ : SHAPES[type]).test(value);
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What of a value is not as the documents say: `members[3].tax_state is null, not a string`. */
export const faultsOf = (type: Type, value: unknown, at: string): readonly string[] => {
  if (typeof type === 'string') {
    const [plain, nullable] = type.split(' or ') as [Plain, string?];
    const fine = (value === null && nullable !== undefined) || isOf(plain, value);
    return fine ? [] : [`${at} is ${JSON.stringify(value)}: ${type}`];
  }
  if (Array.isArray(type)) {
    if (!Array.isArray(value)) return [`${at} is no array`];
    return value.flatMap((item, index) => faultsOf(type[0] as Type, item, `${at}[${index}]`));
  }
  if (!isRecord(value)) return [`${at} is no object`];
  const fields = type as Fields;
  return Object.entries(value).flatMap(([name, item]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return field === undefined ? [`${at}.${name} is in no document`] : faultsOf(field, item, `${at}.${name}`);
  });
};

/** What of an answer of an operation is not as the documents say. */
export const faultsOfAnswer = (
  route: string,
  status: number,
  { data, success, message }: Readonly<Record<string, unknown>>,
): readonly string[] => {
  const hasFailed = status >= 400;
  const type = hasFailed ? undefined : DATA[route];
  // A list of webhooks is no envelope in some dialects.
  const isEnvelope = success === undefined || success === !hasFailed;
  const faults = [
    ...(isEnvelope ? [] : [`success is ${success}`]),
    ...(message === undefined || typeof message === 'string' ? [] : ['message is no text']),
    ...(type !== undefined || (data ?? null) === null ? [] : [`data is ${JSON.stringify(data)}: null`]),
    ...(type === undefined ? [] : faultsOf(type, data, 'data')),
  ];
  return faults.map((fault) => `${route} ${status} ${fault.replace(/\d+(?=\])/g, '')}`);
};

/** The fields that a value has, as `Member.avatar`; those that are null do not count. */
export const fieldsOf = (type: Type): Fields | undefined =>
  typeof type === 'string' ? undefined : Array.isArray(type) ? fieldsOf(type[0] as Type) : (type as Fields);
