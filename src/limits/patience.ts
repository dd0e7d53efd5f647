import { HeldBack } from '../http/pace.ts';
import type { Ask } from './book.ts';

/**
 * A hold comes from a refusal, so it is bounded as refusals are; keeping to the allowance is not (`--max-wait`).
 * @throws HeldBack where the waits on holds, with the one that is left, come to more
 */
export const createPatience = (patienceMs = Number.POSITIVE_INFINITY) => {
  const since = new WeakMap<Ask, number>();
  return (ask: Ask, heldMs: number, now: number): void => {
    if (heldMs <= 0) return;
    const from = since.get(ask) ?? now;
    since.set(ask, from);
    if (now - from + heldMs > patienceMs) throw new HeldBack(heldMs);
  };
};
