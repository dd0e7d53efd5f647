import type { Clock } from '../../clock.ts';
import type { Store } from '../store.ts';
import { dueNow, momentOf } from './ledger.ts';

/** With no server, a command that used the sandbox sends what is due by then, after its output. */

/** How long a command may stay for it; the rest is left to the next one. */
const STAY_MS = 3_000;

export const sendAfterwards = async (store: Store, clock: Clock, signal: AbortSignal): Promise<void> => {
  const world = store.peek();
  if (world === undefined || dueNow(world, momentOf(world, clock)).length === 0) return;
  const [{ createDeliverySender }, { storeDepot }] = await Promise.all([
    import('./sender.ts'),
    import('./depots.ts'),
  ]);
  const deadline = clock.now() + STAY_MS;
  await createDeliverySender({ depot: storeDepot(store), clock, allowed: [], signal, deadline }).run();
};
