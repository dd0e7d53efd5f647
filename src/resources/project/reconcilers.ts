import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { toText } from '../../json/stringify.ts';
import {
  createArchivalReconciler,
  createChangeReconciler,
  createCreationReconciler,
  normalizeText,
  type Reconcilers,
} from '../reconcile/reconciler.ts';

const get = (api: Api, { projectId }: Values) => api.projects.get({ projectId: toText(projectId) });

/** What is sent as `budget` is shown as `budget_estimation` (docs/service.md, Projects). */
const view = (record: Row): Row => ({
  ...record,
  budget: 'budget_estimation' in record ? record.budget_estimation : record.budget,
});

const created = createCreationReconciler({
  operation: operations.projects.create,
  list: (api, { name }) => (name === undefined ? undefined : api.projects.list({ name: toText(name) })),
  lists: (api) => [api.projects.list({})],
  sentAs: ({ name }) => normalizeText(name),
  shownAs: ({ name }) => normalizeText(name),
  view,
  get: (api, id) => api.projects.get({ projectId: id }),
});

export const projectReconcilers: Reconcilers<'projects'> = {
  'projects.create': created,
  'projects.update': createChangeReconciler(operations.projects.update, get, view),
  'projects.archive': createArchivalReconciler(get),
};
