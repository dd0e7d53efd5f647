import type * as R from '../records.ts';
import { addDaysTo, getMonday } from '../sheets.ts';
import { createNumber, createSecret, createUuid, drawRandom } from '../state.ts';
import { type SeedContext, toDayAgo, toTimeAgo } from './builder.ts';

/** What people of a seed have done and asked for: sheets, leaves, time requests, expenses; and webhooks. */

/** A sheet of the week `weeks` ago, Monday to Sunday. */
export const addSheet = (
  context: SeedContext,
  user: number,
  weeks: number,
  status: R.TimesheetStatus,
  minutes: number,
  reason: string | null = null,
): R.Timesheet => {
  const monday = addDaysTo(getMonday(toDayAgo(context, 0)), -7 * weeks);
  const sheet: R.Timesheet = {
    id: createUuid(context.world),
    user_id: user,
    date_from: monday,
    date_to: addDaysTo(monday, 6),
    total_minutes: minutes,
    submitted_on: status === 'open' ? null : `${addDaysTo(monday, 7)}T08:15:00.000Z`,
    reject_reason: reason,
    status,
  };
  context.space.timesheets[sheet.id] = sheet;
  return sheet;
};

export const addPolicy = (
  context: SeedContext,
  name: string,
  paid: boolean,
  duration: number,
): R.LeavePolicy => {
  const policy: R.LeavePolicy = {
    id: createNumber(context.world),
    name,
    is_paid: paid,
    time_unit: 'days',
    duration,
    hours_per_day: 8,
    allow_negative_balance: !paid,
    reason_required: !paid,
  };
  context.space.leave_policies[policy.id] = policy;
  return policy;
};

/** A leave of `days` days that begins `ago` days ago (negative: to come). */
export const addLeave = (
  context: SeedContext,
  user: number,
  policy: R.LeavePolicy,
  ago: number,
  days: number,
  status: R.DecisionStatus,
  note: string | null = null,
): R.Leave => {
  const decided = status === 'pending' ? null : context.space.owner_id;
  const leave: R.Leave = {
    id: createUuid(context.world),
    user_id: user,
    policy_id: policy.id,
    status,
    note,
    created_by: user,
    approved_by: status === 'approved' ? decided : null,
    rejected_by: status === 'rejected' ? decided : null,
    reject_reason: status === 'rejected' ? 'The whole team is away that week' : null,
    start_date: toDayAgo(context, ago),
    end_date: toDayAgo(context, ago - days + 1),
    created_on: toTimeAgo(context, Math.max(ago, 0) + 14),
    total: { days, hours: days * policy.hours_per_day },
  };
  context.space.leaves[leave.id] = leave;
  return leave;
};

export const addTimeRequest = (
  context: SeedContext,
  contract: R.Contract,
  ago: number,
  status: R.DecisionStatus,
  notes: string | null = null,
): R.TimeRequest => {
  const row: R.TimeRequest = {
    id: createUuid(context.world),
    user_id: contract.user_id,
    contract_id: contract.id,
    project_id: contract.project_id,
    task_id: null,
    start: toTimeAgo(context, ago, 9),
    end: toTimeAgo(context, ago, 11),
    status,
    notes,
    comment: status === 'rejected' ? 'This was already tracked' : null,
    updated_by: status === 'pending' ? null : context.space.owner_id,
    created_at: toTimeAgo(context, ago, 17),
    updated_at: toTimeAgo(context, ago, 17),
  };
  context.space.time_requests[row.id] = row;
  return row;
};

export const addCategory = (context: SeedContext, name: string): R.ExpenseCategory => {
  const category = { id: createUuid(context.world), name };
  context.space.categories[category.id] = category;
  return category;
};

export const addExpense = (
  context: SeedContext,
  user: number,
  name: string,
  amount: number,
  ago: number,
  more: Partial<R.Expense> = {},
): R.Expense => {
  const expense: R.Expense = {
    id: createUuid(context.world),
    user_id: user,
    expense_name: name,
    date: toDayAgo(context, ago),
    project_id: null,
    category_id: null,
    amount,
    note: null,
    is_billable: false,
    added_on: toDayAgo(context, Math.max(0, ago - 1)),
    ...more,
  };
  context.space.expenses[expense.id] = expense;
  return expense;
};

export const addWebhook = (context: SeedContext, url: string, events: string[]): R.Webhook => {
  const token = `whsec_${createSecret(() => drawRandom(context.world), 32)}`;
  const webhook = { id: createUuid(context.world), url, events, token };
  context.space.webhooks[webhook.id] = webhook;
  return webhook;
};

/** Minutes of a week: between 30 and 42 hours, in quarters. */
export const drawWeekMinutes = (context: SeedContext): number =>
  1800 + 15 * Math.floor(drawRandom(context.world) * 48);

export const drawOne = <T>(context: SeedContext, values: readonly T[], fallback: T): T =>
  values[Math.floor(drawRandom(context.world) * values.length)] ?? fallback;
