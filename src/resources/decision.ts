/** What leave requests and time requests have in common: they wait for one decision. */

export const decisionStates = ['pending', 'approved', 'rejected'] as const;

export const decisions = {
  approve: { verb: ['approve', 'approved'], from: 'pending', to: 'approved', asks: true },
  reject: { verb: ['reject', 'rejected'], from: 'pending', to: 'rejected', asks: true },
} as const;
