import {
  existsSync,
  linkSync,
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
import { lazy } from '../lazy.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createDiskFailure, getErrno, makePrivateDirectory, removeQuietly } from './write.ts';

/**
 * A generation lock: in the folder `<path>.lock`, `12` is the record of the twelfth holder, and `12.done` that of one that is over.
 * No number is given twice, so a holder that died is followed by the next number, and nobody takes its file away.
 */

/** A holder shows by the time of its record that it lives. */
const RENEW_MS = 5_000;

/** A holder that cannot be looked at, on another host or in another container, is dead after so long without that. */
const DEAD_MS = 20_000;

const LONGEST_WAIT_MS = 16;

/**
 * Runs `work` while no other process and no other call of this one does so for the same `path`. A killed holder is
 * followed at once. Not reentrant: asking for the same path inside `work` waits until the time is over.
 * @param options how long to wait; what ends the waiting, not the work
 * @throws Failure (exit 1) when the time is over, naming the holder, or when the folder cannot be written
 */
export async function withLock<T>(
  path: string,
  clock: Clock,
  work: () => Promise<T>,
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const { timeoutMs = 30_000, signal } = options;
  let record: string;
  try {
    record = await acquire(path, clock, timeoutMs, signal);
  } catch (error) {
    throw getErrno(error) === undefined ? error : createDiskFailure(error, 'lock', path);
  }
  // Fails where another host took it for dead, or the disk became read-only.
  const renew = () => attempt(() => utimesSync(record, clock.now() / 1000, clock.now() / 1000));
  const renewal = setInterval(renew, RENEW_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // Never throws: the work is done, and a holder that ends counts as released. A full disk lets a file be renamed.
    attempt(() => renameSync(record, `${record}.done`));
  }
}

async function acquire(path: string, clock: Clock, timeoutMs: number, signal?: AbortSignal): Promise<string> {
  const folder = `${path}.lock`;
  const start = clock.now();
  let seen: StoredHolder | undefined;
  /** When that time of that record was first seen: its clock may be ahead of this one. */
  let seenAt = start;
  for (let wait = 1; ; wait = Math.min(wait * 1.5, LONGEST_WAIT_MS)) {
    if (!existsSync(folder)) makePrivateDirectory(folder);
    const generations = listGenerations(folder);
    const { highest, isReleased } = generations;
    const stored = readHolder(folder, generations);
    if (stored?.id !== seen?.id) seenAt = clock.now();
    seen = stored;
    // An unreleased one that has gone is no reason to take the next number: the listing is out of date.
    if (isReleased || (stored !== undefined && isDead(stored, clock.now(), seenAt))) {
      const record = claim(folder, highest + 1);
      if (record !== undefined) return record;
    }
    if (clock.now() - start >= timeoutMs) break;
    await clock.sleep(wait * (0.5 + clock.random()), signal);
  }
  const { holder } = seen ?? {};
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  throw new Failure(`${path} is in use by ${who}`, {
    code: 'locked',
    exit: EXIT.fault,
    reason: `waited ${timeoutMs / 1_000} s for it`,
    hint: `Wait for that process or stop it, then run the command again. If no ttctl is running, remove the lock: ${commandLine`rm -r ${folder}`}`,
    details: { path, ...(holder && { pid: holder.pid, host: holder.host }) },
  });
}

export function isLocked(path: string, clock: Clock): boolean {
  const folder = `${path}.lock`;
  const stored = existsSync(folder) ? readHolder(folder, listGenerations(folder)) : undefined;
  return stored !== undefined && !isDead(stored, clock.now(), clock.now());
}

/** Number of generations that are kept: a slow listing must find at least one of them. */
const KEPT_GENERATIONS = 8;

function claim(folder: string, number: number): string | undefined {
  const file = join(folder, String(number));
  const temporary = `${file}.${process.pid}.${process.hrtime.bigint()}.tmp`;
  try {
    writeFileSync(temporary, JSON.stringify({ holder: getSelf() }), { flag: 'wx', mode: 0o600 });
    // Whole from the first moment: a process that is killed leaves no record that nobody can read.
    linkSync(temporary, file);
  } catch (error) {
    // Those that are ahead may have removed it.
    if (/^(EEXIST|ENOENT)$/.test(getErrno(error) ?? '')) return undefined;
    throw error;
  } finally {
    removeQuietly(temporary);
  }
  const { names, highest, isReleased } = listGenerations(folder);
  if (highest !== number || isReleased) {
    // The listing that this number came from was old: others have been here since, and their numbers count.
    removeQuietly(file);
    return undefined;
  }
  // Its holder alone may do so: a lower number means nothing now.
  for (const name of names)
    if (Number.parseInt(name, 10) <= number - KEPT_GENERATIONS) removeQuietly(join(folder, name));
  return file;
}

/** The highest number, 0 where there is none yet; a released one is free. @throws ENOENT where there is no folder */
function listGenerations(folder: string) {
  const names = readdirSync(folder).filter((name) => /^\d{1,15}(\.done|\.[\d.]+\.tmp)?$/.test(name));
  const numbers = names.map((name) => (name.endsWith('.tmp') ? 0 : Number.parseInt(name, 10)));
  const highest = numbers.reduce((most, number) => Math.max(most, number), 0);
  return { names, highest, isReleased: highest === 0 || names.includes(`${highest}.done`) };
}

function readHolder(folder: string, { highest, isReleased }: ReturnType<typeof listGenerations>) {
  const file = join(folder, String(highest));
  const renewedMs = isReleased ? undefined : statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (renewedMs === undefined) return undefined;
  const holder = attempt(() => JSON.parse(readFileSync(file, 'utf8')).holder);
  const isHolder = Number.isInteger(holder?.pid) && typeof holder.host === 'string';
  return { id: `${file} ${renewedMs}`, renewedMs, holder: isHolder ? (holder as Holder) : undefined };
}

type StoredHolder = NonNullable<ReturnType<typeof readHolder>>;

function isDead({ holder, renewedMs }: StoredHolder, now: number, seenAt: number): boolean {
  const state = holder === undefined ? 'elsewhere' : getHolderState(holder);
  return state === 'elsewhere' ? now - Math.min(renewedMs, seenAt) >= DEAD_MS : state === 'dead';
}

/** A process, so that others of this machine can tell whether it lives: of a lock, a job, a budget. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the process in clock ticks (Linux), so that a reused pid is not taken for the holder. */
  readonly start?: string | undefined;
  readonly boot?: string | undefined;
  /** Pid namespace (Linux): the same pid in another container is another process. */
  readonly pidNamespace?: string | undefined;
}

/** This process. Read once: its start time and boot id are in files. */
export const getSelf = lazy(
  (): Holder => ({
    pid: process.pid,
    host: hostname(),
    start: readProcessStat('self')?.start,
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
  }),
);

/**
 * Whether a process still lives. Dead: same host and another boot id, or the pid is gone, is a zombie, or has another
 * start time; where there is no `/proc`, by pid only. `elsewhere`: on another host or in another container, so it
 * cannot be looked at from here.
 */
export function getHolderState(holder: Holder): 'alive' | 'dead' | 'elsewhere' {
  const me = getSelf();
  const isSameBoot = holder.boot !== undefined && holder.boot === me.boot;
  if (!isSameBoot && holder.host !== me.host) return 'elsewhere';
  if (!isSameBoot && holder.boot !== undefined && me.boot !== undefined) return 'dead';
  if (holder.pidNamespace !== me.pidNamespace) return 'elsewhere';
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (getErrno(error) === 'ESRCH') return 'dead';
  }
  const stat = readProcessStat(holder.pid);
  if (stat === undefined) return 'alive';
  // A zombie holds nothing; where nobody reaps (a container without init) it would stay for ever.
  if (stat.state === 'Z' || stat.state === 'X') return 'dead';
  return holder.start !== undefined && holder.start !== stat.start ? 'dead' : 'alive';
}

/** State letter and start time of a process from `/proc/<pid>/stat`; the name before them may hold anything. */
function readProcessStat(pid: number | 'self') {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields && { state: fields[0], start: fields[19] };
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
