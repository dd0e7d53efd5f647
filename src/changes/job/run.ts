import type { Context } from '../../context.ts';
import { stringifyJson } from '../../json/stringify.ts';
import type { Changes } from '../change.ts';
import { reportRun } from '../report.ts';
import { createBrake, sendAll } from '../send-all.ts';
import { closeJob, leftJob } from './close.ts';
import type { JobDesk } from './desk.ts';
import { createLog } from './log.ts';
import { placeOf } from './place.ts';
import type { JobHead, JobRow, Step } from './record.ts';

/** A run that is written down, so that it can be gone on with (docs/requirements.md, CLI-5). */

/** Values that a secret stands in are not stored: they could not be sent again with it masked. */
const storable = (values: JobRow['values'], desk: JobDesk): JobRow['values'] =>
  stringifyJson(desk.redact(values)) === stringifyJson(values) ? values : null;

const firstLines = (head: JobHead, { changes }: Changes, desk: JobDesk, at: number): readonly object[] => {
  const lines: (JobHead | JobRow | Step)[] = [head];
  const seen = new Set<string>();
  for (const { n, target, key, call, columns, label } of changes) {
    lines.push({
      type: 'row',
      n,
      target,
      key,
      operation: call.operation.id,
      values: storable(call.values, desk),
      columns: desk.redact(columns) as JobRow['columns'],
      ...(label === undefined ? {} : { words: String(desk.redact(label)) }),
    });
    if (seen.has(key)) lines.push({ type: 'step', n, state: 'skipped', at });
    seen.add(key);
  }
  return lines;
};

/**
 * Carries a run out as a job.
 * @param count different changes
 * @throws UsageError (exit 2) where the job's place cannot be written; else as `writeChanges`
 */
export const runJob = async (context: Context, run: Changes, count: number): Promise<void> => {
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
    verb: run.verb,
    noun: run.noun,
    ...place,
    input: run.input ?? null,
    rows: run.changes.length,
  });
  await desk.create(
    (id) => firstLines(head(id), run, desk, at),
    (job) => {
      const log = createLog(job, desk, context.clock.now);
      const brake = createBrake();
      const results = sendAll(context, run.changes, { brake, log });
      const course = { ...run, count, brake, results, close: () => closeJob(context, job.id) };
      return context.parting.during(
        () => leftJob(head(job.id)),
        () => reportRun(context, course),
      );
    },
  );
};
