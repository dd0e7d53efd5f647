import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Values } from '../../api/plan.ts';
import { project } from '../../api/records.ts';
import { toText } from '../../json.ts';
import { createCreationReconciler } from '../reconcile/creation.ts';
import { normalizeText, type Reconcilers, readOne } from '../reconcile/reconciler.ts';
import {
  createArchivalReconciler,
  createUpdateReconciler,
  createWrittenView,
} from '../reconcile/record-change.ts';

const get = (api: Api, { projectId }: Values) => api.projects.get({ projectId: toText(projectId) });

/** The record that a write names. */
const named = {
  key: ({ projectId }: Values) => toText(projectId),
  lists: (api: Api) => [api.projects.list({})],
};

const created = createCreationReconciler({
  operation: operations.projects.create,
  resource: project,
  list: (api, { name }) => (name === undefined ? undefined : api.projects.list({ name: toText(name) })),
  lists: (api) => [api.projects.list({})],
  alike: ({ name }) => normalizeText(name),
  view: createWrittenView(project),
  get: (api, id) => api.projects.get({ projectId: id }),
});

export const projectReconcilers: Reconcilers<'projects'> = {
  'projects.create': created,
  'projects.update': createUpdateReconciler({
    operation: operations.projects.update,
    resource: project,
    get,
    ...named,
  }),
  'projects.archive': createArchivalReconciler({
    read: (api, values) => readOne(get(api, values)),
    ...named,
  }),
};
