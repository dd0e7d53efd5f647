import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { getErrno } from './failure.ts';

/** This process and the table of processes, for the lock. */

/** Who holds a lock, as it is written into the lock file. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the process in clock ticks (Linux), so that a reused pid is not taken for the holder. */
  readonly start?: string;
  /** Boot id of the machine (Linux). */
  readonly boot?: string;
  /** Pid namespace (Linux): the same pid in another container is another process. */
  readonly space?: string;
}

/** `elsewhere`: on another host or in another container, so its state cannot be checked from here. */
type HolderState = 'alive' | 'dead' | 'elsewhere';

export interface HolderTable {
  self(): Holder;
  getState(holder: Holder): HolderState;
}

/** What is asked of the system; replaced in tests. */
export interface SystemView {
  readonly pid: number;
  readonly host: () => string;
  /** Text of a file under `/proc`, or undefined where there is none. */
  readonly read: (path: string) => string | undefined;
  readonly readLink: (path: string) => string | undefined;
  /** Whether a process of that id exists, zombies included. */
  readonly exists: (pid: number) => boolean;
}

const tryRead = <T>(action: () => T): T | undefined => {
  try {
    return action();
  } catch {
    return undefined;
  }
};

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrno(error) !== 'ESRCH';
  }
};

const createSystemView = (): SystemView => ({
  pid: process.pid,
  host: hostname,
  read: (path) => tryRead(() => readFileSync(path, 'latin1')),
  readLink: (path) => tryRead(() => readlinkSync(path)),
  exists,
});

export const getOwnPid = (pid: number = process.pid): number => pid;

/** State letter and start time of a process from `/proc/<pid>/stat`; the name before them may hold anything. */
const readProcessStat = (
  view: SystemView,
  pid: number | 'self',
): { state: string; start: string } | undefined => {
  const text = view.read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? undefined : { state, start };
};

const createOwnHolder = (view: SystemView): Holder => {
  const start = readProcessStat(view, 'self')?.start;
  const boot = view.read('/proc/sys/kernel/random/boot_id')?.trim();
  const space = view.readLink('/proc/self/ns/pid');
  return {
    pid: view.pid,
    host: view.host(),
    ...(start === undefined ? {} : { start }),
    ...(boot === undefined ? {} : { boot }),
    ...(space === undefined ? {} : { space }),
  };
};

const getLocalState = (view: SystemView, holder: Holder): HolderState => {
  if (!view.exists(holder.pid)) return 'dead';
  const stat = readProcessStat(view, holder.pid);
  if (stat === undefined) return 'alive';
  // A zombie holds nothing; where nobody reaps (a container without init) it would stay for ever.
  if (stat.state === 'Z' || stat.state === 'X') return 'dead';
  return holder.start !== undefined && holder.start !== stat.start ? 'dead' : 'alive';
};

/**
 * Tells whether a lock's holder still lives (the generation lock: src/storage/lock-files.ts). Dead: same host and
 * another boot id, or the pid is gone, is a zombie, or has another start time. Where there is no `/proc`, by
 * pid only.
 */
export const createHolderTable = (view: SystemView = createSystemView()): HolderTable => {
  let known: Holder | undefined;
  const self = (): Holder => {
    known ??= createOwnHolder(view);
    return known;
  };
  return {
    self,
    getState(holder) {
      const me = self();
      const sameBoot = holder.boot !== undefined && holder.boot === me.boot;
      if (!sameBoot && holder.host !== me.host) return 'elsewhere';
      if (holder.boot !== undefined && me.boot !== undefined && !sameBoot) return 'dead';
      if (holder.space !== me.space) return 'elsewhere';
      return getLocalState(view, holder);
    },
  };
};
