import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createDiskFailure, getErrno } from './failure.ts';
import { makePrivateDirectory } from './folders.ts';
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

interface LockRequest extends LockContext {
  /** Written before it is needed: others see by it that somebody waits. */
  claim: string | undefined;
  /** When the claim was written; it becomes the time since when the lock is held. */
  claimedAt: number;
  /** Whether this request has already let others go first. */
  hasYielded: boolean;
}

type AttemptResult =
  | { readonly held: number }
  | { readonly obstacle?: LockObstacle; readonly yielded?: true };

let thisMachine: HolderTable | undefined;
const getMachineTable = (): HolderTable => {
  // Asked once: its own start time and boot id are read from files.
  thisMachine ??= createHolderTable();
  return thisMachine;
};

const dropClaim = (request: LockRequest): void => {
  if (request.claim !== undefined) removeQuietly(request.claim);
  request.claim = undefined;
};

/** A claim grows old while it waits, and another host judges a holder by its age. */
const MAX_CLAIM_AGE_MS = 1_000;

const makeClaim = (request: LockRequest): string | undefined => {
  const now = request.clock.now();
  if (now - request.claimedAt > MAX_CLAIM_AGE_MS) dropClaim(request);
  if (request.claim !== undefined) return request.claim;
  const holder = request.table.self();
  request.claim = writeClaim(
    request.folder,
    holder.pid,
    request.clock.random(),
    JSON.stringify({ holder, since: now }),
  );
  request.claimedAt = now;
  return request.claim;
};

const claimGeneration = (request: LockRequest, number: number): AttemptResult => {
  const claim = makeClaim(request);
  if (claim === undefined) return {};
  const link = linkGeneration(request.folder, number, claim);
  if (link === 'gone') request.claim = undefined;
  if (link !== 'ours') return {};
  dropClaim(request);
  const generations = listGenerations(request.folder);
  if (generations.highest !== number || generations.released) {
    // The listing this number came from was old: others have been here since, and their numbers count.
    removeQuietly(join(request.folder, String(number)));
    return {};
  }
  tidyGenerations(request.folder, number, generations, request.clock.now());
  return { held: number };
};

const tryAcquire = (request: LockRequest): AttemptResult => {
  const generations = listGenerations(request.folder);
  if (generations.highest > 0 && !generations.released) {
    const obstacle = inspectHolder(request, generations.highest);
    if (obstacle === 'gone') return {};
    if (obstacle !== 'dead') {
      makeClaim(request);
      return { obstacle };
    }
  } else if (!request.hasYielded && mustYield(request, generations)) {
    request.hasYielded = true;
    return { yielded: true };
  }
  return claimGeneration(request, generations.highest + 1);
};

const tryAcquireMakingFolder = (request: LockRequest): AttemptResult => {
  try {
    return tryAcquire(request);
  } catch (error) {
    if (getErrno(error) !== 'ENOENT') throw error;
    request.claim = undefined;
    makePrivateDirectory(request.folder);
    return {};
  }
};

const createTimeoutFailure = (
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
  request: LockRequest,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<number> => {
  const start = request.clock.now();
  let wait = FIRST_WAIT_MS;
  let obstacle: LockObstacle | undefined;
  try {
    for (;;) {
      const result = tryAcquireMakingFolder(request);
      if ('held' in result) return result.held;
      obstacle = result.obstacle ?? obstacle;
      if (request.clock.now() - start >= timeoutMs)
        throw createTimeoutFailure(path, request.folder, timeoutMs / 1_000, obstacle);
      const pause = result.yielded === true ? LONGEST_WAIT_MS : wait;
      await request.clock.sleep(pause * (0.5 + request.clock.random()), signal);
      wait = Math.min(wait * 1.5, LONGEST_WAIT_MS);
    }
  } finally {
    dropClaim(request);
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
  const request: LockRequest = {
    folder: `${path}.lock`,
    clock,
    table: options.holder ?? getMachineTable(),
    foreignMs: options.foreignMs ?? 120_000,
    claim: undefined,
    claimedAt: 0,
    hasYielded: false,
  };
  let held: number;
  try {
    held = await acquire(path, request, options.timeoutMs ?? 30_000, options.signal);
  } catch (error) {
    throw getErrno(error) === undefined ? error : createDiskFailure(error, 'lock', path);
  }
  try {
    return await work();
  } finally {
    releaseGeneration(request.folder, held);
  }
};
