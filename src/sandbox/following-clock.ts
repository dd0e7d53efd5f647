import type { Clock } from '../clock.ts';
import type { StoredClock } from './clock.ts';
import type { SandboxControl } from './control.ts';

/** Shorter sleeps only look again whether others are done: those go by real time. */
const MIN_ADVANCE_MS = 100;

const readAheadMs = (state: Pick<StoredClock, 'ahead_seconds'> | undefined): number =>
  Math.round((state?.ahead_seconds ?? 0) * 1000);

/**
 * A clock that goes as the sandbox's does, and that moves the sandbox's on in place of sleeping. No wait is left out
 * before the sandbox has said that its time has come so far: where it does not say so, the wait is a real one.
 * @returns the machine's clock where there is no such sandbox
 */
export const createFollowingClock = async (
  machine: Clock,
  control: Pick<SandboxControl, 'clock' | 'moveClock'>,
): Promise<Clock> => {
  const initial = await control.clock().catch(() => undefined);
  if (Number.isNaN(Date.parse(String(initial?.now)))) return machine;
  // What the sandbox says itself: an answer that was long on its way would make its clock seem to be behind.
  let ahead = readAheadMs(initial);
  /**
   * Moments that a move is on its way to. What is answered meanwhile may have come in after it: its windows are
   * counted from the later time, so that nobody is let in too early.
   */
  const pendingTimes = new Set<number>();
  const now = (): number =>
    [...pendingTimes].reduce((latest, time) => Math.max(latest, time), machine.now() + ahead);
  /** Whether the sandbox's clock has come to the moment. */
  const advanceTo = async (to_ms: number): Promise<boolean> => {
    pendingTimes.add(to_ms);
    const state = await control.moveClock({ action: 'reach', to_ms }).catch(() => undefined);
    pendingTimes.delete(to_ms);
    const timeMs = Date.parse(String(state?.now));
    if (Number.isNaN(timeMs)) return false;
    ahead = readAheadMs(state);
    return timeMs >= to_ms;
  };
  return {
    now,
    random: () => machine.random(),
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      // From what is sure: several that wait for the same refusal wait together.
      const hasAdvanced = ms >= MIN_ADVANCE_MS && (await advanceTo(Math.ceil(machine.now() + ahead + ms)));
      if (!hasAdvanced) await machine.sleep(ms, signal);
    },
  };
};
