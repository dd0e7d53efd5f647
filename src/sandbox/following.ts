import type { Clock } from '../clock.ts';
import type { SandboxControl } from './control.ts';

/** Shorter sleeps only look again whether others are done: those go by real time. */
const NAP_MS = 100;

/**
 * A clock that goes as the sandbox's does, and that moves the sandbox's on in place of sleeping. No wait is left out
 * before the sandbox has said that its time has come so far: where it does not say so, the wait is a real one.
 * @returns the machine's clock where there is no such sandbox
 */
export const followingClock = async (
  machine: Clock,
  control: Pick<SandboxControl, 'clock' | 'moveClock'>,
): Promise<Clock> => {
  const first = await control.clock().catch(() => undefined);
  const begin = Date.parse(String(first?.now));
  if (Number.isNaN(begin)) return machine;
  let ahead = begin - machine.now();
  /** Whether the sandbox's clock has come to the moment. */
  const reach = async (to_ms: number): Promise<boolean> => {
    const state = await control.moveClock({ action: 'reach', to_ms }).catch(() => undefined);
    const now = Date.parse(String(state?.now));
    if (Number.isNaN(now)) return false;
    ahead = now - machine.now();
    return now >= to_ms;
  };
  return {
    now: () => machine.now() + ahead,
    random: () => machine.random(),
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      const there = ms >= NAP_MS && (await reach(Math.ceil(machine.now() + ahead + ms)));
      if (!there) await machine.sleep(ms, signal);
    },
  };
};
