import type { RateLimit } from './values.ts';

/** What holds where neither flag, environment nor profile says anything (docs/requirements.md, CLI-2 and CLI-6). */

export const DEFAULT_RATE: RateLimit = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };
/** Seconds for one request. */
export const DEFAULT_TIMEOUT = 30;
/** Seconds that one request may wait on refusals and faults. */
export const DEFAULT_MAX_WAIT = 120;
