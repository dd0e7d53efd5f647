import type { Api } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { creation, different, firstRow, type Proof, type Proofs, shows, verdict } from './proof.ts';

const alike = ({ expense_name: name, amount }: Row): string => JSON.stringify([name, Number(amount)]);

/** Expenses of that day with the same name and amount; the day is asked of the service. */
const created = creation({
  list: (api, { date, expense_name: name, amount }) =>
    typeof date !== 'string' || name === undefined || amount === undefined
      ? undefined
      : api.expenses.list({ date_from: date, date_to: date }),
  lists: (api, all) => {
    const days = different(all, 'date').map(String).sort();
    return [api.expenses.list({ date_from: days[0], date_to: days.at(-1) })];
  },
  sentAs: alike,
  shownAs: alike,
  scope: ({ date }) => date,
  // The record gives names where ids were sent: what makes it alike is what can be compared.
  inRecord: () => ({}),
});

const expense = (api: Api, { expenseId }: Values): Promise<Row | undefined> => {
  const id = String(expenseId);
  return firstRow(api.expenses.list({ id }), (row) => String(row.id) === id);
};

/** `2024-01-15` from `Jan 15, 2024`, as an expense shows its day (spec/notes.md); another form stays. */
const dayOf = (shown: unknown): unknown => {
  const ms = /^[A-Z][a-z]{2} \d/.test(String(shown)) ? Date.parse(`${shown} UTC`) : Number.NaN;
  return Number.isNaN(ms) ? shown : new Date(ms).toISOString().slice(0, 10);
};

/** What was sent in the words of a record, which shows names where ids were sent. */
const inRecord = async (api: Api, sent: Values): Promise<Values> => {
  const id = String(sent.category_id);
  const category = await firstRow(api.expenses.categories({ id }), (row) => String(row.id) === id);
  const project =
    sent.project_id === undefined
      ? undefined
      : (await api.projects.get({ projectId: String(sent.project_id) }).send()).data;
  const billing = sent.is_billable ? 'billable' : 'non-billable';
  return {
    expense_name: sent.expense_name,
    expense_date: sent.date,
    amount: sent.amount,
    category: category?.name,
    project: project?.name,
    note: sent.note,
    type: sent.is_billable === undefined ? undefined : billing,
  };
};

const updated: Proof = {
  after: async (api, sent) => {
    const row = await expense(api, sent);
    if (row === undefined) return 'unknown';
    const wanted = await inRecord(api, sent);
    if (wanted.category === undefined) return 'unknown';
    return shows({ ...row, expense_date: dayOf(row.expense_date) }, wanted);
  },
};

const deleted: Proof = {
  after: async (api, sent) => verdict((await expense(api, sent)) === undefined),
};

export const expenseProofs: Proofs = {
  'expenses.create': created,
  'expenses.update': updated,
  'expenses.delete': deleted,
};
