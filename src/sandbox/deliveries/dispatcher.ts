import type { Clock } from '../../clock.ts';
import type { World } from '../world.ts';
import { getDispatchTime, getNextDelay } from './ledger.ts';
import type { DeliverySender } from './sender.ts';

/** Keeps a sender at work as long as its server lives: at every change, and when the next attempt is due. */

export interface DispatcherOptions {
  readonly sender: DeliverySender;
  readonly world: () => World;
  /** The machine's clock. */
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export interface Dispatcher {
  /** Looks at once what is due: something was put down, or the sandbox's clock was moved. */
  wake(): void;
  /** Resolves once nothing is due and nothing on its way. */
  idle(): Promise<void>;
}

/** Timers of Node reach no further than 24 days. */
const MAX_TIMER_MS = 24 * 3_600_000;
/** After a round that failed: a full disk is not stormed. */
const FAULT_DELAY_MS = 5_000;

export const createDispatcher = ({ sender, world, clock, signal }: DispatcherOptions): Dispatcher => {
  const runs = new Set<Promise<void>>();
  let timerController = new AbortController();
  const schedule = (minDelay: number): void => {
    timerController.abort();
    timerController = new AbortController();
    const delay = getNextDelay(world(), getDispatchTime(world(), clock));
    if (delay === undefined || signal.aborted) return;
    const ms = Math.min(Math.max(delay, minDelay), MAX_TIMER_MS);
    clock.sleep(ms, AbortSignal.any([timerController.signal, signal])).then(wake, () => {});
  };
  const wake = (): void => {
    if (signal.aborted) return;
    timerController.abort();
    const run = sender
      .run()
      .then(
        () => 0,
        () => FAULT_DELAY_MS,
      )
      .then((minDelay) => {
        runs.delete(run);
        schedule(minDelay);
      });
    runs.add(run);
  };
  return {
    wake,
    async idle() {
      while (runs.size > 0) await Promise.all(runs);
      // What others asked the sender for.
      await sender.run().catch(() => {});
    },
  };
};
