import type { Context } from '../../context.ts';
import { stringifyJson } from '../../json/stringify.ts';
import { type CarryOut, carryOut } from '../carry-out.ts';
import type { Work } from '../run-rows.ts';
import { type NumberedRow, sendRows } from '../send-rows.ts';
import { closeJob, leftJob } from './close.ts';
import type { JobDesk } from './desk.ts';
import { createLog } from './log.ts';
import { placeOf } from './place.ts';
import type { JobHead, JobRow, Step } from './record.ts';

/** A run that is written down, so that it can be gone on with (docs/requirements.md, CLI-5). */

/** Values that a secret stands in are not stored: they could not be sent again with it masked. */
const storable = (values: JobRow['values'], desk: JobDesk): JobRow['values'] =>
  stringifyJson(desk.redact(values)) === stringifyJson(values) ? values : null;

const firstLines = (head: JobHead, { rows, about }: Work, desk: JobDesk, at: number): readonly object[] => {
  const lines: (JobHead | JobRow | Step)[] = [head];
  const seen = new Set<string>();
  for (const [n, { target, key, call, columns }] of rows.entries()) {
    const words = about?.(target);
    lines.push({
      type: 'row',
      n,
      target,
      key,
      operation: call.operation.id,
      values: storable(call.values, desk),
      columns: desk.redact(columns) as JobRow['columns'],
      ...(words === undefined ? {} : { words: String(desk.redact(words)) }),
    });
    if (seen.has(key)) lines.push({ type: 'step', n, state: 'skipped', at });
    seen.add(key);
  }
  return lines;
};

interface JobRun extends CarryOut {
  readonly rows: readonly NumberedRow[];
}

/**
 * Carries the work out as a job.
 * @throws UsageError (exit 2) where the job's place cannot be written; else as `runRows`
 */
export const runJob = async (context: Context, work: Work, run: JobRun): Promise<void> => {
  const desk = await context.jobs();
  // From here on the credential is known, and masked.
  await context.accessToken();
  const place = await placeOf(context);
  const at = context.clock.now();
  const head = (id: string): JobHead => ({
    type: 'job',
    version: 1,
    id,
    started_at: new Date(at).toISOString(),
    command: desk.command,
    verb: work.verb,
    noun: work.noun,
    ...place,
    input: work.input ?? null,
    rows: work.rows.length,
  });
  await desk.create(
    (id) => firstLines(head(id), work, desk, at),
    (job) => {
      const log = createLog(job, desk, context.clock.now);
      const results = sendRows(context, run.rows, { brake: run.brake, log });
      const course = { ...run, results, close: () => closeJob(context, job.id) };
      return context.parting.during(
        () => leftJob(head(job.id)),
        () => carryOut(context, course),
      );
    },
  );
};
