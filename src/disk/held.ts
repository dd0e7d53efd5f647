import type { Clock } from '../clock.ts';
import { errnoOf } from './failure.ts';
import { listGenerations } from './generations.ts';
import { holderTable } from './holder.ts';
import { inspectHolder } from './rivals.ts';

/** Whether somebody holds the lock of `path` at this moment (lock.ts). Changes nothing. */
export const isHeld = (path: string, clock: Clock): boolean => {
  const folder = `${path}.lock`;
  try {
    const { highest, released } = listGenerations(folder);
    if (highest === 0 || released) return false;
    const place = { folder, clock, table: holderTable(), foreignMs: Number.POSITIVE_INFINITY };
    return typeof inspectHolder(place, highest) === 'object';
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
};
