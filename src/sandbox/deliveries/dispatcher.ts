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
const LONGEST_NAP_MS = 24 * 3_600_000;
/** After a round that failed: a full disk is not stormed. */
const AFTER_FAULT_MS = 5_000;

export const createDispatcher = ({ sender, world, clock, signal }: DispatcherOptions): Dispatcher => {
  const rounds = new Set<Promise<void>>();
  let nap = new AbortController();
  const rest = (least: number): void => {
    nap.abort();
    nap = new AbortController();
    const wait = getNextDelay(world(), getDispatchTime(world(), clock));
    if (wait === undefined || signal.aborted) return;
    const ms = Math.min(Math.max(wait, least), LONGEST_NAP_MS);
    clock.sleep(ms, AbortSignal.any([nap.signal, signal])).then(wake, () => {});
  };
  const wake = (): void => {
    if (signal.aborted) return;
    nap.abort();
    const round = sender
      .run()
      .then(
        () => 0,
        () => AFTER_FAULT_MS,
      )
      .then((least) => {
        rounds.delete(round);
        rest(least);
      });
    rounds.add(round);
  };
  return {
    wake,
    async idle() {
      while (rounds.size > 0) await Promise.all(rounds);
      // What others asked the sender for.
      await sender.run().catch(() => {});
    },
  };
};
