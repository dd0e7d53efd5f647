import { type Answer, created, done, shown } from '../answer.ts';
import { type Call, pathValue, type Route, stampOf } from '../call.ts';
import { expenseData } from '../events.ts';
import { assumeOverlap, fits, overlaps, readIdFilter, readRange } from '../filters.ts';
import { inwardId, outwardId } from '../ids.ts';
import { paged } from '../paging.ts';
import { amount, anyText, day, flag, integer, text } from '../read.ts';
import type { Expense } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { find, fullName, isLive, newUuid } from '../state.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2024-01-15` as this record shows days: `Jan 15, 2024`. */
const spelled = (iso: string): string =>
  `${MONTHS[Number(iso.slice(5, 7)) - 1] ?? ''} ${iso.slice(8, 10)}, ${iso.slice(0, 4)}`;

const expenseView = (call: Call, expense: Expense) => ({
  id: outwardId(call.dialect, expense.id),
  member: fullName(find(call.world.users, expense.user_id)),
  expense_name: expense.expense_name,
  expense_date: spelled(expense.date),
  project: expense.project_id === null ? null : (find(call.space.projects, expense.project_id)?.name ?? null),
  category:
    expense.category_id === null ? null : (find(call.space.categories, expense.category_id)?.name ?? null),
  amount: expense.amount,
  note: expense.note,
  type: expense.is_billable ? 'billable' : 'non-billable',
  added_dte: spelled(expense.added_on),
});

const list = (call: Call): Answer => {
  const id = readIdFilter(call);
  const range = readRange(call);
  assumeOverlap(call, range);
  const rows = Object.values(call.space.expenses).filter(
    (row) => fits(id, row.id) && overlaps(range, row.date, row.date),
  );
  return paged(call, rows, (row) => expenseView(call, row));
};

const readProject = (call: Call): number | undefined => {
  const id = call.input.maybe('project_id', integer());
  if (id === undefined) return undefined;
  if (!isLive(call.space.projects, id)) {
    throw invalid('project_id', 'The selected project_id is invalid.', 'existing-ids');
  }
  return id;
};

/** A create and an update both need the first four (docs/service.md, Expenses). */
const readBody = (call: Call, before?: Expense) => {
  const body = {
    expense_name: call.input.need('expense_name', text),
    date: call.input.need('date', day),
    amount: call.input.need('amount', amount),
    category_id: inwardId(call.dialect, call.input.need('category_id', text)),
    project_id: readProject(call) ?? before?.project_id ?? null,
    note: call.input.maybe('note', anyText) ?? before?.note ?? null,
    is_billable: call.input.maybe('is_billable', flag) ?? before?.is_billable ?? false,
  };
  if (find(call.space.categories, body.category_id) === undefined) {
    throw invalid('category_id', 'The selected category_id is invalid.', 'existing-ids');
  }
  return body;
};

const create = (call: Call): Answer => {
  const body = readBody(call);
  const expense: Expense = {
    id: newUuid(call.world),
    user_id: call.user.id,
    ...body,
    added_on: stampOf(call).slice(0, 10),
  };
  call.space.expenses[expense.id] = expense;
  call.assume('expense-own');
  call.emit('expense.created', call.space, expenseData(call.dialect, expense));
  return created(201, expenseView(call, expense), 'The expense has been created.');
};

/** @throws Refused (404). */
const expenseOf = (call: Call): Expense => {
  const given = pathValue(call, 'expenseId');
  const expense = find(call.space.expenses, inwardId(call.dialect, given));
  if (expense === undefined) throw notFound('expense', given);
  return expense;
};

const update = (call: Call): Answer => {
  const expense = expenseOf(call);
  Object.assign(expense, readBody(call, expense));
  call.emit('expense.updated', call.space, expenseData(call.dialect, expense));
  return done('The expense has been updated.');
};

const remove = (call: Call): Answer => {
  const expense = expenseOf(call);
  delete call.space.expenses[expense.id];
  call.emit('expense.deleted', call.space, expenseData(call.dialect, expense));
  return done('The expense has been deleted.');
};

const categories = (call: Call): Answer => {
  const id = readIdFilter(call);
  call.assume('category-record');
  const rows = Object.values(call.space.categories).filter((category) => fits(id, category.id));
  return shown(rows.map((category) => ({ ...category, id: outwardId(call.dialect, category.id) })));
};

export const routes: readonly Route[] = [
  {
    route: 'GET /expenses',
    handle: list,
    documented: ['paginated', 'filters id, date range'],
    beyond: ['record', 'pagination', 'list-paging', 'last-page', 'period-overlap', 'range-order'],
  },
  {
    route: 'POST /expenses',
    handle: create,
    documented: ['expense_name, date, amount, category_id required'],
    beyond: ['record', 'body', 'created-201', 'existing-ids', 'expense-own', 'event-others'],
  },
  {
    route: 'PUT /expenses/{expenseId}',
    handle: update,
    documented: ['all required fields again'],
    beyond: ['body', 'existing-ids', 'event-others'],
  },
  {
    route: 'DELETE /expenses/{expenseId}',
    handle: remove,
    documented: ['deleted for good'],
    beyond: ['event-others'],
  },
  {
    route: 'GET /expenses/categories',
    handle: categories,
    documented: ['filter by id'],
    beyond: ['category-record'],
  },
];
