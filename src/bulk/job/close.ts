import type { Context } from '../../context.ts';
import type { JobFacts } from '../tally.ts';
import type { JobDesk } from './desk.ts';
import { resumeLine } from './place.ts';
import { type Counts, countsOf, type Job, replay } from './record.ts';

/** The end of a job's run: the file of failed rows, and what to say. */

/** Writes the failed rows with their errors; undefined when none has failed. */
const saveFailed = async (desk: JobDesk, { head, rows }: Job): Promise<string | undefined> => {
  const failed = rows.filter(({ state }) => state === 'failed');
  if (failed.length === 0) return undefined;
  const columns = [...new Set(failed.flatMap((row) => Object.keys(row.columns)))];
  const lines = failed.map(({ columns: cells, error, message }) => ({
    ...cells,
    error: String(error?.['message'] ?? message ?? ''),
  }));
  return desk.saveFailed(head.id, [...columns.filter((name) => name !== 'error'), 'error'], lines);
};

const CORRECT = 'Correct the failed rows and feed them back with --from-file';
/** Where a run had several operations, the file says of each row which it is for. */
const CORRECT_EACH = `${CORRECT}: each command takes its own`;

const goOn = ({ unknown, left }: Counts, line: string): readonly string[] => {
  if (unknown + left === 0) return [];
  const first = unknown === 0 ? '' : ' (what is not known is looked up first)';
  return [`Go on with: ${line}${first}`];
};

/** Of a job whose run has ended. */
export const closeJob = async ({ jobs }: Context, id: string): Promise<JobFacts> => {
  const desk = await jobs();
  const job = replay(desk.read(id));
  if (job === undefined) return {};
  const file = await saveFailed(desk, job);
  const further = goOn(countsOf(job), resumeLine(job.head));
  const operations = new Set(job.rows.flatMap((row) => (row.state === 'failed' ? row.operation : [])));
  const correct = operations.size > 1 ? CORRECT_EACH : CORRECT;
  const rows = `See what became of each row: ttctl jobs show ${id}`;
  return {
    hint: [...(file === undefined ? [] : [`${correct}.`]), ...(further.length > 0 ? further : [rows])].join(
      '\n',
    ),
    whole: [...(file === undefined ? [] : [`${correct}: ${file}`]), ...further].join('\n'),
    done: `Job ${id} is done. ${rows}`,
    details: { job: id, ...(file === undefined ? {} : { failed_file: file }) },
  };
};
