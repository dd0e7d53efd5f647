import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { countJobSteps, countOpen } from '../changes/job/counts.ts';
import { isJobHeader } from '../changes/job/record.ts';
import type { PrunableRuns, RunFilter, StoredRun } from '../changes/job/service.ts';
import { Failure } from '../outcome.ts';
import { parseJournal, readFirstLine } from '../storage/journal.ts';
import { isLocked } from '../storage/lock.ts';
import { readPrivate } from '../storage/own-files.ts';
import {
  jobIds,
  jobPath,
  listDays,
  parseSingle,
  readDay,
  readJobSteps,
  removeJob,
  type SingleRun,
} from './job-files.ts';
import type { JobFolder } from './job-locks.ts';

/** Everything that is in the history, read day by day: there may be very much of it. */

const dayOf = (id: string): string => id.slice(0, 8);

/** `2026-11-21` as file names have it. */
const toFileDay = (day: string): string => day.replaceAll('-', '');

/** A run whose lines are read when it is asked for; undefined where none of them is wanted. */
interface LazyRun {
  readonly id: string;
  /** ISO 8601; of one that is damaged, the minute. */
  readonly startedAt: string;
  read(): StoredRun | undefined;
}

const STARTED = /"started_at":"([^"]+)"/;

/** `20261121-0900-kfm` began in the minute `2026-11-21T09:00`. */
const toMinute = (id: string): string => id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5');

const readStart = (jobs: JobFolder, id: string): string => {
  const head = readFirstLine(`${jobPath(jobs, id)}.jsonl`);
  return isJobHeader(head) ? head.started_at : toMinute(id);
};

const ROW = /^\w{8} \{"type":"row"/gm;

/** Whether nothing of a run is lost; far less work than to read it. */
const isWhole = (text: string, rows: number): boolean =>
  text.match(ROW)?.length === rows && !parseJournal(text, '{').damaged;

/** Of one that cannot be read, or not all of it, nobody knows what it has. */
const readRun = (
  jobs: JobFolder,
  id: string,
  mayHave: NonNullable<RunFilter['mayHave']>,
): StoredRun | undefined => {
  try {
    const text = readPrivate(`${jobPath(jobs, id)}.jsonl`, jobs.warn)?.text;
    // Removed meanwhile.
    if (text === undefined) return undefined;
    const firstLine = text.slice(0, text.indexOf('\n') + 1);
    const head = parseJournal(firstLine).lines[0];
    if (!isJobHeader(head)) return { id, ...parseJournal(text), damaged: true };
    return mayHave(text) || !isWhole(text, head.rows) ? { id, ...parseJournal(text) } : undefined;
  } catch (error) {
    if (error instanceof Failure) return { id, lines: [], damaged: true };
    throw error;
  }
};

const warnFailure = (jobs: JobFolder, error: unknown): undefined => {
  if (!(error instanceof Failure)) throw error;
  jobs.warn([error.message, error.reason].filter(Boolean).join(': '));
};

/** Undefined where they cannot be read, which is told of. */
const tryReadDay = (jobs: JobFolder, day: string): readonly SingleRun[] | undefined => {
  try {
    return readDay(jobs, day);
  } catch (error) {
    return warnFailure(jobs, error);
  }
};

/** @param ids of the runs of that day with journals of their own */
const listRunsOfDay = (
  jobs: JobFolder,
  day: string,
  ids: readonly string[],
  mayHave: RunFilter['mayHave'] = () => true,
): readonly LazyRun[] => {
  const journals = ids.map(
    (id): LazyRun => ({ id, startedAt: readStart(jobs, id), read: () => readRun(jobs, id, mayHave) }),
  );
  const singles = (tryReadDay(jobs, day) ?? []).map((run): LazyRun => {
    const startedAt = STARTED.exec(run.text)?.[1] ?? toMinute(run.id);
    const read = () => (mayHave(run.text) ? { id: run.id, ...parseSingle(run) } : undefined);
    return { id: run.id, startedAt, read };
  });
  // A day's file has its runs in their order.
  return [...journals, ...singles.reverse()].sort((a, b) =>
    a.startedAt === b.startedAt ? 0 : a.startedAt < b.startedAt ? 1 : -1,
  );
};

/** The latest first. */
export function* listRuns(jobs: JobFolder, { from, to, mayHave }: RunFilter = {}): Generator<StoredRun> {
  const ids = new Map<string, string[]>(listDays(jobs).map((day) => [day, []]));
  for (const id of jobIds(jobs)) ids.set(dayOf(id), [...(ids.get(dayOf(id)) ?? []), id]);
  const days = [...ids.keys()].sort().reverse();
  for (const day of days) {
    if (to !== undefined && day > toFileDay(to)) continue;
    if (from !== undefined && day < toFileDay(from)) return;
    for (const run of listRunsOfDay(jobs, day, ids.get(day) ?? [], mayHave)) {
      const found = run.read();
      if (found !== undefined) yield found;
    }
  }
}

const STATE = /"state":"(?:sending|unknown)"/y;

/** Whether its last step leaves open what became of it. */
const isOpen = (lines: string): boolean => {
  STATE.lastIndex = Math.max(0, lines.lastIndexOf('"state":"'));
  return STATE.test(lines);
};

/** Single writes that were on their way when their process ended, or whose outcome nobody could tell. */
export const listOpenSingles = (jobs: JobFolder): readonly string[] =>
  listDays(jobs).flatMap((day) =>
    (tryReadDay(jobs, day) ?? []).filter(({ text }) => isOpen(text)).map(({ id }) => id),
  );

/** One that is at work, or that could be resumed. Nobody can tell of one whose head is lost, or that cannot be read. */
const isUnfinished = (jobs: JobFolder, id: string): boolean => {
  if (isLocked(jobPath(jobs, id), jobs.machine.clock)) return true;
  try {
    const counts = countJobSteps(readJobSteps(jobs, id), false)?.counts;
    return counts !== undefined && countOpen(counts) > 0;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};

/** Runs that began before a day. */
const listOlder = (jobs: JobFolder, before: string) => {
  const isOld = (id: string): boolean => dayOf(id) < toFileDay(before);
  const old = jobIds(jobs).filter(isOld);
  const kept = new Set(old.filter((id) => isUnfinished(jobs, id)));
  const ids = old.filter((id) => !kept.has(id));
  return { ids, kept: [...kept], days: listDays(jobs).filter(isOld) };
};

export const findPrunable = (jobs: JobFolder, before: string): PrunableRuns => {
  const { ids, kept, days } = listOlder(jobs, before);
  return { count: days.reduce((sum, day) => sum + (tryReadDay(jobs, day)?.length ?? 0), ids.length), kept };
};

/** Removes them; a run that is not finished stays, and what cannot be read. @returns how many are gone */
export const pruneHistory = async (jobs: JobFolder, before: string): Promise<number> => {
  const { ids, days } = listOlder(jobs, before);
  let count = 0;
  for (const id of ids) {
    const isRemoved = await removeJob(jobs, id).then(
      () => true,
      (error: unknown) => warnFailure(jobs, error),
    );
    if (isRemoved) count += 1;
  }
  for (const day of days) {
    const singleRuns = tryReadDay(jobs, day) ?? [];
    // What has no run in it is not ours, or damaged.
    if (singleRuns.length === 0) continue;
    count += singleRuns.length;
    rmSync(join(jobs.folder ?? '', `${day}.jsonl`), { force: true });
  }
  return count;
};
