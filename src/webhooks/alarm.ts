import type { Clock } from '../clock.ts';

/** Wakes for the earliest of what waits for its next attempt. */
export const createAlarm = (clock: Pick<Clock, 'now' | 'sleep'>, onDue: (key: string) => void) => {
  const due = new Map<string, number>();
  let current = new AbortController();
  const set = async (): Promise<void> => {
    current.abort();
    if (due.size === 0) return;
    current = new AbortController();
    const earliest = [...due.values()].reduce((one, other) => Math.min(one, other));
    const woken = clock.sleep(Math.max(0, earliest - clock.now()), current.signal);
    if (
      await woken.then(
        () => false,
        () => true,
      )
    )
      return;
    const now = clock.now();
    const keys = [...due].filter(([, ms]) => ms <= now).sort(([, one], [, other]) => one - other);
    for (const [key] of keys) {
      due.delete(key);
      onDue(key);
    }
    void set();
  };
  return {
    add(key: string, ms: number): void {
      due.set(key, ms);
      void set();
    },
    remove: (key: string) => due.delete(key),
    stop(): void {
      due.clear();
      current.abort();
    },
  };
};
