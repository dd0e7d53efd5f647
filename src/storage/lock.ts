import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createDiskFailure, getErrno } from './failure.ts';
import { createHolderTable, type HolderTable } from './holder.ts';
import {
  inspectHolder,
  type LockContext,
  type LockObstacle,
  linkGeneration,
  listGenerations,
  mustYield,
  releaseGeneration,
  tidyGenerations,
  writeClaim,
} from './lock-files.ts';
import { removeQuietly } from './temporary.ts';
import { makePrivateDirectory } from './write.ts';

export interface LockOptions {
  /** How long to wait for the lock. Default 30,000 ms. */
  readonly timeoutMs?: number;
  /** After how long a holder on another host, which cannot be looked at, counts as dead. Default 120,000 ms. */
  readonly foreignMs?: number;
  /** Ends the waiting, not the work. */
  readonly signal?: AbortSignal;
  /** Whose locks these are and who still lives; default this machine. */
  readonly holder?: HolderTable;
}

interface Wish extends LockContext {
  /** Written before it is needed: others see by it that somebody waits. */
  claim: string | undefined;
  /** When the claim was written; it becomes the time since when the lock is held. */
  claimedAt: number;
  /** Whether this wish has already let others go first. */
  polite: boolean;
}

type Attempt = { readonly held: number } | { readonly obstacle?: LockObstacle; readonly polite?: true };

let thisMachine: HolderTable | undefined;
const machineTable = (): HolderTable => {
  // Asked once: its own start time and boot id are read from files.
  thisMachine ??= createHolderTable();
  return thisMachine;
};

const dropClaim = (wish: Wish): void => {
  if (wish.claim !== undefined) removeQuietly(wish.claim);
  wish.claim = undefined;
};

/** A claim grows old while it waits, and another host judges a holder by its age. */
const CLAIM_FRESH_MS = 1_000;

const makeClaim = (wish: Wish): string | undefined => {
  const now = wish.clock.now();
  if (now - wish.claimedAt > CLAIM_FRESH_MS) dropClaim(wish);
  if (wish.claim !== undefined) return wish.claim;
  const holder = wish.table.self();
  wish.claim = writeClaim(
    wish.folder,
    holder.pid,
    wish.clock.random(),
    JSON.stringify({ holder, since: now }),
  );
  wish.claimedAt = now;
  return wish.claim;
};

const take = (wish: Wish, number: number): Attempt => {
  const claim = makeClaim(wish);
  if (claim === undefined) return {};
  const link = linkGeneration(wish.folder, number, claim);
  if (link === 'gone') wish.claim = undefined;
  if (link !== 'ours') return {};
  dropClaim(wish);
  const seen = listGenerations(wish.folder);
  if (seen.highest !== number || seen.released) {
    // The listing this number came from was old: others have been here since, and their numbers count.
    removeQuietly(join(wish.folder, String(number)));
    return {};
  }
  tidyGenerations(wish.folder, number, seen, wish.clock.now());
  return { held: number };
};

const attempt = (wish: Wish): Attempt => {
  const seen = listGenerations(wish.folder);
  if (seen.highest > 0 && !seen.released) {
    const found = inspectHolder(wish, seen.highest);
    if (found === 'gone') return {};
    if (found !== 'dead') {
      makeClaim(wish);
      return { obstacle: found };
    }
  } else if (!wish.polite && mustYield(wish, seen)) {
    wish.polite = true;
    return { polite: true };
  }
  return take(wish, seen.highest + 1);
};

const attemptMakingFolder = (wish: Wish): Attempt => {
  try {
    return attempt(wish);
  } catch (error) {
    if (getErrno(error) !== 'ENOENT') throw error;
    wish.claim = undefined;
    makePrivateDirectory(wish.folder);
    return {};
  }
};

const timedOut = (
  path: string,
  folder: string,
  seconds: number,
  obstacle: LockObstacle | undefined,
): Failure => {
  const holder = obstacle?.holder;
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  const since = obstacle === undefined ? '' : ` since ${new Date(obstacle.since).toISOString()}`;
  return new Failure(`${path} is in use by ${who}${since}`, {
    code: 'locked',
    exit: EXIT.fault,
    reason: `waited ${seconds} s for it`,
    hint: `Wait for that process or stop it, then run the command again. If no ttctl is running, remove the lock: ${commandLine`rm -r ${folder}`}`,
    details: { path, ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }) },
  });
};

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 16;

const acquire = async (
  path: string,
  wish: Wish,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<number> => {
  const begun = wish.clock.now();
  let wait = FIRST_WAIT_MS;
  let obstacle: LockObstacle | undefined;
  try {
    for (;;) {
      const result = attemptMakingFolder(wish);
      if ('held' in result) return result.held;
      obstacle = result.obstacle ?? obstacle;
      if (wish.clock.now() - begun >= timeoutMs)
        throw timedOut(path, wish.folder, timeoutMs / 1_000, obstacle);
      const pause = result.polite === true ? LONGEST_WAIT_MS : wait;
      await wish.clock.sleep(pause * (0.5 + wish.clock.random()), signal);
      wait = Math.min(wait * 1.5, LONGEST_WAIT_MS);
    }
  } finally {
    dropClaim(wish);
  }
};

/**
 * Runs `work` while no other process and no other call of this one does so for the same `path`; the lock's files
 * are in the folder `<path>.lock`. A killed holder is followed at once. Not reentrant: asking for the same path
 * inside `work` waits until the time is over. Throws a `Failure` (exit 1) when the time is over, naming the
 * holder, or when the folder cannot be written.
 */
export const withLock = async <T>(
  path: string,
  clock: Clock,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> => {
  const wish: Wish = {
    folder: `${path}.lock`,
    clock,
    table: options.holder ?? machineTable(),
    foreignMs: options.foreignMs ?? 120_000,
    claim: undefined,
    claimedAt: 0,
    polite: false,
  };
  let held: number;
  try {
    held = await acquire(path, wish, options.timeoutMs ?? 30_000, options.signal);
  } catch (error) {
    throw getErrno(error) === undefined ? error : createDiskFailure(error, 'lock', path);
  }
  try {
    return await work();
  } finally {
    releaseGeneration(wish.folder, held);
  }
};
