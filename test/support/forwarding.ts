import { toDelivery } from '../../src/webhooks/delivery.ts';
import { createForwarder } from '../../src/webhooks/forwarder.ts';
import { createForwardingQueue } from '../../src/webhooks/forwarding-queue.ts';
import { createProgressStore } from '../../src/webhooks/progress.ts';
import { createDeliveryStore } from '../../src/webhooks/store.ts';
import type { TurnedClock } from './turned-clock.ts';

/** A listener without its socket: what it stores in a folder, and forwards from there. */

const warn = () => {};
export const NEVER = new Promise<never>(() => {});

/** @returns the exit code of the command */
export type Handler = (id: string, repeat: boolean) => number | Promise<number>;

interface ListenerFaults {
  readonly maxInFlight?: number;
  /** Whether the disk takes nothing. */
  readonly full?: () => boolean;
  /** Whether it is gone: it does nothing any more. */
  readonly isKilled?: () => boolean;
}

let arrivals = 0;

export const openQueue = (
  folder: string,
  clock: TurnedClock,
  handler: Handler,
  { maxInFlight = 1, full = () => false, isKilled = () => false }: ListenerFaults = {},
) => {
  const own = {
    now: () => clock.now(),
    sleep: async (ms: number, signal?: AbortSignal) => {
      await clock.sleep(ms, signal);
      if (isKilled()) await NEVER;
    },
  };
  const stop = new AbortController();
  const faults: unknown[] = [];
  const calls = {
    flush: () => {
      if (full()) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  };
  const store = createDeliveryStore(folder, { warn, calls });
  const progress = createProgressStore(folder, { warn, calls });
  const seen: string[] = [];
  const queue = createForwardingQueue({
    store,
    progress,
    maxInFlight,
    clock: own,
    interrupted: stop.signal,
    forward: createForwarder({
      exec: async ({ id }, repeat) => ({ exit: await handler(id, repeat) }),
      interrupted: stop.signal,
    }),
    onAttempt: ({ delivery, progress: { state, attempts } }) =>
      void seen.push(`${delivery.id} ${state} ${attempts}`),
    onFault: async (error) => void faults.push(error),
  });
  return {
    ...{ queue, store, progress, stop, seen, faults },
    receive(id: string) {
      arrivals += 1;
      const at = clock.now() + arrivals;
      const headers = [['webhook-id', id] as const];
      const arrival = { method: 'POST', target: '/', headers, body: Buffer.from('{}') };
      const delivery = toDelivery(arrival, at, () => ({ state: 'none' }));
      queue.accept(delivery.key);
      const repeat = store.keep(delivery) === 'repeat';
      return queue.add(delivery.key, repeat);
    },
  };
};

/** `id → state attempts` of all that is stored. */
export const readStates = (folder: string): Readonly<Record<string, string>> => {
  const [store, progress] = [createDeliveryStore(folder, { warn }), createProgressStore(folder, { warn })];
  return Object.fromEntries(
    store.keys().map((key) => {
      const { state, attempts } = progress.read(key) ?? { state: 'none', attempts: 0 };
      return [store.read(key)?.id ?? key, `${state} ${attempts}`];
    }),
  );
};
