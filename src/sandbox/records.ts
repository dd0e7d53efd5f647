import { createNumber, createSecret, createUuid, drawRandom, findUserByEmail } from './state.ts';
import type * as W from './world.ts';

/**
 * New records, with what the service gives each: for handlers and seeds alike. Each is put into its workspace; nothing
 * is checked. Of what an answer shows as it is, the fields that were given come first.
 */

export interface Place {
  readonly world: W.World;
  readonly workspace: W.Workspace;
  /** The sandbox's time: ms, and as records carry it. */
  readonly now: number;
  readonly time: string;
}

/** All of a record that it cannot be made without, and anything else of it. */
type Fields<T, Needed extends keyof T> = Pick<T, Needed> & Partial<T>;

function put<T extends { id: number | string }>(records: W.RecordMap<T>, record: T): T {
  records[String(record.id)] = record;
  return record;
}

export type PersonDetails = Pick<W.User, 'email' | 'firstname' | 'lastname'>;

/** The user with this address, or a new one. @param isNew nobody has it: looking costs too much where there are very many */
export function findOrAddUser(world: W.World, person: PersonDetails, isNew = false): W.User {
  const known = isNew ? undefined : findUserByEmail(world, person.email);
  if (known !== undefined) return known;
  const id = createNumber(world);
  world.users[id] = { id, ...person };
  return world.users[id];
}

/** What a member need not have. It is named, so that all are of one shape. */
export const NO_DETAILS = {
  ...{ team_name: undefined, title: undefined, birth_date: undefined, hired_at: undefined },
  ...{ preferred_timezone: undefined, tax_country: undefined, tax_state: undefined },
};

export function newMembership(
  { workspace, time }: Place,
  fields: Fields<W.Membership, 'user_id' | 'role'>,
): W.Membership {
  const membership: W.Membership = {
    ...{ status: 'active', ...NO_DETAILS, settings_max_inactive_minutes: 10 },
    ...{ currency: 'EUR', rate: 0, rate_type: 'hourly', rate_status: 0, is_blocked: false },
    ...{ weekly_hours_limit: 40, screenshots: 'full', created_at: time, updated_at: time },
    ...{ deleted_at: null, status_before: null, viewer_projects: [], ...fields },
  };
  workspace.members[membership.user_id] = membership;
  return membership;
}

export function newProject(
  { world, workspace, time }: Place,
  fields: Fields<W.Project, 'name' | 'owner_id'>,
): W.Project {
  return put(workspace.projects, {
    ...{ id: createNumber(world), ...fields },
    ...{ start_date: null, deadline: null, estimation: null, budget_estimation: null, notes: null },
    ...{ icon: null, is_billable: false, rate: null, weekly_hours_limit: 168, screenshots: 'full' },
    ...{ tags: [], created_at: time, updated_at: time, deleted_at: null, ...fields },
  });
}

export function newContract(
  { world, workspace }: Place,
  fields: Fields<W.Contract, 'project_id' | 'user_id'>,
): W.Contract {
  return put<W.Contract>(workspace.contracts, {
    ...{ id: createNumber(world), ...fields, weekly_hours_limit: 168, screenshots: 'full', rate: null },
    ...{ rate_type: 2, status: 'active', deleted_at: null, ...fields },
  });
}

export function newTask(
  { world, workspace, time }: Place,
  fields: Fields<W.Task, 'title' | 'project_id' | 'owner_id' | 'creator_id'>,
): W.Task {
  return put(workspace.tasks, {
    ...{ id: createNumber(world), ...fields, description: null, status: 0, priority: null },
    ...{ start_date: null, end_date: null, completed_at: null },
    ...{ created_at: time, updated_at: time, deleted_at: null, ...fields },
  });
}

export function newAssignment({ world, workspace }: Place, fields: Omit<W.Assignment, 'id'>): W.Assignment {
  return put(workspace.assignments, { id: createNumber(world), ...fields });
}

export function newTimesheet(
  { world, workspace }: Place,
  fields: Fields<W.Timesheet, 'user_id' | 'date_from'>,
): W.Timesheet {
  return put<W.Timesheet>(workspace.timesheets, {
    ...{ id: createUuid(world), ...fields, date_to: addDaysTo(fields.date_from, 6), total_minutes: 0 },
    ...{ submitted_on: null, reject_reason: null, status: 'open', ...fields },
  });
}

export function newLeavePolicy(
  { world, workspace }: Place,
  fields: Fields<W.LeavePolicy, 'name'>,
): W.LeavePolicy {
  const { is_paid = true } = fields;
  return put<W.LeavePolicy>(workspace.leave_policies, {
    ...{ id: createNumber(world), ...fields, is_paid, time_unit: 'days', duration: 20, hours_per_day: 8 },
    ...{ allow_negative_balance: !is_paid, reason_required: !is_paid, ...fields },
  });
}

export function newLeave(
  { world, workspace, time }: Place,
  fields: Fields<W.Leave, 'user_id' | 'policy_id' | 'start_date' | 'end_date' | 'total'>,
): W.Leave {
  return put<W.Leave>(workspace.leaves, {
    ...{ id: createUuid(world), ...fields, status: 'pending', note: null, created_by: fields.user_id },
    ...{ approved_by: null, rejected_by: null, reject_reason: null, created_on: time, ...fields },
  });
}

export function newTimeRequest(
  { world, workspace, time }: Place,
  fields: Fields<W.TimeRequest, 'user_id' | 'contract_id' | 'project_id' | 'start' | 'end'>,
): W.TimeRequest {
  return put<W.TimeRequest>(workspace.time_requests, {
    ...{ id: createUuid(world), ...fields, task_id: null, status: 'pending', notes: null, comment: null },
    ...{ updated_by: null, created_at: time, updated_at: time, ...fields },
  });
}

export function newExpense(
  { world, workspace, time }: Place,
  fields: Fields<W.Expense, 'user_id' | 'expense_name' | 'date' | 'amount'>,
): W.Expense {
  return put<W.Expense>(workspace.expenses, {
    ...{ id: createUuid(world), ...fields, project_id: null, category_id: null, note: null },
    ...{ is_billable: false, added_on: time.slice(0, 10), ...fields },
  });
}

export function newCategory({ world, workspace }: Place, name: string): W.ExpenseCategory {
  return put(workspace.categories, { id: createUuid(world), name });
}

export function newWebhook({ world, workspace }: Place, url: string, events: string[]): W.Webhook {
  const token = `whsec_${createSecret(() => drawRandom(world), 32)}`;
  return put(workspace.webhooks, { id: createUuid(world), url, events, token });
}

export function addDaysTo(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

export function getMonday(day: string): string {
  return addDaysTo(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}
