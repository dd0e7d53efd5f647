import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createDiskFailure, getErrno, makePrivateDirectory, removeQuietly } from './write.ts';

/**
 * A generation lock: in the folder `<path>.lock`, `12` is the record of the twelfth holder and `12.done` its release.
 * No number is given twice, so a holder that died is followed by the next number, and nobody takes its file away.
 */

export interface LockOptions {
  /** How long to wait for the lock. Default 30,000 ms. */
  readonly timeoutMs?: number;
  /** Ends the waiting, not the work. */
  readonly signal?: AbortSignal;
}

/** A holder shows by the time of its record that it lives. */
const RENEW_MS = 5_000;

/** A holder that cannot be looked at, on another host or in another container, is dead after so long without that. */
const DEAD_MS = 20_000;

/**
 * Runs `work` while no other process and no other call of this one does so for the same `path`. A killed holder is
 * followed at once. Not reentrant: asking for the same path inside `work` waits until the time is over.
 * @throws Failure (exit 1) when the time is over, naming the holder, or when the folder cannot be written
 */
export async function withLock<T>(
  path: string,
  clock: Clock,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  let record: string;
  try {
    record = await acquire(path, clock, options);
  } catch (error) {
    throw getErrno(error) === undefined ? error : createDiskFailure(error, 'lock', path);
  }
  const renewal = setInterval(() => renew(record, clock), RENEW_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    release(record);
  }
}

/** Whether somebody holds the lock of `path` at this moment. Changes nothing. */
export function isLocked(path: string, clock: Clock): boolean {
  const folder = `${path}.lock`;
  try {
    const { highest, isReleased } = listGenerations(folder);
    if (highest === 0 || isReleased) return false;
    const holder = readHolder(join(folder, String(highest)));
    return holder !== undefined && !isDead(holder, clock.now(), clock.now());
  } catch (error) {
    if (getErrno(error) === 'ENOENT') return false;
    throw error;
  }
}

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 16;

/** @returns the file of the generation that is ours */
async function acquire(
  path: string,
  clock: Clock,
  { timeoutMs = 30_000, signal }: LockOptions,
): Promise<string> {
  const folder = `${path}.lock`;
  const start = clock.now();
  let seen: StoredHolder | undefined;
  /** When that time of that record was first seen: its clock may be ahead of this one. */
  let seenAt = start;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, LONGEST_WAIT_MS)) {
    const { highest, isReleased } = listOrMakeFolder(folder);
    const holder = isReleased ? undefined : readHolder(join(folder, String(highest)));
    if (holder?.file !== seen?.file || holder?.renewedMs !== seen?.renewedMs) seenAt = clock.now();
    seen = holder;
    // An unreleased one that has gone is no reason to take the next number: the listing is out of date.
    if (isReleased || (holder !== undefined && isDead(holder, clock.now(), seenAt))) {
      const record = claim(folder, highest + 1, clock);
      if (record !== undefined) return record;
    }
    if (clock.now() - start >= timeoutMs) throw createTimeoutFailure(path, timeoutMs / 1_000, seen);
    await clock.sleep(wait * (0.5 + clock.random()), signal);
  }
}

interface StoredHolder {
  readonly file: string;
  /** Undefined: the record cannot be read. */
  readonly holder: Holder | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly renewedMs: number;
}

function isDead({ holder, renewedMs }: StoredHolder, now: number, seenAt: number): boolean {
  const state = holder === undefined ? 'elsewhere' : getHolderState(holder);
  return state === 'elsewhere' ? now - Math.min(renewedMs, seenAt) >= DEAD_MS : state === 'dead';
}

/** Undefined where it has gone. */
function readHolder(file: string): StoredHolder | undefined {
  try {
    const renewedMs = statSync(file).mtimeMs;
    return { file, renewedMs, ...parseRecord(readFileSync(file, 'utf8'), renewedMs) };
  } catch (error) {
    if (getErrno(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The greatest time that a date can show. */
const LAST_TIME_MS = 8.64e15;

function parseRecord(text: string, renewedMs: number): Pick<StoredHolder, 'holder' | 'since'> {
  try {
    const { holder, since } = JSON.parse(text);
    if (Number.isInteger(holder.pid) && typeof holder.host === 'string' && Math.abs(since) < LAST_TIME_MS)
      return { holder, since };
  } catch {
    // It is damaged.
  }
  return { holder: undefined, since: renewedMs };
}

interface Generations {
  /** 0: none yet. */
  readonly highest: number;
  /** Whether the highest was released, or there is none. */
  readonly isReleased: boolean;
  readonly numbers: readonly number[];
  /** Names of records that are to become holders, or that killed processes left. */
  readonly temporaries: readonly string[];
}

const GENERATION_NAME = /^(\d{1,15})(\.done)?$/;

/** Throws ENOENT when the folder is not there yet. */
function listGenerations(folder: string): Generations {
  const numbers: number[] = [];
  const temporaries: string[] = [];
  const released = new Set([0]);
  for (const name of readdirSync(folder)) {
    const [, number, done] = GENERATION_NAME.exec(name) ?? [];
    if (number === undefined) {
      if (name.endsWith('.tmp')) temporaries.push(name);
      continue;
    }
    numbers.push(Number(number));
    if (done !== undefined) released.add(Number(number));
  }
  const highest = numbers.reduce((most, number) => Math.max(most, number), 0);
  return { highest, isReleased: released.has(highest), numbers, temporaries };
}

function listOrMakeFolder(folder: string): Generations {
  try {
    return listGenerations(folder);
  } catch (error) {
    if (getErrno(error) !== 'ENOENT') throw error;
    makePrivateDirectory(folder);
    return listGenerations(folder);
  }
}

/** Takes a number. @returns its file; undefined where another was faster */
function claim(folder: string, number: number, clock: Clock): string | undefined {
  const file = join(folder, String(number));
  const temporary = join(folder, `${getSelf().pid}.${clock.random().toString(36).slice(2)}.tmp`);
  try {
    const record = JSON.stringify({ holder: getSelf(), since: clock.now() });
    writeFileSync(temporary, record, { flag: 'wx', mode: 0o600 });
    // Whole from the first moment: a process that is killed leaves no record that nobody can read.
    linkSync(temporary, file);
  } catch (error) {
    if (getErrno(error) === 'EEXIST') return undefined;
    throw error;
  } finally {
    removeQuietly(temporary);
  }
  const after = listGenerations(folder);
  if (after.highest !== number || after.isReleased) {
    // The listing that this number came from was old: others have been here since, and their numbers count.
    removeQuietly(file);
    return undefined;
  }
  tidy(folder, number, after, clock.now());
  return file;
}

function renew(record: string, clock: Clock): void {
  try {
    const now = new Date(clock.now());
    utimesSync(record, now, now);
  } catch {
    // Another host took it for dead, or the disk became read-only.
  }
}

/** Never throws: the work under the lock is done, and a holder that ends counts as released. */
function release(record: string): void {
  try {
    closeSync(openSync(`${record}.done`, 'wx', 0o600));
  } catch {
    try {
      // A full disk has no room for one more file, but lets one be renamed.
      renameSync(record, `${record}.done`);
    } catch {
      // The folder was removed, or the disk became read-only.
    }
  }
}

/** Number of generations that are kept: a slow listing must find at least one of them. */
const KEPT_GENERATIONS = 8;
const TIDY_THRESHOLD = 48;

/** No process takes so long from writing its record to linking it. */
const ABANDONED_MS = 60_000;

/** Removes old generations. Only the holder of `current` may call this: a lower number then means nothing. */
function tidy(folder: string, current: number, { numbers, temporaries }: Generations, now: number): void {
  if (numbers.length + temporaries.length < TIDY_THRESHOLD) return;
  for (const name of temporaries) {
    const path = join(folder, name);
    if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > ABANDONED_MS) removeQuietly(path);
  }
  for (const number of new Set(numbers)) {
    if (number > current - KEPT_GENERATIONS) continue;
    removeQuietly(join(folder, String(number)));
    removeQuietly(join(folder, `${number}.done`));
  }
}

function createTimeoutFailure(path: string, seconds: number, seen: StoredHolder | undefined): Failure {
  const holder = seen?.holder;
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  const since = seen === undefined ? '' : ` since ${new Date(seen.since).toISOString()}`;
  return new Failure(`${path} is in use by ${who}${since}`, {
    code: 'locked',
    exit: EXIT.fault,
    reason: `waited ${seconds} s for it`,
    hint: `Wait for that process or stop it, then run the command again. If no ttctl is running, remove the lock: ${commandLine`rm -r ${`${path}.lock`}`}`,
    details: { path, ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }) },
  });
}

/** This process and the others of this machine, for the lock. */

export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the process in clock ticks (Linux), so that a reused pid is not taken for the holder. */
  readonly start?: string | undefined;
  /** Boot id of the machine (Linux). */
  readonly boot?: string | undefined;
  /** Pid namespace (Linux): the same pid in another container is another process. */
  readonly pidNamespace?: string | undefined;
}

/** `elsewhere`: on another host or in another container, so its state cannot be checked from here. */
type HolderState = 'alive' | 'dead' | 'elsewhere';

let self: Holder | undefined;

/** This process. Read once: its start time and boot id are in files. */
export function getSelf(): Holder {
  self ??= {
    pid: process.pid,
    host: hostname(),
    start: readProcessStat('self')?.start,
    boot: tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    pidNamespace: tryRead(() => readlinkSync('/proc/self/ns/pid')),
  };
  return self;
}

/**
 * Whether a lock's holder still lives. Dead: same host and another boot id, or the pid is gone, is a zombie, or has
 * another start time. Where there is no `/proc`, by pid only.
 */
export function getHolderState(holder: Holder): HolderState {
  const me = getSelf();
  const isSameBoot = holder.boot !== undefined && holder.boot === me.boot;
  if (!isSameBoot && holder.host !== me.host) return 'elsewhere';
  if (!isSameBoot && holder.boot !== undefined && me.boot !== undefined) return 'dead';
  if (holder.pidNamespace !== me.pidNamespace) return 'elsewhere';
  if (!exists(holder.pid)) return 'dead';
  const stat = readProcessStat(holder.pid);
  if (stat === undefined) return 'alive';
  // A zombie holds nothing; where nobody reaps (a container without init) it would stay for ever.
  if (stat.state === 'Z' || stat.state === 'X') return 'dead';
  return holder.start !== undefined && holder.start !== stat.start ? 'dead' : 'alive';
}

/** Whether a process of that id exists, zombies included. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrno(error) !== 'ESRCH';
  }
}

/** State letter and start time of a process from `/proc/<pid>/stat`; the name before them may hold anything. */
function readProcessStat(pid: number | 'self'): { state: string; start: string } | undefined {
  const text = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? undefined : { state, start };
}

function tryRead<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
