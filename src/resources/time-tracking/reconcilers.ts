import type { Reconcilers } from '../reconcile/reconciler.ts';

/** No record shows a tracker: asking to stop it again is the only way to see, and that is a write. */
export const timeTrackingReconcilers: Reconcilers<'time-tracking'> = {
  'time-tracking.stop': { after: async () => 'unknown' },
};
