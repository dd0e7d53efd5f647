import type { RateBudget } from './pacing.ts';

/** `150/60,20/1`: requests in so many seconds, writes in so many seconds (docs/requirements.md, CLI-6). */
export interface Rate {
  readonly requests: number;
  readonly perSeconds: number;
  readonly writes: number;
  readonly writesPerSeconds: number;
}

/** `off`: nothing is counted and nothing waits. */
export const UNLIMITED: RateBudget = { admit: () => Promise.resolve({ done: () => {} }) };
