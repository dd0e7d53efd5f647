/**
 * The state of the sandbox: one JSON value. Records are kept under their id, so that finding one does not
 * depend on how many there are. Field names are the service's own where a field is shown as it is stored.
 * Moments are ISO 8601 text, days are YYYY-MM-DD text, unless the name ends in `_ms`.
 */

export const MEMBER_ROLES = [
  ...(['Owner', 'Project viewer', 'Executive manager', 'Team manager'] as const),
  ...(['Project manager', 'Regular User'] as const),
] as const;
export const MEMBER_STATUSES = ['active', 'inactive', 'left', 'unknown'] as const;
export const TIMESHEET_STATUSES = ['open', 'submitted', 'rejected', 'approved'] as const;
export const DECISIONS = ['pending', 'approved', 'rejected'] as const;
export const TASK_STATUSES = [0, 10, 20, 30];
export const PRIORITIES = [10, 20, 30, 40];

export type Role = (typeof MEMBER_ROLES)[number];
export type TimesheetStatus = (typeof TIMESHEET_STATUSES)[number];
export type DecisionStatus = (typeof DECISIONS)[number];
type MemberStatus = (typeof MEMBER_STATUSES)[number];
export type TokenScope = 'read' | 'write' | 'admin';
export type RecordMap<T> = Record<string, T>;

/** What need not have a value: absent, or null where a seed says so. */
type Optional<Name extends string> = { [N in Name]?: string | null };

interface Dated {
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

export interface User extends Optional<'avatar' | 'timezone'> {
  id: number;
  email: string;
  firstname: string;
  lastname: string;
}

/** A user in one workspace. A project viewer is a membership with that role (docs/service.md, Project viewers). */
export interface Membership
  extends Dated,
    Optional<'team_name' | 'title' | 'birth_date' | 'hired_at' | 'preferred_timezone'>,
    Optional<'tax_country' | 'tax_state'> {
  user_id: number;
  role: Role;
  status: MemberStatus;
  settings_max_inactive_minutes: number;
  currency: string;
  rate: number;
  rate_type: string;
  /** 1: this person may see rates. */
  rate_status: number;
  is_blocked: boolean;
  weekly_hours_limit: number;
  screenshots: string;
  status_before: MemberStatus | null;
  viewer_projects: number[];
}

export interface Project extends Dated {
  id: number;
  name: string;
  owner_id: number;
  start_date: string | null;
  deadline: string | null;
  estimation: number | null;
  budget_estimation: number | null;
  notes: string | null;
  icon: string | null;
  is_billable: boolean;
  rate: number | null;
  weekly_hours_limit: number;
  screenshots: string;
  tags: { id: number; name: string; color: string }[];
}

export interface Contract {
  id: number;
  project_id: number;
  user_id: number;
  weekly_hours_limit: number;
  screenshots: string;
  rate: number | null;
  /** 1 custom, 2 the member's, 3 the project's. */
  rate_type: number;
  status: 'active' | 'paused';
  deleted_at: string | null;
}

export interface Task extends Dated {
  id: number;
  title: string;
  description: string | null;
  project_id: number;
  owner_id: number;
  creator_id: number;
  status: number;
  priority: number | null;
  start_date: string | null;
  end_date: string | null;
  completed_at: string | null;
}

export type Assignment = Record<'id' | 'task_id' | 'user_id' | 'assigner_id', number>;

export interface Timesheet {
  id: string;
  user_id: number;
  date_from: string;
  date_to: string;
  total_minutes: number;
  submitted_on: string | null;
  reject_reason: string | null;
  status: TimesheetStatus;
}

export interface Leave {
  id: string;
  user_id: number;
  policy_id: number;
  status: DecisionStatus;
  note: string | null;
  created_by: number;
  approved_by: number | null;
  rejected_by: number | null;
  reject_reason: string | null;
  start_date: string;
  end_date: string;
  created_on: string;
  total: { days: number; hours: number };
}

export interface LeavePolicy {
  id: number;
  name: string;
  is_paid: boolean;
  time_unit: 'days' | 'hours';
  /** Allowance a year, in `time_unit`. */
  duration: number;
  hours_per_day: number;
  allow_negative_balance: boolean;
  reason_required: boolean;
}

export interface TimeRequest {
  id: string;
  user_id: number;
  contract_id: number;
  project_id: number;
  task_id: number | null;
  start: string;
  end: string;
  status: DecisionStatus;
  notes: string | null;
  comment: string | null;
  updated_by: number | null;
  created_at: string;
  updated_at: string;
}

export interface Expense {
  id: string;
  user_id: number;
  expense_name: string;
  date: string;
  project_id: number | null;
  category_id: string | null;
  amount: number;
  note: string | null;
  is_billable: boolean;
  added_on: string;
}

export type ExpenseCategory = { id: string; name: string };

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  token: string;
}

export interface Workspace {
  id: number;
  owner_id: number;
  workspace_name: string;
  status: MemberStatus;
  created_at: string;
  activated_at: string | null;
  members: RecordMap<Membership>;
  projects: RecordMap<Project>;
  contracts: RecordMap<Contract>;
  tasks: RecordMap<Task>;
  assignments: RecordMap<Assignment>;
  timesheets: RecordMap<Timesheet>;
  leaves: RecordMap<Leave>;
  leave_policies: RecordMap<LeavePolicy>;
  time_requests: RecordMap<TimeRequest>;
  expenses: RecordMap<Expense>;
  categories: RecordMap<ExpenseCategory>;
  webhooks: RecordMap<Webhook>;
}

export interface Token {
  id: number;
  token: string;
  kind: 'personal' | 'access';
  name: string;
  user_id: number;
  scopes: TokenScope[];
  created_ms: number;
  expires_ms: number;
  revoked: boolean;
}

export interface OAuthApp {
  client_id: string;
  client_secret: string;
  name: string;
  grant: 'authorization-code' | 'client-credentials';
  /** As registered; null: none, so that it cannot send people to the authorize page. */
  redirect_uri: string | null;
  user_id: number;
  created_ms: number;
}

interface Approval {
  client_id: string;
  user_id: number;
  scopes: TokenScope[];
  expires_ms: number;
  spent: boolean;
}

export interface OAuthCode extends Approval {
  redirect_uri: string;
  /** Of PKCE with S256; null: none was sent. */
  challenge: string | null;
}

export interface RefreshToken extends Approval {
  /** The access token that was issued with it and ends with it. */
  access_token: string;
}

export interface OAuth {
  apps: RecordMap<OAuthApp>;
  codes: RecordMap<OAuthCode>;
  refresh_tokens: RecordMap<RefreshToken>;
}

export interface Tracker {
  user_id: number;
  workspace_id: number;
  contract_id: number | null;
  task_id: number | null;
  started_at: string;
}

export type FaultBody = 'truncated' | 'html' | 'failure';

/** Calls of one operation that go wrong: the first so many, never a share of them. */
export interface Fault {
  id: number;
  route: string;
  times: number;
  left: number;
  status: number | null;
  /** Seconds; with 429 and 503. */
  retry_after: number | null;
  after_commit: boolean;
  latency_ms: number;
  drop: 'before' | 'after' | null;
  body: FaultBody | null;
}

export interface StoredDelivery {
  /** `msg_…`: the same in every attempt, as `webhook-id` and in the body. */
  id: string;
  event: string;
  webhook_id: string;
  workspace_id: number;
  url: string;
  body: string;
  created_at: string;
  /** `refused`: the sandbox may not send to that address. */
  status: 'pending' | 'delivered' | 'failed' | 'refused';
  reason: string | null;
  /** Failed attempts since the event, or since somebody asked for it to be sent again. */
  failures: number;
  /** How many attempts there have been, and the status of the last one; null: no response came. */
  attempts: number;
  last_status: number | null;
  /** The sandbox's time of the next attempt, put off while somebody is sending it; null: there is none. */
  next_ms: number | null;
}

export interface World {
  version: 1;
  seed: string;
  generator: number;
  next_id: number;
  /** How the sandbox's clock differs from the machine's. */
  time: { offset_ms: number; frozen_ms: number | null };
  users: RecordMap<User>;
  spaces: RecordMap<Workspace>;
  tokens: RecordMap<Token>;
  trackers: RecordMap<Tracker>;
  windows: RecordMap<{ requests: number[]; writes: number[] }>;
  oauth?: OAuth;
  /** What webhooks are to hear, oldest first; absent until there is something (`listStoredDeliveries`). */
  deliveries?: StoredDelivery[];
  faults?: Fault[];
  /** The rate limits apply, also where the sandbox has none by itself. */
  limits?: true;
}
