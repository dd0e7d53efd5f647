import { textOf } from '../../json/text.ts';
import { decisionStates, decisions } from '../decision.ts';
import { firstRow, type Reconciler, type Reconcilers } from '../reconcile/reconciler.ts';
import { contradiction, decided } from '../reconcile/states.ts';
import type { Transition } from '../resource.ts';

const isNow = ({ to }: Transition): Reconciler => ({
  after: async (api, { leaveRequestId }) => {
    const id = textOf(leaveRequestId);
    const row = await firstRow(api.leaves.list({ id }), (one) => textOf(one.id) === id);
    return decided(row?.status, to);
  },
  contradicts: contradiction(decisionStates, [to]),
});

export const leaveReconcilers: Reconcilers<'leaves'> = {
  'leaves.approve': isNow(decisions.approve),
  'leaves.reject': isNow(decisions.reject),
};
