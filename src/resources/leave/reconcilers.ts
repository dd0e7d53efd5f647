import type { Api } from '../../api/client.ts';
import type { Values } from '../../api/plan.ts';
import { toText } from '../../json/stringify.ts';
import { findOne, type Reconciler, type Reconcilers } from '../reconcile/reconciler.ts';
import {
  createContradictionCheck,
  createStateReconciler,
  judgeDecision,
  toRejectionView,
} from '../reconcile/record-change.ts';
import { decisionStates, decisions, type Transition } from '../resource.ts';

/** A list alone shows one. */
const leave = (api: Api, leaveRequestId: unknown) => {
  const id = toText(leaveRequestId);
  return findOne(api.leaves.list({ id }), (row) => toText(row.id) === id);
};

const createDecisionReconciler = ({ to }: Transition): Reconciler =>
  createStateReconciler(
    {
      read: (api, { leaveRequestId }) => leave(api, leaveRequestId),
      key: ({ leaveRequestId }) => toText(leaveRequestId),
      lists: (api) => [api.leaves.list({})],
      to,
      judge: ({ status }) => judgeDecision(status, to),
      others: ({ reason }: Values) => (reason === undefined ? {} : { reject_reason: reason }),
    },
    { contradicts: createContradictionCheck(decisionStates, [to]) },
  );

export const leaveReconcilers: Reconcilers<'leaves'> = {
  'leaves.approve': createDecisionReconciler(decisions.approve),
  'leaves.reject': { ...createDecisionReconciler(decisions.reject), view: toRejectionView },
};
