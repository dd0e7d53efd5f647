import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { expense as resource } from '../../api/records.ts';
import type { Names } from '../../context.ts';
import { stringifyJson, toNumber, toText } from '../../json.ts';
import { toIsoDay } from '../../parsing/names.ts';
import { createCreationReconciler } from '../reconcile/creation.ts';
import {
  findOne,
  listDistinct,
  type Outcome,
  type Reconciler,
  type Reconcilers,
} from '../reconcile/reconciler.ts';
import { createDeletionReconciler, describeUpdate, toRecordFields } from '../reconcile/record-change.ts';
import { compareSent } from '../reconcile/sent-fields.ts';

const expense = (api: Api, value: unknown): Promise<Row | undefined> => {
  const id = toText(value);
  return findOne(api.expenses.list({ id }), (row) => toText(row.id) === id);
};

const alike = ({ expense_name: name, amount }: Row): string => stringifyJson([name, toNumber(amount)]);

/** What the ids that were sent are called. */
interface Called {
  readonly category?: unknown;
  readonly project?: unknown;
}

/** A record shows names where ids were sent. Of a name that is not known only its absence tells. */
const idBehind = (shown: unknown, sent: unknown, name: unknown): unknown =>
  shown == null || (name !== undefined && shown !== name) ? shown : sent;

const { type: billing } = resource.written;
const isBillable = (word: unknown): unknown => Object.entries(billing).find(([one]) => one === word)?.[1];

const toView = (row: Row, sent: Values, { category, project }: Called): Row => ({
  ...row,
  date: row.expense_date ?? row.date,
  category_id: row.category_id ?? idBehind(row.category, sent.category_id, category),
  project_id: row.project_id ?? idBehind(row.project, sent.project_id, project),
  is_billable: row.type === undefined ? row.is_billable : isBillable(row.type),
});

const called = async (api: Api, sent: Values): Promise<Called> => {
  const id = toText(sent.category_id);
  const category = await findOne(api.expenses.categories({ id }), (row) => toText(row.id) === id);
  const project =
    sent.project_id === undefined
      ? undefined
      : (await api.projects.get({ projectId: toText(sent.project_id) }).send()).data;
  return { category: category?.name, project: project?.name };
};

/** Names that an answer shows are not looked up: nothing speaks against their being those that were sent. */
const view: Reconciler['view'] = (row, sent) => toView(row, sent, {});

/** The names of the category and the project that were sent. */
const readNames = async (sent: Values, names: Names | undefined): Promise<Called> => {
  await Promise.all([names?.category.load([sent.category_id]), names?.project.load([sent.project_id])]);
  return {
    category: names?.category.of(sent.category_id),
    project: sent.project_id === undefined ? undefined : names?.project.of(sent.project_id),
  };
};

/** A value as the record will show it. */
const createToShown =
  ({ category, project }: Called) =>
  (name: string, value: unknown): unknown => {
    if (name === 'is_billable') return Object.entries(billing).find(([, one]) => one === value)?.[0];
    if (name === 'category_id') return category ?? value;
    return name === 'project_id' ? (project ?? value) : value;
  };

/** Expenses of that day with the same name and amount; the day is asked of the service. */
const created = createCreationReconciler({
  operation: operations.expenses.create,
  resource,
  fields: async (values, names) => {
    const toShown = createToShown(await readNames(values, names));
    return toRecordFields({ operation: operations.expenses.create, resource }, values, toShown);
  },
  list: (api, { date, expense_name: name, amount }) =>
    typeof date !== 'string' || name === undefined || amount === undefined
      ? undefined
      : api.expenses.list({ date_from: date, date_to: date }),
  lists: (api, all) => {
    const days = listDistinct(all, 'date').map(String).sort();
    return [api.expenses.list({ date_from: days[0], date_to: days.at(-1) })];
  },
  alike,
  place: ({ expense_date: shown, date }) => toIsoDay(shown ?? date),
  byLikeness: true,
  view,
});

/** The record that a write names. */
const named = {
  read: (api: Api, { expenseId }: Values) => expense(api, expenseId),
  key: ({ expenseId }: Values) => toText(expenseId),
  lists: (api: Api) => [api.expenses.list({})],
};

const { update } = operations.expenses;

const judgeUpdate = (row: Row | undefined, sent: Values, names: Called): Outcome =>
  row === undefined || names.category === undefined
    ? 'unknown'
    : compareSent(update, toView(row, sent, names), sent);

const updated: Reconciler = {
  after: async (api, sent) => judgeUpdate(await expense(api, sent.expenseId), sent, await called(api, sent)),
  afterRun: async (lists, api, all) => {
    const { rows } = await lists.search(named.lists(api), new Set(all.map(named.key)));
    const names = new Map<string, Promise<Called>>();
    return async (sent) => {
      const [row = await expense(api, sent.expenseId)] = rows.get(named.key(sent)) ?? [];
      const ids = stringifyJson([sent.category_id, sent.project_id]);
      const known = names.get(ids) ?? called(api, sent);
      names.set(ids, known);
      return judgeUpdate(row, sent, await known);
    };
  },
  view,
  record: {
    ...named,
    effect: async (record, values, names) => {
      const called = await readNames(values, names);
      const toShown = createToShown(called);
      const shown = toView(record, values, called);
      return describeUpdate({ operation: update, resource, toShown }, { record, shown, values });
    },
    first: 'old-values',
  },
};

export const expenseReconcilers: Reconcilers<'expenses'> = {
  'expenses.create': created,
  'expenses.update': updated,
  'expenses.delete': createDeletionReconciler(resource, named),
};
