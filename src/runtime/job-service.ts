import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JobService } from '../changes/job/service.ts';
import { UsageError } from '../outcome.ts';
import type { Machine } from '../platform/machine.ts';
import { readFirstLine } from '../storage/journal.ts';
import { isLocked } from '../storage/lock.ts';
import { streamInput } from '../storage/read.ts';
import { writeDurably } from '../storage/write.ts';
import { findPrunable, listOpenSingles, listRuns, pruneHistory } from './history-files.ts';
import {
  createJob,
  jobIds,
  jobPath,
  openSingle,
  readJobLines,
  readJobSteps,
  reopenJob,
} from './job-files.ts';
import { withPlanLock, withTurn } from './job-locks.ts';
import { formatRecordedCommand } from './recorded-command.ts';

/** The journals of bulk runs, one file each in `jobs/` of the state directory: `20261121-1257-kfm.jsonl`. */

export interface JobServiceOptions {
  readonly machine: Machine;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  /** The words of the command line. */
  readonly args: readonly string[];
  /** False with `--no-journal`. */
  readonly wanted: boolean;
  readonly warn: (text: string) => void;
}

/** SHA-256 of a file in hex; undefined for what cannot be read. */
const computeDigest = async (file: string, interrupted: AbortSignal): Promise<string | undefined> => {
  const hash = createHash('sha256');
  try {
    for await (const part of streamInput(file, interrupted)) hash.update(part);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
  return hash.digest('hex');
};

export const createJobService = (options: JobServiceOptions): JobService => {
  const { machine, directory, args, wanted, warn } = options;
  const folder = directory === undefined ? undefined : join(directory, 'jobs');
  const jobs = { folder, machine, warn };
  const getFailedPath = (id: string): string => `${jobPath(jobs, id)}.failed.csv`;
  return {
    get command() {
      return formatRecordedCommand(args, machine);
    },
    version: machine.version,
    wanted,
    redact: machine.redactor.json,
    ids: () => jobIds(jobs),
    heads: () => jobIds(jobs).map((id) => readFirstLine(`${jobPath(jobs, id)}.jsonl`)),
    read: (id) => readJobLines(jobs, id),
    readSteps: (id) => readJobSteps(jobs, id),
    isRunning: (id) => isLocked(jobPath(jobs, id), machine.clock),
    create: (lines, work) => createJob(jobs, lines, work),
    single: (lines) => openSingle(jobs, lines),
    openSingles: () => listOpenSingles(jobs),
    runs: (filter) => listRuns(jobs, filter),
    prunable: (before) => findPrunable(jobs, before),
    prune: (before) => pruneHistory(jobs, before),
    alone: (plan, work) => withPlanLock(jobs, plan, work),
    inTurn: (name, work) => withTurn(jobs, name, work),
    reopen: (id, work) => reopenJob(jobs, id, work),
    async saveFailed(id, columns, rows) {
      const { formatCsv } = await import('../output/formats/csv.ts');
      const path = resolve(getFailedPath(id));
      writeDurably(path, formatCsv(columns, rows));
      return path;
    },
    failedFile: (id) => (existsSync(getFailedPath(id)) ? resolve(getFailedPath(id)) : undefined),
    digest: (file) => computeDigest(file, machine.interrupted),
  };
};
