import type { Clock } from '../clock.ts';
import { Cancelled, EXIT } from '../outcome.ts';

/** What an aborted interrupt means: the `Cancelled` that was given as its reason, else Ctrl-C (exit 130). */
export const toCancelled = (interrupt: AbortSignal): Cancelled =>
  interrupt.reason instanceof Cancelled ? interrupt.reason : new Cancelled('interrupted', EXIT.interrupted);

/** Waits `ms` on the clock. Fails with `Cancelled` as soon as the run is interrupted. */
export const pause = async (clock: Clock, ms: number, interrupt?: AbortSignal): Promise<void> => {
  if (interrupt?.aborted) throw toCancelled(interrupt);
  try {
    await clock.sleep(ms, interrupt);
  } catch (error) {
    throw interrupt?.aborted ? toCancelled(interrupt) : error;
  }
};

/** Told before each wait, so that a person sees why nothing happens (`waiting 12 s for the rate limit`). */
export interface WaitNotice {
  /** Milliseconds. */
  readonly ms: number;
  /** `rate_limit`: the service answered 429. `fault`: a fault that may pass. `budget`: our own keeping to the limits. */
  readonly why: 'rate_limit' | 'fault' | 'budget';
  /** Which wait of its kind this is for one request, from 1. */
  readonly attempt: number;
}

export type OnWait = (wait: WaitNotice) => void;
