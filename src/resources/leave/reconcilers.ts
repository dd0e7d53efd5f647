import { DECISION_STATUSES } from '../../api/vocabulary.ts';
import { textOf } from '../../json/text.ts';
import { firstRow, type Reconciler, type Reconcilers } from '../reconcile/reconciler.ts';
import { contradiction, decided } from '../reconcile/states.ts';

const isNow = (wanted: string): Reconciler => ({
  after: async (api, { leaveRequestId }) => {
    const id = textOf(leaveRequestId);
    const leave = await firstRow(api.leaves.list({ id }), (row) => textOf(row.id) === id);
    return decided(leave?.status, wanted);
  },
  contradicts: contradiction(DECISION_STATUSES, [wanted]),
});

export const leaveReconcilers: Reconcilers<'leaves'> = {
  'leaves.approve': isNow('approved'),
  'leaves.reject': isNow('rejected'),
};
