import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { contract, hasOwnRate } from '../../api/records.ts';
import { toNumber, toText } from '../../json.ts';
import { createCreationReconciler } from '../reconcile/creation.ts';
import { listDistinct, type Reconcilers, readOne, type SavedRate } from '../reconcile/reconciler.ts';
import { createArchivalReconciler, createUpdateReconciler } from '../reconcile/record-change.ts';

const get = (api: Api, { contractId }: Values) => api.contracts.get({ contractId: toText(contractId) });

/** The record that a write names. */
const named = {
  key: ({ contractId }: Values) => toText(contractId),
  lists: (api: Api) => [api.contracts.list({})],
};

const both = ({ project_id: project, user_id: user }: Row): string => `${toText(project)} ${toText(user)}`;

const created = createCreationReconciler({
  operation: operations.contracts.create,
  resource: contract,
  list: (api, { project_id: project, user_id: user }) =>
    project === undefined || user === undefined
      ? undefined
      : api.contracts.list({ project_id: toNumber(project), user_id: toNumber(user) }),
  lists: (api, all) => {
    const [project, ...others] = listDistinct(all, 'project_id');
    return [api.contracts.list(others.length > 0 ? {} : { project_id: toNumber(project) })];
  },
  alike: both,
  // A rate that was dropped makes it no other contract.
  view: (record) => ({ ...record, rate: undefined }),
  get: (api, id) => api.contracts.get({ contractId: id }),
});

/** The rate that a contract shows may be the member's, or the project's: it has none of its own then. */
const withOwnRate = (record: Row): Row => (hasOwnRate(record) ? record : { ...record, rate: null });

const rate: SavedRate = {
  own: (record) => withOwnRate(record).rate,
  id: ({ contractId }, answer) => {
    const id = contractId ?? answer?.id;
    return id == null ? undefined : toText(id);
  },
  get: (api, contractId) => readOne(get(api, { contractId })),
  list: (api) => api.contracts.list({}),
};

export const contractReconcilers: Reconcilers<'contracts'> = {
  'contracts.create': { ...created, rate },
  'contracts.update': createUpdateReconciler(
    {
      operation: operations.contracts.update,
      resource: contract,
      get,
      view: withOwnRate,
      ...named,
    },
    { rate },
  ),
  'contracts.archive': createArchivalReconciler({
    read: (api, values) => readOne(get(api, values)),
    ...named,
  }),
};
