import type { Clock } from '../../clock.ts';
import type { StateAccess } from '../state-access.ts';
import { getDispatchTime, listDue } from './ledger.ts';

/** With no server, a command that used the sandbox sends what is due by then, after its output. */

/** How long a command may stay for it; the rest is left to the next one. */
const MAX_WAIT_MS = 3_000;

export const sendAfterwards = async (
  state: Pick<StateAccess, 'use' | 'peek'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  const world = await state.peek();
  if (world === undefined || listDue(world, getDispatchTime(world, clock)).length === 0) return;
  const { createDeliverySender } = await import('./sender.ts');
  const deadline = clock.now() + MAX_WAIT_MS;
  await createDeliverySender({ state, clock, allowed: [], signal, deadline }).run();
};
