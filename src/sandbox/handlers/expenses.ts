import { invalid } from '../answer.ts';
import * as read from '../input.ts';
import { type Call, created, done, type Route, requireRecord, route } from '../input.ts';
import { addRecord } from '../records.ts';
import { findRecord, formatFullName, isLive } from '../state.ts';
import type { Expense, Webhook } from '../world.ts';

/** Expenses and their categories; webhooks as they are registered (what is sent to them is in `deliveries.ts`). */
export const expenseRoutes: readonly Route[] = [
  route('GET /expenses', {}, (call) => {
    const { input, workspace } = call;
    const rows = input.select(workspace.expenses, { id: read.anyText });
    const isInRange = input.rangeFilter();
    return input.page(
      rows.filter(({ date }) => isInRange(date, date)),
      (row) => toView(call, row),
    );
  }),
  route('POST /expenses', 'expense.created', (call) => {
    const expense = addRecord(call, 'expenses', { user_id: call.user.id, ...readExpense(call) });
    return created(toView(call, expense), expense);
  }),
  route('PUT /expenses/{expenseId}', 'expense.updated', (call) => {
    const expense = requireExpense(call);
    Object.assign(expense, readExpense(call));
    return done(expense);
  }),
  route('DELETE /expenses/{expenseId}', 'expense.deleted', (call) => {
    const expense = requireExpense(call);
    delete call.workspace.expenses[expense.id];
    return done(expense);
  }),
  route('GET /expenses/categories', {}, ({ input, workspace }) => ({
    data: input.select(workspace.categories, { id: read.anyText }),
  })),
  route('GET /webhooks', {}, ({ input, workspace }) => {
    // 50 rows a page (docs/service.md, Paging).
    const rows = Object.values(workspace.webhooks);
    return input.page(rows, ({ id, url, events }) => ({ id, url, events }), { perPage: 50 });
  }),
  route('POST /webhooks', { workspace: 'body', form: true }, (call) => {
    const { url, events } = readWebhook(call);
    return { data: addRecord(call, 'webhooks', { url, events }) };
  }),
  // The secret is returned on create and get (docs/service.md, Webhooks).
  route('GET /webhooks/{webhookId}', {}, (call) => ({ data: requireWebhook(call) })),
  route('PUT /webhooks/{webhookId}', { workspace: 'body', form: true }, (call) => {
    const webhook = requireWebhook(call);
    Object.assign(webhook, readWebhook(call));
    return {};
  }),
  route('DELETE /webhooks/{webhookId}', { workspace: 'body' }, (call) => {
    delete call.workspace.webhooks[requireWebhook(call).id];
    return {};
  }),
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function formatDay(iso: string): string {
  return `${MONTHS[Number(iso.slice(5, 7)) - 1] ?? ''} ${iso.slice(8, 10)}, ${iso.slice(0, 4)}`;
}

function toView({ world, workspace }: Call, expense: Expense) {
  const { id, user_id, expense_name, amount, note, is_billable } = expense;
  return {
    ...{ id, member: formatFullName(findRecord(world.users, user_id)), expense_name },
    expense_date: formatDay(expense.date),
    project: findRecord(workspace.projects, expense.project_id ?? '')?.name ?? null,
    category: findRecord(workspace.categories, expense.category_id ?? '')?.name ?? null,
    ...{ amount, note, type: is_billable ? 'billable' : 'non-billable' },
    added_dte: formatDay(expense.added_on),
  };
}

/** A create and an update both need the first four (docs/service.md, Expenses). */
function readExpense({ input, workspace }: Call) {
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

function requireExpense({ workspace, path }: Call): Expense {
  return requireRecord(workspace.expenses, 'expense', path.expenseId);
}

function readWebhook({ input }: Call): { url: string; events: string[] } {
  const url = input.need('url', read.filledText);
  const events = input.need('events', read.list(read.filledText));
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalid('url', 'The url field must be a valid URL.');
  if (events.length === 0) throw invalid('events', 'The events field is required.');
  return { url, events: [...new Set(events)] };
}

function requireWebhook({ workspace, path }: Call): Webhook {
  return requireRecord(workspace.webhooks, 'webhook', path.webhookId);
}
