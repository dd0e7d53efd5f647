import { UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { type Job, type JobLines, replayJournal } from './record.ts';

/** @param isPartial whether something of it can still be read */
export const createDamagedJobError = (id: string, isPartial = false): UsageError =>
  new UsageError(`the journal of ${id} is damaged`, {
    code: 'damaged_job',
    reason: isPartial ? 'Some of what it sent is unknown.' : 'What it sent is unknown.',
    hint: isPartial
      ? `See what is known, and undo it entry by entry: ${commandLine`ttctl history list --run ${id}`}`
      : `Check the records themselves. The journal is ${id}.jsonl in the folder jobs of the state directory, which ttctl doctor names.`,
  });

/** What a job's journal says. @throws UsageError for lines that are no job's */
export const readJob = (id: string, lines: JobLines): Job => {
  const job = replayJournal(lines);
  if (job === undefined) throw createDamagedJobError(id);
  return job;
};
