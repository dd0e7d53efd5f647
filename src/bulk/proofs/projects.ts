import type { Api } from '../../api/client.ts';
import type { Values } from '../../api/plan.ts';
import { archival, change, creation, type Proofs, sameForm } from './proof.ts';

const get = (api: Api, { projectId }: Values) => api.projects.get({ projectId: String(projectId) });

/** What is sent as `budget` is shown as `budget_estimation` (spec/notes.md, Records). */
const inRecord = ({ projectId: _id, budget, ...fields }: Values): Values => ({
  ...fields,
  budget_estimation: budget,
});

const created = creation({
  list: (api, { name }) => (name === undefined ? undefined : api.projects.list({ name: String(name) })),
  lists: (api) => [api.projects.list({})],
  sentAs: ({ name }) => sameForm(name),
  shownAs: ({ name }) => sameForm(name),
  inRecord,
  get: (api, id) => api.projects.get({ projectId: id }),
});

export const projectProofs: Proofs = {
  'projects.create': created,
  'projects.update': change(get, inRecord),
  'projects.archive': archival(get),
};
