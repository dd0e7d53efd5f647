import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { countJobRows, countOpen, formatEntryId, isJobHeader, replayJournal } from '../changes/job/record.ts';
import { readBounded } from './cache.ts';
import type { Candidate } from './plain.ts';

/** The runs of this machine, the latest first, as `jobs/` of the state directory has them. */

const NAME = /^(\d{8}-\d{4}-[a-z]{3,})\.jsonl$/;
/** The single writes of a day (changes/job/store.ts). */
const DAY = /^(\d{8})\.jsonl$/;
const MAX_JOBS = 30;
const MAX_BYTES = 256 * 1024;

/** A line of a journal is its checksum, a space and JSON (storage/journal.ts). A torn one says nothing. */
const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line.slice(9));
  } catch {
    return undefined;
  }
};

/** `undefined`: it is too large to look at for a completion, or not a job's. */
const readJob = (file: string) => {
  try {
    return replayJournal({ lines: readBounded(file, MAX_BYTES).split('\n').map(parseLine), damaged: false });
  } catch {
    return undefined;
  }
};

/** The latest first. */
const listNames = (folder: string, pattern: RegExp): readonly string[] => {
  try {
    const names = readdirSync(folder).flatMap((name) => pattern.exec(name)?.slice(1, 2) ?? []);
    return names.sort().reverse();
  } catch {
    return [];
  }
};

/** @param open only those with rows that are not settled */
const listJobCandidates = (stateDirectory: string, open: boolean): readonly Candidate[] => {
  const folder = join(stateDirectory, 'jobs');
  return listNames(folder, NAME)
    .slice(0, MAX_JOBS)
    .flatMap((id): readonly Candidate[] => {
      const job = readJob(join(folder, `${id}.jsonl`));
      if (job === undefined) return [{ value: id }];
      return open && countOpen(countJobRows(job)) === 0 ? [] : [{ value: id, about: job.head.command }];
    });
};

/** The single writes of the last day that had any. */
const listSingles = (folder: string): readonly Candidate[] => {
  const [day] = listNames(folder, DAY);
  if (day === undefined) return [];
  try {
    return readBounded(join(folder, `${day}.jsonl`), MAX_BYTES)
      .split('\n')
      .flatMap((line): readonly Candidate[] => {
        const { run, lines } = Object(parseLine(line));
        const head = Array.isArray(lines) ? lines.find(isJobHeader) : undefined;
        return head === undefined ? [] : [{ value: formatEntryId(String(run), 0), about: head.command }];
      })
      .reverse();
  } catch {
    return [];
  }
};

/** Runs, and single writes. @param entries whether the rows of runs are wanted too */
const listHistoryCandidates = (stateDirectory: string, entries: boolean): readonly Candidate[] => {
  const folder = join(stateDirectory, 'jobs');
  const runs = listJobCandidates(stateDirectory, false);
  const rows = runs.flatMap(({ value }) => {
    const job = entries ? readJob(join(folder, `${value}.jsonl`)) : undefined;
    return (job?.rows ?? []).map(({ n, target }) => ({ value: formatEntryId(value, n), about: target }));
  });
  return [...listSingles(folder), ...(entries ? rows.slice(0, MAX_JOBS) : []), ...runs].slice(
    0,
    2 * MAX_JOBS,
  );
};

/** Runs, those that are not settled, runs and single writes, or these with the rows of runs. Never throws. */
export const listRunCandidates = (
  stateDirectory: string,
  source: 'job' | 'open-job' | 'run' | 'entry',
): readonly Candidate[] =>
  source === 'job' || source === 'open-job'
    ? listJobCandidates(stateDirectory, source === 'open-job')
    : listHistoryCandidates(stateDirectory, source === 'entry');
