import { HeldBack } from '../http/pace.ts';
import type { Ask } from './book.ts';

/**
 * A hold comes from a refusal, so it is bounded as refusals are; keeping to the allowance is not (`--max-wait`).
 * @throws HeldBack where the waits on holds, with the one that is left, come to more
 */
export const createPatience =
  (patienceMs = Number.POSITIVE_INFINITY) =>
  (ask: Ask, heldMs: number, now: number): void => {
    if (heldMs <= 0) return;
    ask.heldSince ??= now;
    if (now - ask.heldSince + heldMs > patienceMs) throw new HeldBack(heldMs);
  };
