import type { Proofs } from './proof.ts';

/** No record shows a tracker: asking to stop it again is the only way to see, and that is a write. */
export const timeTrackingProofs: Proofs = {
  'time-tracking.stop': { after: async () => 'unknown' },
};
