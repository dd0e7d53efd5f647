import type { Context } from '../../context.ts';
import { stringifyJson } from '../../json/stringify.ts';
import type { Changes } from '../change.ts';
import { reportRun } from '../report-results.ts';
import { createCircuitBreaker, sendAll } from '../send-all.ts';
import { closeJob, createJobExitNotice } from './close.ts';
import { readDestination } from './destination.ts';
import { createJobLog, toStep } from './log.ts';
import type { JobHeader, JobRow, JobStep } from './record.ts';
import type { JobService } from './service.ts';

/** A run that is written down, so that it can be gone on with (docs/requirements.md, CLI-5). */

/** Values that a secret stands in are not stored: they could not be sent again with it masked. */
const toStorableValues = (values: JobRow['values'], service: JobService): JobRow['values'] =>
  stringifyJson(service.redact(values)) === stringifyJson(values) ? values : null;

const listFirstLines = (
  head: JobHeader,
  { changes, knownResults }: Changes,
  service: JobService,
  at: number,
): readonly object[] => {
  const lines: (JobHeader | JobRow | JobStep)[] = [head];
  const seen = new Set<string>();
  for (const { n, target, key, call, columns, label } of changes) {
    lines.push({
      type: 'row',
      n,
      target,
      key,
      operation: call.operation.id,
      values: toStorableValues(call.values, service),
      columns: service.redact(columns) as JobRow['columns'],
      ...(label === undefined ? {} : { words: String(service.redact(label)) }),
    });
    if (seen.has(key)) lines.push({ type: 'step', n, state: 'skipped', at });
    const known = knownResults?.get(n);
    if (known !== undefined) lines.push({ type: 'step', n, at, ...toStep(known, service.redact) });
    seen.add(key);
  }
  return lines;
};

/**
 * Carries a run out as a job.
 * @param counts different changes, and those of them that are sent
 * @throws UsageError (exit 2) where the job's place cannot be written; else as `writeChanges`
 */
export const runJob = async (
  context: Context,
  run: Changes,
  counts: { readonly count: number; readonly toSend: number },
): Promise<void> => {
  const service = await context.jobs();
  // From here on the credential is known, and masked.
  await context.accessToken();
  const destination = await readDestination(context);
  const at = context.clock.now();
  const head = (id: string): JobHeader => ({
    type: 'job',
    version: 1,
    id,
    started_at: new Date(at).toISOString(),
    command: service.command,
    verb: run.verb,
    noun: run.noun,
    ...destination,
    input: run.input ?? null,
    rows: run.changes.length,
  });
  await service.create(
    (id) => listFirstLines(head(id), run, service, at),
    (job) => {
      const log = createJobLog(job, service, context.clock.now);
      const breaker = createCircuitBreaker();
      const { knownResults, skipMissing } = run;
      const results = sendAll(context, run.changes, { breaker, log, knownResults, skipMissing });
      const report = { ...run, ...counts, breaker, results, close: () => closeJob(context, job.id) };
      return context.exitNotices.during(
        () => createJobExitNotice(head(job.id)),
        () => reportRun(context, report),
      );
    },
  );
};
