import type { Clock } from '../clock.ts';
import { getErrno } from './failure.ts';
import { claimPid, type Generations, listGenerations, readGeneration } from './generations.ts';
import { createHolderTable, type Holder, type HolderTable } from './holder.ts';

/** What the other processes that want or have a lock mean for this one. */

export interface LockContext {
  readonly folder: string;
  readonly clock: Clock;
  readonly table: HolderTable;
  readonly foreignMs: number;
}

/** What stands in the way: a live holder, or nothing that could be read (`holder` undefined). */
export interface LockObstacle {
  readonly holder: Holder | undefined;
  readonly since: number;
}

/** The greatest time that a date can show. */
const LAST_TIME_MS = 8.64e15;

const parseRecord = (text: string): { holder: Holder; since: number } | undefined => {
  try {
    const record = JSON.parse(text);
    const { pid, host } = record.holder;
    const dated = typeof record.since === 'number' && Math.abs(record.since) < LAST_TIME_MS;
    return Number.isInteger(pid) && typeof host === 'string' && dated ? record : undefined;
  } catch {
    return undefined;
  }
};

/** Whether the holder of an unreleased generation stands in the way. `gone`: the listing is out of date. */
export const inspectHolder = (place: LockContext, number: number): LockObstacle | 'dead' | 'gone' => {
  const file = readGeneration(place.folder, number);
  if (file === undefined) return 'gone';
  const record = parseRecord(file.text);
  const state = record === undefined ? 'elsewhere' : place.table.stateOf(record.holder);
  if (state === 'dead') return 'dead';
  // The later of both: the clocks of two hosts may differ.
  const since = Math.max(file.mtimeMs, record?.since ?? 0);
  if (state === 'elsewhere' && place.clock.now() - since >= place.foreignMs) return 'dead';
  return { holder: record?.holder, since: record?.since ?? file.mtimeMs };
};

/** Whether this process held the lock last while another one waits: it would come first each time. */
export const mustYield = (place: LockContext, seen: Generations): boolean => {
  if (seen.claims.length === 0) return false;
  const me = place.table.self();
  const waiting = seen.claims.some(
    (claim) =>
      claimPid(claim) !== me.pid &&
      place.table.stateOf({ ...me, start: undefined, pid: claimPid(claim) }) === 'alive',
  );
  if (!waiting) return false;
  const last = parseRecord(readGeneration(place.folder, seen.highest)?.text ?? '');
  return last?.holder.pid === me.pid && last.holder.host === me.host;
};

/** Whether somebody holds the lock of `path` at this moment (lock.ts). Changes nothing. */
export const isLocked = (path: string, clock: Clock): boolean => {
  const folder = `${path}.lock`;
  try {
    const { highest, released } = listGenerations(folder);
    if (highest === 0 || released) return false;
    const place = { folder, clock, table: createHolderTable(), foreignMs: Number.POSITIVE_INFINITY };
    return typeof inspectHolder(place, highest) === 'object';
  } catch (error) {
    if (getErrno(error) === 'ENOENT') return false;
    throw error;
  }
};
