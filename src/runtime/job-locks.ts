import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Machine } from '../platform/machine.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { withLock } from '../storage/lock.ts';

/** Who works on a job, or applies a plan: one process at a time. */

export interface JobFolder {
  /** Undefined where no state directory is known. */
  readonly folder: string | undefined;
  readonly machine: Machine;
  readonly warn: (text: string) => void;
}

export const createJobRunningError = (id: string, cause: Failure): UsageError =>
  new UsageError(`job ${id} is running in another process`, {
    code: 'job_running',
    reason: cause.message,
    hint: `See its progress: ${commandLine`ttctl jobs show ${id}`}`,
    cause,
  });

/** For two processes that start at the same time; the lock of a killed process is recognized at once. */
const LOCK_TIMEOUT_MS = 250;

/** @param toError what is said where another process has the lock */
export const withLockAt = async <T>(
  { machine }: JobFolder,
  path: string,
  work: () => Promise<T>,
  toError: (cause: Failure) => UsageError,
): Promise<T> => {
  const options = { timeoutMs: LOCK_TIMEOUT_MS };
  let begun = false;
  const lockedWork = () => {
    begun = true;
    return work();
  };
  return withLock(path, machine.clock, lockedWork, options).catch((error: unknown) => {
    throw !begun && error instanceof Failure && error.code === 'locked' ? toError(error) : error;
  });
};

/** Undefined where nothing can be kept: what keeps it decides whether anything can be sent. */
const makeLockFolder = ({ folder }: JobFolder, name: string): string | undefined => {
  if (folder === undefined) return undefined;
  const path = join(folder, name);
  try {
    makePrivateDirectory(folder);
    mkdirSync(`${path}.lock`, { recursive: true, mode: 0o700 });
    return path;
  } catch {
    return undefined;
  }
};

/** As long as a large file of rows may take. */
const TURN_TIMEOUT_MS = 600_000;

/** As `JobService.inTurn`. */
export const withTurn = async <T>(jobs: JobFolder, name: string, work: () => Promise<T>): Promise<T> => {
  const { clock, interrupted: signal } = jobs.machine;
  const path = makeLockFolder(jobs, `turn-${name.replace(/[^\w-]/g, '-')}`);
  return path === undefined ? work() : withLock(path, clock, work, { timeoutMs: TURN_TIMEOUT_MS, signal });
};

/** As `JobService.alone`. */
export const withPlanLock = async <T>(jobs: JobFolder, plan: string, work: () => Promise<T>): Promise<T> => {
  const path = makeLockFolder(jobs, `plan-${plan}`);
  if (path === undefined) return work();
  return withLockAt(
    jobs,
    path,
    work,
    (cause) =>
      new UsageError('this plan is being applied in another process', {
        code: 'job_running',
        reason: cause.message,
        hint: `See its progress: ${commandLine`ttctl jobs list`}`,
        cause,
      }),
  );
};
