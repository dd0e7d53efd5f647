/** Records of one workspace as the state keeps them (world.ts). */

export type TimesheetStatus = 'open' | 'submitted' | 'rejected' | 'approved';
export type DecisionStatus = 'pending' | 'approved' | 'rejected';

export interface Project {
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
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
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

export interface Task {
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
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

export interface Assignment {
  id: number;
  task_id: number;
  user_id: number;
  assigner_id: number;
}

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

export interface ExpenseCategory {
  id: string;
  name: string;
}

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  token: string;
}
