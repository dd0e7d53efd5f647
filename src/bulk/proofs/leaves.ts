import type { Api } from '../../api/client.ts';
import { DECISION_STATUSES } from '../../api/vocabulary.ts';
import { textOf } from '../../json/text.ts';
import { firstRow, type Proof, type Proofs } from './proof.ts';
import { contradiction, decided, rejection } from './states.ts';

/** A list alone shows one. */
const leave = (api: Api, leaveRequestId: unknown) => {
  const id = textOf(leaveRequestId);
  return firstRow(api.leaves.list({ id }), (row) => textOf(row.id) === id);
};

const isNow = (wanted: string): Proof => ({
  after: async (api, { leaveRequestId }) => decided((await leave(api, leaveRequestId))?.status, wanted),
  contradicts: contradiction(DECISION_STATUSES, [wanted]),
});

const saved = rejection((api, { leaveRequestId }) => leave(api, leaveRequestId));

export const leaveProofs: Proofs = {
  'leaves.approve': isNow('approved'),
  'leaves.reject': { ...isNow('rejected'), saved },
};
