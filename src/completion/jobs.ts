import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { countJobRows, replayJournal } from '../changes/job/record.ts';
import { readBounded } from './cache.ts';
import type { Candidate } from './plain.ts';

/** The bulk runs of this machine, the latest first, as `jobs/` of the state directory has them. */

const NAME = /^(\d{8}-\d{4}-[a-z]{3,})\.jsonl$/;
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

/** @param open only those with rows that are not settled. Never throws */
export const listJobCandidates = (stateDirectory: string, open: boolean): readonly Candidate[] => {
  const folder = join(stateDirectory, 'jobs');
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const ids = names.flatMap((name) => NAME.exec(name)?.slice(1, 2) ?? []);
  return ids
    .sort()
    .reverse()
    .slice(0, MAX_JOBS)
    .flatMap((id): readonly Candidate[] => {
      const job = readJob(join(folder, `${id}.jsonl`));
      if (job === undefined) return [{ value: id }];
      const { left, unknown } = countJobRows(job);
      return open && left + unknown === 0 ? [] : [{ value: id, about: job.head.command }];
    });
};
