import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JobLines, OpenJob } from '../changes/job/service.ts';
import { Failure, UsageError } from '../outcome.ts';
import { createDiskFailure, getErrno } from '../storage/failure.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { appendLine, createJournal, openJournal, parseJournal, readJournal } from '../storage/journal.ts';
import { readPrivate } from '../storage/own-files.ts';
import { createJobRunningError, type JobFolder, withLockAt } from './job-locks.ts';
import { createRunId } from './run-id.ts';

/**
 * The history of writes: runs of several have a journal each, with its lock and its failed rows; single writes share a
 * file a day, which many processes add to.
 */

const JOB_FILE = /^(\d{8}-\d{4}-[a-z]{3,})\.jsonl$/;
export const DAY_FILE = /^(\d{8})\.jsonl$/;
/** Where no journal can be written, a run over several targets is not begun. */
const createNoJournalError = (cause: unknown): Failure =>
  cause instanceof UsageError
    ? cause
    : new UsageError('a bulk run needs a directory for its journal', {
        code: 'no_journal',
        reason:
          cause instanceof Failure
            ? [cause.message, cause.reason].filter(Boolean).join(': ')
            : 'HOME is not set, so there is no state directory.',
        hint: 'Set TTCTL_STATE_DIR to a writable directory, or use --no-history; the run then cannot be resumed.',
        cause,
      });

const createNoJobError = (id: string): UsageError =>
  new UsageError(`there is no job "${id}"`, { code: 'no_job', hint: 'List them: ttctl jobs list' });

/** Path without its ending. @throws UsageError for what is no job */
export const jobPath = ({ folder }: JobFolder, id: string): string => {
  if (folder === undefined || !JOB_FILE.test(`${id}.jsonl`)) throw createNoJobError(id);
  return join(folder, id);
};

const listNames = (folder: string | undefined, pattern: RegExp): readonly string[] => {
  try {
    const names = folder === undefined ? [] : readdirSync(folder);
    return names.flatMap((name) => pattern.exec(name)?.slice(1, 2) ?? []).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(getErrno(error) ?? '')) return [];
    throw error;
  }
};

/** Of runs with a journal of their own, the oldest first. */
export const jobIds = ({ folder }: JobFolder): readonly string[] => listNames(folder, JOB_FILE);

/** Days (`20261121`) with a file of single writes, the oldest first. */
export const listDays = ({ folder }: JobFolder): readonly string[] => listNames(folder, DAY_FILE);

/** The file of single writes of the day of a run. @param id of a run, or a day */
const dayPath = ({ folder }: JobFolder, id: string): string => join(folder ?? '', `${id.slice(0, 8)}.jsonl`);

/** A run of one write, as lines of its day's file. */
export interface SingleRun {
  readonly id: string;
  /** As they stand in the file. */
  readonly text: string;
}

/** What stands before the run's id, behind the checksum of a line. */
const BEFORE_RUN = ' {"run":"';
const CHECKSUM_LENGTH = 8;

/** The single writes of a day, the oldest first. */
export const readDay = (jobs: JobFolder, day: string): readonly SingleRun[] => {
  const { text = '' } = readPrivate(dayPath(jobs, day), jobs.warn) ?? {};
  const runs = new Map<string, string>();
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from) + 1 || text.length;
    if (text.startsWith(BEFORE_RUN, from + CHECKSUM_LENGTH)) {
      const at = from + CHECKSUM_LENGTH + BEFORE_RUN.length;
      const id = text.slice(at, text.indexOf('"', at));
      // Half a line has no end of it.
      if (id.length < end - at) runs.set(id, (runs.get(id) ?? '') + text.slice(from, end));
    }
    from = end;
  }
  return [...runs].map(([id, lines]) => ({ id, text: lines }));
};

/** The lines of a run of one write: one that is torn is of another run, or it is missing. */
export const parseSingle = ({ text }: SingleRun): JobLines => {
  const lines = parseJournal(text).lines as readonly { readonly lines?: readonly unknown[] }[];
  return { lines: lines.flatMap((line) => line.lines ?? []), damaged: false };
};

/** @param unwanted as for `readJournal` @throws UsageError where there is no such job */
export const readJobLines = (jobs: JobFolder, id: string, unwanted?: string): JobLines => {
  const found = readJournal(`${jobPath(jobs, id)}.jsonl`, jobs.warn, unwanted);
  if (found !== undefined) return found;
  const single = readDay(jobs, id).find((one) => one.id === id);
  if (single === undefined) throw createNoJobError(id);
  return parseSingle(single);
};

/** How the lines of rows begin. */
const ROW_LINE = '{"type":"row"';

/** Without the rows, of which there may be very many. @throws UsageError as `readJobLines` */
export const readJobSteps = (jobs: JobFolder, id: string): JobLines => readJobLines(jobs, id, ROW_LINE);

const hasJournal = (jobs: JobFolder, id: string): boolean => existsSync(`${jobPath(jobs, id)}.jsonl`);

/** A run of one write that is to begin. Its first lines go out with its first step. */
export const openSingle = (
  jobs: JobFolder,
  listFirst: (id: string) => readonly object[],
): Pick<OpenJob, 'id' | 'add' | 'note'> => {
  const { folder, machine } = jobs;
  const id = createRunId(machine.clock);
  let isBegun = false;
  const add = async (line: object): Promise<void> => {
    if (folder === undefined) throw createNoJournalError(undefined);
    if (!isBegun) makePrivateDirectory(folder);
    appendLine(dayPath(jobs, id), { run: id, lines: [...(isBegun ? [] : listFirst(id)), line] });
    isBegun = true;
  };
  return { id, add, note: add };
};

const withJobLock = <T>(jobs: JobFolder, id: string, work: () => Promise<T>): Promise<T> =>
  withLockAt(jobs, jobPath(jobs, id), work, (cause) => createJobRunningError(id, cause));

type JobWork<T> = (job: OpenJob) => Promise<T>;

const withOpenJob = async <T>(jobs: JobFolder, id: string, work: JobWork<T>): Promise<T> => {
  const lines = readJobLines(jobs, id);
  if (!hasJournal(jobs, id)) {
    const add = async (line: object): Promise<void> =>
      appendLine(dayPath(jobs, id), { run: id, lines: [line] });
    return work({ id, ...lines, add, note: add });
  }
  const journal = openJournal(`${jobPath(jobs, id)}.jsonl`);
  return work({ id, ...lines, add: journal.add, note: journal.note }).finally(journal.close);
};

/** Reserves a new id by creating the folder of its lock. */
const reserveJobId = (jobs: JobFolder): string => {
  const { folder, machine } = jobs;
  if (folder === undefined) throw createNoJournalError(undefined);
  makePrivateDirectory(folder);
  for (let letters = 3; ; letters += 1) {
    const id = createRunId(machine.clock, letters);
    try {
      mkdirSync(`${jobPath(jobs, id)}.lock`, 0o700);
      return id;
    } catch (error) {
      if (getErrno(error) !== 'EEXIST') throw createDiskFailure(error, 'use the directory', folder);
    }
  }
};

/** Begins a journal with its first lines, and works with it. */
export const createJob = async <T>(
  jobs: JobFolder,
  lines: (id: string) => readonly object[],
  work: JobWork<T>,
): Promise<T> => {
  let begun = false;
  try {
    const id = reserveJobId(jobs);
    return await withJobLock(jobs, id, async () => {
      createJournal(`${jobPath(jobs, id)}.jsonl`, lines(id));
      begun = true;
      return withOpenJob(jobs, id, work);
    });
  } catch (error) {
    throw begun ? error : createNoJournalError(error);
  }
};

export const reopenJob = async <T>(jobs: JobFolder, id: string, work: JobWork<T>): Promise<T> => {
  readJobLines(jobs, id);
  return withJobLock(jobs, id, () => withOpenJob(jobs, id, work));
};

export const removeJob = async (jobs: JobFolder, id: string): Promise<void> => {
  readJobLines(jobs, id);
  const path = jobPath(jobs, id);
  await withJobLock(jobs, id, async () => {
    for (const ending of ['.jsonl', '.failed.csv']) rmSync(`${path}${ending}`, { force: true });
  });
  rmSync(`${path}.lock`, { recursive: true, force: true });
};
