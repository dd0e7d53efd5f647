import { createAlarm } from './alarm.ts';
import type { Delivery } from './delivery.ts';
import {
  type AttemptEnd,
  type AttemptOptions,
  type AttemptRequest,
  createAttempts,
  type ForwardingAttempt,
  listPending,
  TRY_AGAIN_MS,
} from './forwarding-attempt.ts';
import { isPending, NEW } from './progress.ts';

/** Forwards what is stored until it is accepted. In memory are keys alone: the next listener goes on by what is on disk. */

export interface ForwardingQueueOptions extends AttemptOptions {
  /** How many are forwarded at the same time. */
  readonly maxInFlight: number;
  /** Told of each attempt. */
  readonly onAttempt: (attempt: ForwardingAttempt) => void;
}

export interface ForwardingQueue {
  /** Records that it is to be forwarded. @throws Failure (exit 1) where that cannot be on the disk */
  accept(key: string): void;
  /** Forwards what was accepted and is stored. Undefined: there was no attempt, as the listener ends. */
  add(key: string, repeat: boolean): Promise<ForwardingAttempt | undefined>;
  /** Goes on with what earlier listeners left, for which `isMeant` holds. @returns how many those are */
  resume(isMeant: (delivery: Delivery) => boolean): number;
  /** Begins no further attempt of its own; resolves once all that was added is forwarded, or given up. */
  drain(): Promise<void>;
}

interface Task extends AttemptRequest {
  readonly resolve: (attempt: ForwardingAttempt | undefined) => void;
  readonly end: Promise<ForwardingAttempt | undefined>;
}

const createTask = (key: string, repeat: boolean, retry: boolean): Task => {
  let resolve: Task['resolve'] = () => {};
  const end = new Promise<ForwardingAttempt | undefined>((done) => {
    resolve = done;
  });
  return { key, repeat, retry, resolve, end };
};

/** Runs tasks in their order, so many at the same time, and never two of the same key. */
const createTaskPool = (size: number, runTask: (task: Task) => Promise<void>) => {
  const waiting: Task[] = [];
  const running = new Map<string, Promise<void>>();
  const run = async (task: Task): Promise<void> => {
    await runTask(task);
    running.delete(task.key);
    startNext();
  };
  const startNext = (): void => {
    while (running.size < size) {
      const index = waiting.findIndex(({ key }) => !running.has(key));
      const [task] = index < 0 ? [] : waiting.splice(index, 1);
      if (task === undefined) return;
      running.set(task.key, run(task));
    }
  };
  return {
    add(task: Task): void {
      waiting.push(task);
      startNext();
    },
    /** Of those that have not begun. */
    drop(isDropped: (task: Task) => boolean): void {
      const all = waiting.splice(0);
      for (const task of all) {
        if (isDropped(task)) task.resolve(undefined);
        else waiting.push(task);
      }
    },
    async drain(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
};

/** One task: an attempt, when it is tried again, and what is told of it. Never rejects. */
const createTaskRun = (
  options: ForwardingQueueOptions,
  tryAgain: (key: string, dueMs: number) => void,
): ((task: Task) => Promise<void>) => {
  const { clock, onAttempt, onFault } = options;
  const makeAttempt = createAttempts(options);
  const tryLater = async (error: unknown): Promise<AttemptEnd> => {
    await onFault(error);
    return { dueMs: clock.now() + TRY_AGAIN_MS };
  };
  return async (task) => {
    const { attempt, dueMs } = await makeAttempt(task).catch(tryLater);
    if (dueMs !== undefined) tryAgain(task.key, dueMs);
    try {
      if (attempt !== undefined) onAttempt(attempt);
    } catch (error) {
      // It is recorded, whatever cannot be shown of it.
      await onFault(error);
    }
    task.resolve(attempt);
  };
};

export const createForwardingQueue = (options: ForwardingQueueOptions): ForwardingQueue => {
  const { progress, maxInFlight, clock, interrupted } = options;
  let ending = false;
  const run = createTaskRun(options, (key, dueMs) => {
    if (!ending && !interrupted.aborted) alarm.add(key, dueMs);
  });
  const pool = createTaskPool(maxInFlight, run);
  const enqueue = (key: string, repeat: boolean, retry: boolean): Task => {
    alarm.remove(key);
    const task = createTask(key, repeat, retry);
    pool.add(task);
    return task;
  };
  const alarm = createAlarm(clock, (key) => enqueue(key, false, true));
  const tryAt = (key: string, dueMs: number): void => {
    if (dueMs <= clock.now()) enqueue(key, false, true);
    else alarm.add(key, dueMs);
  };
  const giveUp = (isGivenUp: (task: Task) => boolean): void => {
    alarm.stop();
    pool.drop(isGivenUp);
  };
  interrupted.addEventListener('abort', () => giveUp(() => true), { once: true });
  return {
    accept(key) {
      if (!isPending(progress.read(key))) progress.write(key, NEW);
    },
    add: async (key, repeat) => (interrupted.aborted ? undefined : enqueue(key, repeat, false).end),
    resume(isMeant) {
      const pending = listPending(options, isMeant);
      for (const [key, dueMs] of pending) tryAt(key, dueMs);
      return pending.length;
    },
    async drain() {
      ending = true;
      giveUp(({ retry }) => retry);
      await pool.drain();
    },
  };
};
