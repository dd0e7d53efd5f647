/**
 * The records of the service (docs/service.md).
 * Every field may be missing and unknown ones are kept: the service shows more or less by role and generation.
 */

type Open<T> = { readonly [K in keyof T]?: T[K] | null } & { readonly [field: string]: unknown };

export type Workspace = Open<{
  id: number;
  owner_id: number;
  user_id: number;
  workspace_name: string;
  role: string;
  status: string;
  created_at: string;
  activated_at: string;
}>;

export type Member = Open<{
  id: number;
  email: string;
  firstname: string;
  lastname: string;
  avatar: string;
  current_role: string;
  timezone: string;
  status: string;
  team_name: string;
  title: string;
  birth_date: string;
  hired_at: string;
  preferred_timezone: string;
  settings_max_inactive_minutes: number;
  currency: string;
  rate: number;
  rate_type: string;
  rate_status: number;
  tax_country: string;
  tax_state: string;
  is_blocked: boolean;
  weekly_hours_limit: number;
  screenshots: string;
  created_at: string;
  updated_at: string;
  deleted_at: string;
}>;

export type Invitation = Open<{ user_id: number; invitation_link: string }>;

export type Viewer = Open<{
  id: number;
  email: string;
  firstname: string;
  lastname: string;
  status: string;
  member_since: string;
  projects: readonly { project_id: number; project_name: string }[];
}>;

export type Project = Open<{
  id: number;
  name: string;
  owner_id: number;
  start_date: string;
  deadline: string;
  estimation: number;
  budget_estimation: number;
  notes: string;
  icon: string;
  is_billable: boolean;
  rate: number;
  weekly_hours_limit: number;
  screenshots: string;
  tags: readonly { id: number; name: string; color: string }[];
  contracts_count: number;
  status: number;
  created_at: string;
  updated_at: string;
  deleted_at: string;
}>;

export type Contract = Open<{
  id: number;
  project_id: number;
  project_name: string;
  project_icon: string;
  user_id: number;
  user_firstname: string;
  user_lastname: string;
  user_email: string;
  user_role: string;
  weekly_hours_limit: number;
  screenshots: string;
  screenshots_label: string;
  rate: number;
  rate_type: number;
  status: string;
}>;

export type Task = Open<{
  id: number;
  title: string;
  description: string;
  project_id: number;
  owner_id: number;
  creator_id: number;
  status: number;
  priority: number;
  start_date: string;
  end_date: string;
  completed_at: string;
  assignees: readonly unknown[];
  created_at: string;
  updated_at: string;
  deleted_at: string;
}>;

export type Assignee = Open<{
  id: number;
  firstname: string;
  lastname: string;
  email: string;
  user_id: number;
  task_id: number;
  assigner_id: number;
}>;

export type Timesheet = Open<{
  id: string;
  user_id: number;
  date_from: string;
  date_to: string;
  total_hours: number;
  submitted_on: string;
  reject_reason: string;
  status: string;
}>;

export type Leave = Open<{
  id: string;
  user_id: number;
  status: string;
  note: string;
  is_paid: string;
  policy_id: number;
  created_by: number;
  approved_by: number;
  rejected_by: number;
  reject_reason: string;
  start_date: string;
  end_date: string;
  created_on: string;
  total: { days: number; hours: number };
}>;

export type LeaveBalance = Open<{
  user_id: number;
  user_name: string;
  leave_information: readonly { leave_type: string; balance: string }[];
  total_balance: string;
}>;

export type LeavePolicy = Open<{
  id: number;
  name: string;
  is_paid: boolean;
  time_unit: string;
  duration: number;
  hours_per_day: number;
  allow_negative_balance: boolean;
  reason_required: boolean;
}>;

export type TimeRequest = Open<{
  id: string;
  user_id: number;
  contract_id: number;
  project_id: number;
  task_id: number;
  start: string;
  end: string;
  status: string;
  notes: string;
  comment: string;
  updated_by: number;
  created_at: string;
  updated_at: string;
}>;

export type Expense = Open<{
  id: string;
  member: string;
  expense_name: string;
  expense_date: string;
  project: string;
  category: string;
  amount: number;
  note: string;
  type: string;
  added_dte: string;
}>;

export type ExpenseCategory = Open<{ id: string; name: string }>;

export type Stopped = Open<{ stopped_at: string }>;

export type Webhook = Open<{ id: string; url: string; events: readonly string[]; token: string }>;
