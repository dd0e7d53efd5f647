import type { Api } from '../../api/client.ts';
import { decisions, type Transition } from '../../api/fields.ts';
import type { Values } from '../../api/plan.ts';
import { leave as resource } from '../../api/records.ts';
import { toText } from '../../json.ts';
import { findOne, type Reconciler, type Reconcilers } from '../reconcile/reconciler.ts';
import { createTransitionReconciler, toRejectionView } from '../reconcile/record-change.ts';

/** A list alone shows one. */
const leave = (api: Api, leaveRequestId: unknown) => {
  const id = toText(leaveRequestId);
  return findOne(api.leaves.list({ id }), (row) => toText(row.id) === id);
};

const createReconciler = (transition: Transition): Reconciler =>
  createTransitionReconciler(resource, transition, {
    read: (api, { leaveRequestId }) => leave(api, leaveRequestId),
    key: ({ leaveRequestId }) => toText(leaveRequestId),
    lists: (api) => [api.leaves.list({})],
    others: ({ reason }: Values) => (reason === undefined ? {} : { reject_reason: reason }),
  });

export const leaveReconcilers: Reconcilers<'leaves'> = {
  'leaves.approve': createReconciler(decisions.approve),
  'leaves.reject': { ...createReconciler(decisions.reject), view: toRejectionView },
};
