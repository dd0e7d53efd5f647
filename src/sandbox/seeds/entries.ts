import type * as R from '../records.ts';
import { dayAfter, mondayOf } from '../sheets.ts';
import { chance, newNumber, newSecret, newUuid } from '../state.ts';
import { dayAgo, daysAgo, type Plot } from './builder.ts';

/** What people of a seed have done and asked for: sheets, leaves, time requests, expenses; and webhooks. */

/** A sheet of the week `weeks` ago, Monday to Sunday. */
export const addSheet = (
  plot: Plot,
  user: number,
  weeks: number,
  status: R.TimesheetStatus,
  minutes: number,
  reason: string | null = null,
): R.Timesheet => {
  const monday = dayAfter(mondayOf(dayAgo(plot, 0)), -7 * weeks);
  const sheet: R.Timesheet = {
    id: newUuid(plot.world),
    user_id: user,
    date_from: monday,
    date_to: dayAfter(monday, 6),
    total_minutes: minutes,
    submitted_on: status === 'open' ? null : `${dayAfter(monday, 7)}T08:15:00.000Z`,
    reject_reason: reason,
    status,
  };
  plot.space.timesheets[sheet.id] = sheet;
  return sheet;
};

export const addPolicy = (plot: Plot, name: string, paid: boolean, duration: number): R.LeavePolicy => {
  const policy: R.LeavePolicy = {
    id: newNumber(plot.world),
    name,
    is_paid: paid,
    time_unit: 'days',
    duration,
    hours_per_day: 8,
    allow_negative_balance: !paid,
    reason_required: !paid,
  };
  plot.space.leave_policies[policy.id] = policy;
  return policy;
};

/** A leave of `days` days that begins `ago` days ago (negative: to come). */
export const addLeave = (
  plot: Plot,
  user: number,
  policy: R.LeavePolicy,
  ago: number,
  days: number,
  status: R.Decision,
  note: string | null = null,
): R.Leave => {
  const decided = status === 'pending' ? null : plot.space.owner_id;
  const leave: R.Leave = {
    id: newUuid(plot.world),
    user_id: user,
    policy_id: policy.id,
    status,
    note,
    created_by: user,
    approved_by: status === 'approved' ? decided : null,
    rejected_by: status === 'rejected' ? decided : null,
    reject_reason: status === 'rejected' ? 'The whole team is away that week' : null,
    start_date: dayAgo(plot, ago),
    end_date: dayAgo(plot, ago - days + 1),
    created_on: daysAgo(plot, Math.max(ago, 0) + 14),
    total: { days, hours: days * policy.hours_per_day },
  };
  plot.space.leaves[leave.id] = leave;
  return leave;
};

export const addTimeRequest = (
  plot: Plot,
  contract: R.Contract,
  ago: number,
  status: R.Decision,
  notes: string | null = null,
): R.TimeRequest => {
  const row: R.TimeRequest = {
    id: newUuid(plot.world),
    user_id: contract.user_id,
    contract_id: contract.id,
    project_id: contract.project_id,
    task_id: null,
    start: daysAgo(plot, ago, 9),
    end: daysAgo(plot, ago, 11),
    status,
    notes,
    comment: status === 'rejected' ? 'This was already tracked' : null,
    updated_by: status === 'pending' ? null : plot.space.owner_id,
    created_at: daysAgo(plot, ago, 17),
    updated_at: daysAgo(plot, ago, 17),
  };
  plot.space.time_requests[row.id] = row;
  return row;
};

export const addCategory = (plot: Plot, name: string): R.ExpenseCategory => {
  const category = { id: newUuid(plot.world), name };
  plot.space.categories[category.id] = category;
  return category;
};

export const addExpense = (
  plot: Plot,
  user: number,
  name: string,
  amount: number,
  ago: number,
  more: Partial<R.Expense> = {},
): R.Expense => {
  const expense: R.Expense = {
    id: newUuid(plot.world),
    user_id: user,
    expense_name: name,
    date: dayAgo(plot, ago),
    project_id: null,
    category_id: null,
    amount,
    note: null,
    is_billable: false,
    added_on: dayAgo(plot, Math.max(0, ago - 1)),
    ...more,
  };
  plot.space.expenses[expense.id] = expense;
  return expense;
};

export const addWebhook = (plot: Plot, url: string, events: string[]): R.Webhook => {
  const token = `whsec_${newSecret(() => chance(plot.world), 32)}`;
  const webhook = { id: newUuid(plot.world), url, events, token };
  plot.space.webhooks[webhook.id] = webhook;
  return webhook;
};

/** Minutes of a week: between 30 and 42 hours, in quarters. */
export const someMinutes = (plot: Plot): number => 1800 + 15 * Math.floor(chance(plot.world) * 48);

export const pick = <T>(plot: Plot, values: readonly T[], fallback: T): T =>
  values[Math.floor(chance(plot.world) * values.length)] ?? fallback;
