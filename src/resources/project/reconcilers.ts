import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { textOf } from '../../json/text.ts';
import { archival, change, creation, type Reconcilers, sameForm } from '../reconcile/reconciler.ts';

const get = (api: Api, { projectId }: Values) => api.projects.get({ projectId: textOf(projectId) });

/** What is sent as `budget` is shown as `budget_estimation` (docs/service.md, Projects). */
const view = (record: Row): Row => ({
  ...record,
  budget: 'budget_estimation' in record ? record.budget_estimation : record.budget,
});

const created = creation({
  operation: operations.projects.create,
  list: (api, { name }) => (name === undefined ? undefined : api.projects.list({ name: textOf(name) })),
  lists: (api) => [api.projects.list({})],
  sentAs: ({ name }) => sameForm(name),
  shownAs: ({ name }) => sameForm(name),
  view,
  get: (api, id) => api.projects.get({ projectId: id }),
});

export const projectReconcilers: Reconcilers<'projects'> = {
  'projects.create': created,
  'projects.update': change(operations.projects.update, get, view),
  'projects.archive': archival(get),
};
