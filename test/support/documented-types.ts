/**
 * What requests and answers of the service are made of, written from docs/service.md, not from the code.
 * A field may be left out of a record; null it is only where `or null` says so.
 */

/** `integer or null`, an array of a type, or the fields of a record. */
type Type = string | readonly [Type] | Fields;
interface Fields {
  readonly [name: string]: Type;
}

/** A record by the types of its fields: the names of those of a type, or a field that is itself made of others. */
const record = (types: Fields): Fields =>
  Object.fromEntries(
    Object.entries(types).flatMap(([name, value]): [string, Type][] =>
      typeof value === 'string' ? value.split(' ').map((field) => [field, name]) : [[name, value]],
    ),
  );

/** docs/service.md, Members: every field but `deleted_at` has one type. */
const MEMBER = record({
  integer: 'id settings_max_inactive_minutes rate_status weekly_hours_limit',
  email: 'email',
  string: 'firstname lastname avatar team_name title currency rate_type tax_country tax_state screenshots',
  role: 'current_role',
  zone: 'timezone preferred_timezone',
  'member status': 'status',
  date: 'birth_date',
  'date-time': 'hired_at created_at updated_at',
  number: 'rate',
  boolean: 'is_blocked',
  'date-time or null': 'deleted_at',
});

/** docs/service.md, Project viewers; the items of `projects` are found. */
const VIEWER = record({
  integer: 'id',
  email: 'email',
  string: 'firstname lastname status',
  'date-time': 'member_since',
  projects: [{ project_id: 'integer', project_name: 'string' }],
});

/** The answer to an assignment (docs/service.md, Tasks). */
const ASSIGNEE = record({
  integer: 'id',
  'string or null': 'firstname lastname email',
  'integer or null': 'user_id task_id assigner_id',
});

/** docs/service.md, Webhooks. */
const WEBHOOK: Fields = { id: 'string', url: 'url', events: ['string'], token: 'string' };

// The fields of the records below are found or assumed. Those that nobody has set are null.

const WORKSPACE = record({
  integer: 'id owner_id user_id',
  string: 'workspace_name',
  role: 'role',
  'member status': 'status',
  'date-time': 'created_at',
  'date-time or null': 'activated_at',
});

const PROJECT = record({
  integer: 'id owner_id weekly_hours_limit contracts_count status',
  string: 'name screenshots',
  'date or null': 'start_date deadline',
  'number or null': 'estimation budget_estimation rate',
  'string or null': 'notes icon',
  boolean: 'is_billable',
  'date-time': 'created_at updated_at',
  'date-time or null': 'deleted_at',
  tags: [{ id: 'integer', name: 'string', color: 'string' }],
});

const CONTRACT = record({
  integer: 'id project_id user_id weekly_hours_limit rate_type',
  string: 'project_name user_firstname user_lastname screenshots screenshots_label status',
  'string or null': 'project_icon',
  email: 'user_email',
  role: 'user_role',
  'number or null': 'rate',
});

const TASK = record({
  integer: 'id project_id owner_id creator_id status',
  string: 'title',
  'string or null': 'description',
  'integer or null': 'priority',
  'date or null': 'start_date end_date',
  'date-time or null': 'completed_at deleted_at',
  'date-time': 'created_at updated_at',
  assignees: [ASSIGNEE],
});

const TIMESHEET = record({
  id: 'id',
  integer: 'user_id',
  date: 'date_from date_to',
  number: 'total_hours',
  'date-time or null': 'submitted_on',
  'string or null': 'reject_reason',
  string: 'status',
});

const LEAVE = record({
  id: 'id',
  integer: 'user_id policy_id created_by',
  string: 'status is_paid',
  'string or null': 'note reject_reason',
  'integer or null': 'approved_by rejected_by',
  date: 'start_date end_date',
  'date-time': 'created_on',
  total: { days: 'number', hours: 'number' },
});

const BALANCE = record({
  integer: 'user_id',
  string: 'user_name total_balance',
  leave_information: [{ leave_type: 'string', balance: 'string' }],
});

const POLICY = record({
  integer: 'id',
  string: 'name time_unit',
  boolean: 'is_paid allow_negative_balance reason_required',
  number: 'duration hours_per_day',
});

const TIME_REQUEST = record({
  id: 'id',
  integer: 'user_id contract_id project_id',
  'integer or null': 'task_id updated_by',
  'date-time': 'start end created_at updated_at',
  string: 'status',
  'string or null': 'notes comment',
});

const EXPENSE = record({
  id: 'id',
  string: 'member expense_name expense_date type added_dte',
  'string or null': 'project category note',
  number: 'amount',
});

const CATEGORY = { id: 'id', name: 'string' };

/** `data` of every answer that has some; of every other operation it is null, or there is none (webhooks). */
const DATA: Readonly<Record<string, Type>> = {
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

/** The fields of the bodies of writes: a name is of one type, whatever it is sent to. */
const SENT = record({
  integer: 'workspace_id project_id user_id contract_id weekly_hours_limit priority',
  email: 'email',
  string: 'firstname lastname name title expense_name reason comment screenshots',
  role: 'role',
  zone: 'timezone',
  date: 'date deadline',
  time: 'start end',
  number: 'budget amount',
  boolean: 'is_billable',
  id: 'category_id',
  url: 'url',
  // Of a contract; of a task.
  'string or integer': 'status',
  events: ['string'],
});

const text = (shape: RegExp) => (value: unknown) => typeof value === 'string' && shape.test(value);
const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  id: text(/^[\w-]+$/),
  string: text(/^/),
  email: text(/^[^@\s]+@[^@\s]+$/),
  url: text(/^https?:\/\/./),
  date: text(/^\d{4}-\d\d-\d\d$/),
  'date-time': text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
  time: text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/),
  role: text(/^(Owner|Project viewer|Executive manager|Team manager|Project manager|Regular User)$/),
  'member status': text(/^(active|inactive|left|unknown)$/),
  zone: text(/^(UTC|[A-Z]\w+\/[\w/-]+)$/),
};

/** What of a value is not as the documents say: `members[3].tax_state is null: string`. */
const faultsOf = (type: Type | undefined, value: unknown, at: string): readonly string[] => {
  if (type === undefined) return [`${at} is not in test/support/documented-types.ts`];
  if (typeof type === 'string') {
    const isFine = type.split(' or ').some((one) => PLAIN[one]?.(value));
    return isFine ? [] : [`${at} is ${JSON.stringify(value)}: ${type}`];
  }
  if (Array.isArray(type)) {
    if (!Array.isArray(value)) return [`${at} is no array`];
    return value.flatMap((item) => faultsOf(type[0], item, `${at}[]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`];
  const fields = new Map(Object.entries(type));
  return Object.entries(value).flatMap(([name, item]) => faultsOf(fields.get(name), item, `${at}.${name}`));
};

/** What of the body of a write is not as the documents say. */
export const faultsOfBody = (body: unknown) => faultsOf(SENT, body, 'body');

/** What of an answer of an operation is not as the documents say. */
export const faultsOfAnswer = (
  route: string,
  status: number,
  { data, success, message }: Readonly<Record<string, unknown>>,
): readonly string[] => {
  const hasFailed = status >= 400;
  // A list of webhooks is no envelope in some dialects.
  const isEnvelope = success === undefined || success === !hasFailed;
  const faults = [
    ...(isEnvelope ? [] : [`success is ${success}`]),
    ...(message === undefined || typeof message === 'string' ? [] : ['message is no text']),
    ...faultsOf((hasFailed ? undefined : DATA[route]) ?? 'null', data ?? null, 'data'),
  ];
  return faults.map((fault) => `${route} ${status} ${fault}`);
};

/** The fields of what an operation answers with: `GET /members avatar`. */
export const documentedFields = (route: string): readonly string[] => {
  const type = [DATA[route] ?? []].flat()[0];
  return Object.keys(Object(type)).map((name) => `${route} ${name}`);
};
