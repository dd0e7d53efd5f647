import type { Api } from '../../api/client.ts';
import { textOf } from '../../json/text.ts';
import { decisionStates, decisions } from '../decision.ts';
import { firstRow, type Reconciler, type Reconcilers } from '../reconcile/reconciler.ts';
import { contradiction, decided, rejection } from '../reconcile/states.ts';
import type { Transition } from '../resource.ts';

/** A list alone shows one. */
const leave = (api: Api, leaveRequestId: unknown) => {
  const id = textOf(leaveRequestId);
  return firstRow(api.leaves.list({ id }), (row) => textOf(row.id) === id);
};

const isNow = ({ to }: Transition): Reconciler => ({
  after: async (api, { leaveRequestId }) => decided((await leave(api, leaveRequestId))?.status, to),
  contradicts: contradiction(decisionStates, [to]),
});

const saved = rejection((api, { leaveRequestId }) => leave(api, leaveRequestId));

export const leaveReconcilers: Reconcilers<'leaves'> = {
  'leaves.approve': isNow(decisions.approve),
  'leaves.reject': { ...isNow(decisions.reject), saved },
};
