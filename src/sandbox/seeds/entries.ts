import type * as R from '../records.ts';
import { addDaysTo, getMonday } from '../sheets.ts';
import { createNumber, createSecret, createUuid, drawRandom } from '../state.ts';
import { type SeedContext, toDayAgo, toTimeAgo } from './builder.ts';

/** What people of a seed have done and asked for: sheets, leaves, time requests, expenses; and webhooks. */

/** A sheet of the week `weeksAgo` weeks ago, Monday to Sunday. */
export const addSheet = (
  context: SeedContext,
  user: number,
  weeksAgo: number,
  status: R.TimesheetStatus,
  minutes: number,
  reason: string | null = null,
): R.Timesheet => {
  const monday = addDaysTo(getMonday(toDayAgo(context, 0)), -7 * weeksAgo);
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
  context.workspace.timesheets[sheet.id] = sheet;
  return sheet;
};

const PAST_WEEKS = 10;

/** For who has sheets: approved ones of the last ten weeks that they have none of. The last step of a seed: earlier ids stay. */
export const addPast = (context: SeedContext): void => {
  const { timesheets } = context.workspace;
  const monday = getMonday(toDayAgo(context, 0));
  const sheets = Object.values(timesheets);
  const known = new Set(sheets.map(({ user_id, date_from }) => `${user_id} ${date_from}`));
  for (const user of new Set(sheets.map(({ user_id }) => user_id)))
    for (let week = 1; week <= PAST_WEEKS; week += 1)
      if (!known.has(`${user} ${addDaysTo(monday, -7 * week)}`))
        addSheet(context, user, week, 'approved', drawWeekMinutes(context));
};

export const addPolicy = (
  context: SeedContext,
  name: string,
  isPaid: boolean,
  duration: number,
): R.LeavePolicy => {
  const policy: R.LeavePolicy = {
    id: createNumber(context.world),
    name,
    is_paid: isPaid,
    time_unit: 'days',
    duration,
    hours_per_day: 8,
    allow_negative_balance: !isPaid,
    reason_required: !isPaid,
  };
  context.workspace.leave_policies[policy.id] = policy;
  return policy;
};

/** A leave of `days` days that begins `daysAgo` days ago (negative: to come). */
export const addLeave = (
  context: SeedContext,
  user: number,
  policy: R.LeavePolicy,
  daysAgo: number,
  days: number,
  status: R.DecisionStatus,
  note: string | null = null,
): R.Leave => {
  const deciderId = status === 'pending' ? null : context.workspace.owner_id;
  const leave: R.Leave = {
    id: createUuid(context.world),
    user_id: user,
    policy_id: policy.id,
    status,
    note,
    created_by: user,
    approved_by: status === 'approved' ? deciderId : null,
    rejected_by: status === 'rejected' ? deciderId : null,
    reject_reason: status === 'rejected' ? 'The whole team is away that week' : null,
    start_date: toDayAgo(context, daysAgo),
    end_date: toDayAgo(context, daysAgo - days + 1),
    created_on: toTimeAgo(context, Math.max(daysAgo, 0) + 14),
    total: { days, hours: days * policy.hours_per_day },
  };
  context.workspace.leaves[leave.id] = leave;
  return leave;
};

export const addTimeRequest = (
  context: SeedContext,
  contract: R.Contract,
  daysAgo: number,
  status: R.DecisionStatus,
  notes: string | null = null,
): R.TimeRequest => {
  const request: R.TimeRequest = {
    id: createUuid(context.world),
    user_id: contract.user_id,
    contract_id: contract.id,
    project_id: contract.project_id,
    task_id: null,
    start: toTimeAgo(context, daysAgo, 9),
    end: toTimeAgo(context, daysAgo, 11),
    status,
    notes,
    comment: status === 'rejected' ? 'This was already tracked' : null,
    updated_by: status === 'pending' ? null : context.workspace.owner_id,
    created_at: toTimeAgo(context, daysAgo, 17),
    updated_at: toTimeAgo(context, daysAgo, 17),
  };
  context.workspace.time_requests[request.id] = request;
  return request;
};

export const addCategory = (context: SeedContext, name: string): R.ExpenseCategory => {
  const category = { id: createUuid(context.world), name };
  context.workspace.categories[category.id] = category;
  return category;
};

export const addExpense = (
  context: SeedContext,
  user: number,
  name: string,
  amount: number,
  daysAgo: number,
  overrides: Partial<R.Expense> = {},
): R.Expense => {
  const expense: R.Expense = {
    id: createUuid(context.world),
    user_id: user,
    expense_name: name,
    date: toDayAgo(context, daysAgo),
    project_id: null,
    category_id: null,
    amount,
    note: null,
    is_billable: false,
    added_on: toDayAgo(context, Math.max(0, daysAgo - 1)),
    ...overrides,
  };
  context.workspace.expenses[expense.id] = expense;
  return expense;
};

export const addWebhook = (context: SeedContext, url: string, events: string[]): R.Webhook => {
  const token = `whsec_${createSecret(() => drawRandom(context.world), 32)}`;
  const webhook = { id: createUuid(context.world), url, events, token };
  context.workspace.webhooks[webhook.id] = webhook;
  return webhook;
};

/** Minutes of a week: between 30 and 42 hours, in quarters. */
export const drawWeekMinutes = (context: SeedContext): number =>
  1800 + 15 * Math.floor(drawRandom(context.world) * 48);

export const drawOne = <T>(context: SeedContext, values: readonly T[], fallback: T): T =>
  values[Math.floor(drawRandom(context.world) * values.length)] ?? fallback;
