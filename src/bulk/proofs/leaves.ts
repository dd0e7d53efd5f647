import { DECISION_STATUSES } from '../../api/vocabulary.ts';
import { textOf } from '../../json/text.ts';
import { firstRow, type Proof, type Proofs } from './proof.ts';
import { contradiction, decided } from './states.ts';

const isNow = (wanted: string): Proof => ({
  after: async (api, { leaveRequestId }) => {
    const id = textOf(leaveRequestId);
    const leave = await firstRow(api.leaves.list({ id }), (row) => textOf(row.id) === id);
    return decided(leave?.status, wanted);
  },
  contradicts: contradiction(DECISION_STATUSES, [wanted]),
});

export const leaveProofs: Proofs = {
  'leaves.approve': isNow('approved'),
  'leaves.reject': isNow('rejected'),
};
