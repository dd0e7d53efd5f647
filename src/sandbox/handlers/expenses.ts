import { type HandlerAnswer, invalid, requireRecord } from '../answer.ts';
import { type Call, created, done, type Route, route } from '../call.ts';
import * as read from '../input.ts';
import { newExpense } from '../records.ts';
import { findRecord, formatFullName, isLive } from '../state.ts';
import type { Expense } from '../world.ts';

/** Expenses and their categories. */

export const expenseRoutes: readonly Route[] = [
  route('GET /expenses', list),
  route('POST /expenses', create, 'expense.created'),
  route('PUT /expenses/{expenseId}', update, 'expense.updated'),
  route('DELETE /expenses/{expenseId}', remove, 'expense.deleted'),
  route('GET /expenses/categories', listCategories),
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2024-01-15` as this record shows days: `Jan 15, 2024`. */
function formatDay(iso: string): string {
  return `${MONTHS[Number(iso.slice(5, 7)) - 1] ?? ''} ${iso.slice(8, 10)}, ${iso.slice(0, 4)}`;
}

function toView({ world, workspace }: Call, expense: Expense) {
  return {
    id: expense.id,
    member: formatFullName(findRecord(world.users, expense.user_id)),
    expense_name: expense.expense_name,
    expense_date: formatDay(expense.date),
    project: findRecord(workspace.projects, expense.project_id ?? '')?.name ?? null,
    category: findRecord(workspace.categories, expense.category_id ?? '')?.name ?? null,
    amount: expense.amount,
    note: expense.note,
    type: expense.is_billable ? 'billable' : 'non-billable',
    added_dte: formatDay(expense.added_on),
  };
}

function list(call: Call): HandlerAnswer {
  const { input, workspace } = call;
  const rows = input.select(workspace.expenses, { id: read.anyText });
  const isInRange = input.rangeFilter();
  return input.page(
    rows.filter(({ date }) => isInRange(date, date)),
    (row) => toView(call, row),
  );
}

/** A create and an update both need the first four (docs/service.md, Expenses). */
function readBody({ input, workspace }: Call) {
  const needed = {
    expense_name: input.need('expense_name', read.filledText),
    date: input.need('date', read.day),
    amount: input.need('amount', read.amount),
    category_id: input.need('category_id', read.filledText),
  };
  const given = input.given({ project_id: read.wholeNumber(), note: read.anyText, is_billable: read.flag });
  if (given.project_id !== undefined && !isLive(workspace.projects, given.project_id))
    throw invalid('project_id');
  if (findRecord(workspace.categories, needed.category_id) === undefined) throw invalid('category_id');
  return { ...needed, ...given };
}

function create(call: Call): HandlerAnswer {
  const expense = newExpense(call, { user_id: call.user.id, ...readBody(call) });
  return created(call, 'The expense has been created.', toView(call, expense), { ...expense });
}

function requireExpense({ workspace, path }: Call): Expense {
  return requireRecord(workspace.expenses, 'expense', path['expenseId']);
}

function update(call: Call): HandlerAnswer {
  const expense = requireExpense(call);
  Object.assign(expense, readBody(call));
  return done(call, 'The expense has been updated.', { ...expense });
}

function remove(call: Call): HandlerAnswer {
  const expense = requireExpense(call);
  delete call.workspace.expenses[expense.id];
  return done(call, 'The expense has been deleted.', expense);
}

function listCategories({ input, workspace }: Call): HandlerAnswer {
  return { data: input.select(workspace.categories, { id: read.anyText }) };
}
