import type { Context } from '../../context.ts';
import { toText } from '../../json.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { ExitNotice } from '../../platform/machine.ts';
import { writeDurably } from '../../storage/write.ts';
import type { JobSummary } from '../report.ts';
import { formatFromFileCommand, formatResumeCommand } from './destination.ts';
import {
  countJobRows,
  countOpen,
  isFedBack,
  type Job,
  type JobCounts,
  type JobHeader,
  type JobRowStatus,
  replayJournal,
} from './record.ts';
import type { JobStore } from './store.ts';

/** The end of a job's run: the file of failed rows, and what to say. */

/** Whether the record was made all the same, without some of its fields: fed back, the row would make another. */
const isCreated = ({ error }: JobRowStatus): boolean => error?.['created'] !== undefined;

/** The rows that can be corrected and sent anew. Those of a plan are planned anew, and those of an undo undone again. */
const failedRows = ({ head: { plan, undoes }, rows }: Job): Job['rows'] =>
  plan === undefined && undoes === undefined ? rows.filter(isFedBack) : [];

/** Writes the failed rows with their errors; undefined when there are none to feed back. */
const saveFailed = async (store: JobStore, job: Job): Promise<string | undefined> => {
  const failed = failedRows(job);
  if (failed.length === 0) return undefined;
  const columns = [...new Set(failed.flatMap((row) => Object.keys(row.columns)))];
  const lines = failed.map(({ columns: cells, error, message }) => ({
    ...cells,
    error: toText(error?.['message'] ?? message ?? ''),
  }));
  const { formatCsv } = await import('../../output/formats/delimited.ts');
  const path = store.failedPath(job.head.id);
  writeDurably(path, formatCsv([...columns.filter((name) => name !== 'error'), 'error'], lines));
  return path;
};

/**
 * How the failed rows are fed back. Of a run of several operations the file says of each row which it is for; then
 * the commands are named, for the one that ran takes no file.
 */
const formatRetryHints = (job: Job, file: string | undefined): readonly string[] => {
  if (file === undefined) return [];
  const failed = failedRows(job);
  const advice = 'Correct the failed rows and retry with';
  if (!failed.some(({ columns }) => 'operation' in columns)) return [`${advice} --from-file`];
  const operations = [...new Set(failed.map(({ operation }) => operation))];
  const lines = operations.map((operation) => `\n  ${formatFromFileCommand(job.head, operation, file)}`);
  return [`${advice}:${lines.join('')}`];
};

const listIncompleteHints = ({ rows }: Job): readonly string[] => {
  const made = rows.filter((row) => row.state === 'failed' && isCreated(row)).length;
  if (made === 0) return [];
  const what = made === 1 ? '1 record was created' : `${made} records were created`;
  return [
    `${what} with some fields missing. Do not create ${made === 1 ? 'it' : 'them'} again; update ${made === 1 ? 'it' : 'them'}`,
  ];
};

const withFile = (text: string, file: string | undefined): string =>
  text.includes('\n') ? text : `${text}: ${file}`;

const listResumeHints = (counts: JobCounts, line: string): readonly string[] => {
  if (countOpen(counts) === 0) return [];
  const first = counts.unknown === 0 ? '' : ' (unknown rows are checked first)';
  return [`Resume with: ${line}${first}`];
};

/** Of a job whose run a second signal ends at once. */
export const createJobExitNotice = (head: Pick<JobHeader, 'id' | 'flags'>): ExitNotice => ({
  message: `stopped while job ${head.id} was running; the outcome of the rows in flight is unknown`,
  hint: `Resume with: ${formatResumeCommand(head)} (unknown rows are checked first)`,
});

/**
 * Of a job whose run has ended.
 * @param idle whether nothing was left to do: a file of failed rows that may have been corrected meanwhile stays
 */
export const closeJob = async ({ jobs }: Context, id: string, idle = false): Promise<JobSummary> => {
  const store = await jobs();
  const job = replayJournal(store.read(id));
  if (job === undefined) return {};
  const file = (idle ? store.failedFile(id) : undefined) ?? (await saveFailed(store, job));
  const resumeHints = listResumeHints(countJobRows(job), formatResumeCommand(job.head));
  const retryHints = [...listIncompleteHints(job), ...formatRetryHints(job, file)];
  const inspectLine = commandLine`ttctl jobs show ${id}`;
  const rows = `See the result of each row: ${inspectLine}`;
  return {
    hint: [...retryHints, ...(resumeHints.length > 0 ? resumeHints : [rows])].join('\n'),
    hintWithDetails: [
      ...listIncompleteHints(job),
      ...formatRetryHints(job, file).map((text) => withFile(text, file)),
      ...resumeHints,
    ].join('\n'),
    inspectLine,
    doneNote: `Job ${id} is done. ${rows}`,
    details: { job: id, ...(file === undefined ? {} : { failed_file: file }) },
  };
};
