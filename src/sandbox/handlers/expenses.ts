import { answerCreated, answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toExpenseData } from '../events.ts';
import { isOverlapping, matchesFilter, readIdFilter, readRange } from '../filters.ts';
import { toInwardId, toOutwardId } from '../ids.ts';
import { answerPage } from '../paging.ts';
import { amountReader, anyTextReader, booleanReader, dayReader, integerReader, textReader } from '../read.ts';
import type { Expense } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { createUuid, findRecord, formatFullName, isLive } from '../state.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2024-01-15` as this record shows days: `Jan 15, 2024`. */
const formatDay = (iso: string): string =>
  `${MONTHS[Number(iso.slice(5, 7)) - 1] ?? ''} ${iso.slice(8, 10)}, ${iso.slice(0, 4)}`;

const toExpenseView = (call: WorkspaceCall, expense: Expense) => ({
  id: toOutwardId(call.dialect, expense.id),
  member: formatFullName(findRecord(call.world.users, expense.user_id)),
  expense_name: expense.expense_name,
  expense_date: formatDay(expense.date),
  project:
    expense.project_id === null
      ? null
      : (findRecord(call.workspace.projects, expense.project_id)?.name ?? null),
  category:
    expense.category_id === null
      ? null
      : (findRecord(call.workspace.categories, expense.category_id)?.name ?? null),
  amount: expense.amount,
  note: expense.note,
  type: expense.is_billable ? 'billable' : 'non-billable',
  added_dte: formatDay(expense.added_on),
});

const list = (call: WorkspaceCall): HandlerAnswer => {
  const id = readIdFilter(call);
  const range = readRange(call);
  const rows = Object.values(call.workspace.expenses).filter(
    (row) => matchesFilter(id, row.id) && isOverlapping(range, row.date, row.date),
  );
  return answerPage(call, rows, (row) => toExpenseView(call, row));
};

const readProject = (call: WorkspaceCall): number | undefined => {
  const id = call.input.maybe('project_id', integerReader());
  if (id === undefined) return undefined;
  if (!isLive(call.workspace.projects, id)) {
    throw invalid('project_id', 'The selected project_id is invalid.');
  }
  return id;
};

/** A create and an update both need the first four (docs/service.md, Expenses). */
const readBody = (call: WorkspaceCall, existing?: Expense) => {
  const body = {
    expense_name: call.input.need('expense_name', textReader),
    date: call.input.need('date', dayReader),
    amount: call.input.need('amount', amountReader),
    category_id: toInwardId(call.dialect, call.input.need('category_id', textReader)),
    project_id: readProject(call) ?? existing?.project_id ?? null,
    note: call.input.maybe('note', anyTextReader) ?? existing?.note ?? null,
    is_billable: call.input.maybe('is_billable', booleanReader) ?? existing?.is_billable ?? false,
  };
  if (findRecord(call.workspace.categories, body.category_id) === undefined) {
    throw invalid('category_id', 'The selected category_id is invalid.');
  }
  return body;
};

const create = (call: WorkspaceCall): HandlerAnswer => {
  const body = readBody(call);
  const expense: Expense = {
    id: createUuid(call.world),
    user_id: call.user.id,
    ...body,
    added_on: formatCallTime(call).slice(0, 10),
  };
  call.workspace.expenses[expense.id] = expense;
  call.emit(call.workspace, toExpenseData(call.dialect, expense));
  return answerCreated(201, toExpenseView(call, expense), 'The expense has been created.');
};

/** @throws Refusal (404). */
const requireExpense = (call: WorkspaceCall): Expense => {
  const id = getPathValue(call, 'expenseId');
  const expense = findRecord(call.workspace.expenses, toInwardId(call.dialect, id));
  if (expense === undefined) throw notFound('expense', id);
  return expense;
};

const update = (call: WorkspaceCall): HandlerAnswer => {
  const expense = requireExpense(call);
  Object.assign(expense, readBody(call, expense));
  call.emit(call.workspace, toExpenseData(call.dialect, expense));
  return answerDone('The expense has been updated.');
};

const remove = (call: WorkspaceCall): HandlerAnswer => {
  const expense = requireExpense(call);
  delete call.workspace.expenses[expense.id];
  call.emit(call.workspace, toExpenseData(call.dialect, expense));
  return answerDone('The expense has been deleted.');
};

const listCategories = (call: WorkspaceCall): HandlerAnswer => {
  const id = readIdFilter(call);
  const rows = Object.values(call.workspace.categories).filter((category) => matchesFilter(id, category.id));
  return answerData(rows.map((category) => ({ ...category, id: toOutwardId(call.dialect, category.id) })));
};

export const routes: readonly Route[] = [
  {
    route: 'GET /expenses',
    handle: list,
  },
  {
    route: 'POST /expenses',
    handle: create,
    events: ['expense.created'],
  },
  {
    route: 'PUT /expenses/{expenseId}',
    handle: update,
    events: ['expense.updated'],
  },
  {
    route: 'DELETE /expenses/{expenseId}',
    handle: remove,
    events: ['expense.deleted'],
  },
  {
    route: 'GET /expenses/categories',
    handle: listCategories,
  },
];
