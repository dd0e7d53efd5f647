import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { toNumber } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import {
  createArchivalReconciler,
  createChangeReconciler,
  createCreationReconciler,
  listDistinct,
  type Reconcilers,
} from '../reconcile/reconciler.ts';

const get = (api: Api, { contractId }: Values) => api.contracts.get({ contractId: toText(contractId) });

const both = ({ project_id: project, user_id: user }: Row): string => `${toText(project)} ${toText(user)}`;

const created = createCreationReconciler({
  operation: operations.contracts.create,
  list: (api, { project_id: project, user_id: user }) =>
    project === undefined || user === undefined
      ? undefined
      : api.contracts.list({ project_id: toNumber(project), user_id: toNumber(user) }),
  lists: (api, all) =>
    listDistinct(all, 'project_id').map((project) => api.contracts.list({ project_id: toNumber(project) })),
  sentAs: both,
  shownAs: both,
  get: (api, id) => api.contracts.get({ contractId: id }),
});

export const contractReconcilers: Reconcilers<'contracts'> = {
  'contracts.create': created,
  'contracts.update': createChangeReconciler(operations.contracts.update, get),
  'contracts.archive': createArchivalReconciler(get),
};
