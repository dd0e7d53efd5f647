import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { getErrno } from './failure.ts';

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
