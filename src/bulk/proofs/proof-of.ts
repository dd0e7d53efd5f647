import type { Call } from '../../api/client.ts';
import { contractProofs } from './contracts.ts';
import { expenseProofs } from './expenses.ts';
import { leaveProofs } from './leaves.ts';
import { memberProofs } from './members.ts';
import { projectProofs } from './projects.ts';
import type { Proof, Proofs } from './proof.ts';
import { taskProofs } from './tasks.ts';
import { timeRequestProofs } from './time-requests.ts';
import { timeTrackingProofs } from './time-tracking.ts';
import { timesheetProofs } from './timesheets.ts';
import { viewerProofs } from './viewers.ts';
import { webhookProofs } from './webhooks.ts';

const PROOFS: Proofs = {
  ...memberProofs,
  ...viewerProofs,
  ...projectProofs,
  ...contractProofs,
  ...taskProofs,
  ...timesheetProofs,
  ...leaveProofs,
  ...timeRequestProofs,
  ...expenseProofs,
  ...timeTrackingProofs,
  ...webhookProofs,
};

/** How the service's own records show what became of a write. */
export const proofOf = ({ operation }: Call): Proof | undefined => PROOFS[operation.id];
