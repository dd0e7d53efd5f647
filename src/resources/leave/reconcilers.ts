import type { Api } from '../../api/client.ts';
import { toText } from '../../json/stringify.ts';
import {
  createContradictionCheck,
  createRejectionView,
  findOne,
  judgeDecision,
  type Reconciler,
  type Reconcilers,
} from '../reconcile/reconciler.ts';
import { decisionStates, decisions, type Transition } from '../resource.ts';

/** A list alone shows one. */
const leave = (api: Api, leaveRequestId: unknown) => {
  const id = toText(leaveRequestId);
  return findOne(api.leaves.list({ id }), (row) => toText(row.id) === id);
};

const isNow = ({ to }: Transition): Reconciler => ({
  after: async (api, { leaveRequestId }) => judgeDecision((await leave(api, leaveRequestId))?.status, to),
  contradicts: createContradictionCheck(decisionStates, [to]),
});

const saved = createRejectionView((api, { leaveRequestId }) => leave(api, leaveRequestId));

export const leaveReconcilers: Reconcilers<'leaves'> = {
  'leaves.approve': isNow(decisions.approve),
  'leaves.reject': { ...isNow(decisions.reject), saved },
};
