import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { getErrno } from './failure.ts';
import { createHolderTable, type Holder, type HolderTable } from './holder.ts';
import { removeQuietly } from './temporary.ts';

/**
 * The files of a generation lock. `12` is the twelfth holder's record, `12.done` its
 * release, `<pid>.<chance>.tmp` the record of a process that wants to be the next.
 */

export interface Generations {
  /** 0: none yet. */
  readonly highest: number;
  /** Whether the highest was released. */
  readonly released: boolean;
  readonly numbers: readonly number[];
  /** File names of the waiting. */
  readonly claims: readonly string[];
}

const GENERATION_NAME = /^(\d{1,15})(\.done)?$/;
const CLAIM_NAME = /^(\d+)\..*\.tmp$/;

/** Throws ENOENT when the folder is not there yet. */
export const listGenerations = (folder: string): Generations => {
  const numbers: number[] = [];
  const claims: string[] = [];
  const done = new Set<number>();
  for (const name of readdirSync(folder)) {
    const match = GENERATION_NAME.exec(name);
    if (match === null) {
      if (CLAIM_NAME.test(name)) claims.push(name);
      continue;
    }
    const number = Number(match[1]);
    numbers.push(number);
    if (match[2] !== undefined) done.add(number);
  }
  const highest = numbers.reduce((most, number) => Math.max(most, number), 0);
  return { highest, released: done.has(highest), numbers, claims };
};

const getClaimPid = (name: string): number => Number(CLAIM_NAME.exec(name)?.[1]);

/** Writes a record whole under a name that nobody else uses; undefined when the name is taken. */
export const writeClaim = (
  folder: string,
  pid: number,
  random: number,
  record: string,
): string | undefined => {
  const claim = join(folder, `${pid}.${random.toString(36).slice(2, 12)}.tmp`);
  try {
    writeFileSync(claim, record, { flag: 'wx', mode: 0o600 });
    return claim;
  } catch (error) {
    if (getErrno(error) === 'EEXIST') return undefined;
    // Half a record must not stay on a full disk.
    removeQuietly(claim);
    throw error;
  }
};

const NO_LINK_ERRNOS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Makes generation `number` out of a claim. `taken`: another was faster. `gone`: the claim was tidied away. */
export const linkGeneration = (folder: string, number: number, claim: string): 'ours' | 'taken' | 'gone' => {
  const target = join(folder, String(number));
  try {
    try {
      linkSync(claim, target);
    } catch (error) {
      if (!NO_LINK_ERRNOS.includes(getErrno(error) ?? '')) throw error;
      copyFileSync(claim, target, constants.COPYFILE_EXCL);
    }
    return 'ours';
  } catch (error) {
    const errno = getErrno(error);
    // A network file system may lose its answer, ask again and find its own link.
    if (errno === 'EEXIST') return statSync(claim, { throwIfNoEntry: false })?.nlink === 2 ? 'ours' : 'taken';
    if (errno === 'ENOENT') return 'gone';
    throw error;
  }
};

/** The record of a generation, and since when it stands (milliseconds since the epoch). Undefined: it has gone. */
const readGeneration = (folder: string, number: number): { text: string; mtimeMs: number } | undefined => {
  const path = join(folder, String(number));
  try {
    return { text: readFileSync(path, 'utf8'), mtimeMs: statSync(path).mtimeMs };
  } catch (error) {
    if (getErrno(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** Never throws: the work under the lock is done, and a holder that ends counts as released. */
export const releaseGeneration = (folder: string, number: number): void => {
  const name = join(folder, String(number));
  try {
    closeSync(openSync(`${name}.done`, 'wx', 0o600));
  } catch {
    try {
      // A full disk has no room for one more file, but lets one be renamed.
      renameSync(name, `${name}.done`);
    } catch {
      // The folder was removed, or the disk became read-only.
    }
  }
};

/** Number of generations that are kept: a slow listing must find at least one of them. */
const KEPT_GENERATIONS = 8;
const TIDY_THRESHOLD = 48;
const ABANDONED_CLAIM_MS = 60_000;

/** Removes old generations. Only the holder of `current` may call this: a lower number then means nothing. */
export const tidyGenerations = (
  folder: string,
  current: number,
  generations: Generations,
  now: number,
): void => {
  if (generations.numbers.length + generations.claims.length < TIDY_THRESHOLD) return;
  try {
    for (const number of new Set(generations.numbers)) {
      if (number > current - KEPT_GENERATIONS) continue;
      rmSync(join(folder, String(number)), { force: true });
      rmSync(join(folder, `${number}.done`), { force: true });
    }
    for (const claim of generations.claims) {
      const path = join(folder, claim);
      const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
      if (age > ABANDONED_CLAIM_MS) rmSync(path, { force: true });
    }
  } catch {
    // The next holder tidies.
  }
};

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
    const isDated = typeof record.since === 'number' && Math.abs(record.since) < LAST_TIME_MS;
    return Number.isInteger(pid) && typeof host === 'string' && isDated ? record : undefined;
  } catch {
    return undefined;
  }
};

/** Whether the holder of an unreleased generation stands in the way. `gone`: the listing is out of date. */
export const inspectHolder = (context: LockContext, number: number): LockObstacle | 'dead' | 'gone' => {
  const file = readGeneration(context.folder, number);
  if (file === undefined) return 'gone';
  const record = parseRecord(file.text);
  const state = record === undefined ? 'elsewhere' : context.table.getState(record.holder);
  if (state === 'dead') return 'dead';
  // The later of both: the clocks of two hosts may differ.
  const since = Math.max(file.mtimeMs, record?.since ?? 0);
  if (state === 'elsewhere' && context.clock.now() - since >= context.foreignMs) return 'dead';
  return { holder: record?.holder, since: record?.since ?? file.mtimeMs };
};

/** Whether this process held the lock last while another one waits: it would come first each time. */
export const mustYield = (context: LockContext, generations: Generations): boolean => {
  if (generations.claims.length === 0) return false;
  const me = context.table.self();
  const waiting = generations.claims.some(
    (claim) =>
      getClaimPid(claim) !== me.pid &&
      context.table.getState({ ...me, start: undefined, pid: getClaimPid(claim) }) === 'alive',
  );
  if (!waiting) return false;
  const last = parseRecord(readGeneration(context.folder, generations.highest)?.text ?? '');
  return last?.holder.pid === me.pid && last.holder.host === me.host;
};

/** Whether somebody holds the lock of `path` at this moment (lock.ts). Changes nothing. */
export const isLocked = (path: string, clock: Clock): boolean => {
  const folder = `${path}.lock`;
  try {
    const { highest, released } = listGenerations(folder);
    if (highest === 0 || released) return false;
    const context = { folder, clock, table: createHolderTable(), foreignMs: Number.POSITIVE_INFINITY };
    return typeof inspectHolder(context, highest) === 'object';
  } catch (error) {
    if (getErrno(error) === 'ENOENT') return false;
    throw error;
  }
};
