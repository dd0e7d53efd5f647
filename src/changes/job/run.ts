import type { Context } from '../../context.ts';
import type { Changes } from '../change.ts';
import { reportRun, withWarnings } from '../report-results.ts';
import { createCircuitBreaker, sendAll } from '../send-all.ts';
import { NAMED_TWICE } from '../turns.ts';
import { closeJob, createJobExitNotice } from './close.ts';
import { formatResumeCommand } from './destination.ts';
import { createJobHeader, toJobRow } from './first-lines.ts';
import { createJobLog, toStep } from './log.ts';
import type { JobHeader, JobRow, JobStep } from './record.ts';
import type { JobStore } from './store.ts';

/** A run that is written down, so that it can be gone on with. */

const listFirstLines = (
  head: JobHeader,
  { changes, knownResults }: Changes,
  store: JobStore,
  at: number,
): readonly object[] => {
  const lines: (JobHeader | JobRow | JobStep)[] = [head];
  const seen = new Set<string>();
  for (const change of changes) {
    const { n, key } = change;
    lines.push(toJobRow(change, store.redact));
    if (seen.has(key)) lines.push({ type: 'step', n, state: 'skipped', at, message: NAMED_TWICE });
    const known = knownResults?.get(n);
    if (known !== undefined) lines.push({ type: 'step', n, at, ...toStep(known, store.redact) });
    seen.add(key);
  }
  return lines;
};

/**
 * Carries a run out as a job.
 * @param counts different changes, those of them that are sent, and the requests beside them
 * @throws UsageError (exit 2) where the job's place cannot be written; else as `writeChanges`
 */
export const runJob = async (
  context: Context,
  run: Changes,
  counts: { readonly count: number; readonly toSend: number; readonly looks: number },
): Promise<void> => {
  const store = await context.jobs();
  // From here on the credential is known, and masked.
  await context.accessToken();
  const head = await createJobHeader(context, run, run.changes.length);
  const at = context.clock.now();
  await store.create(
    (id) => listFirstLines(head(id), run, store, at),
    (job) => {
      const log = createJobLog(context, job, store);
      const breaker = createCircuitBreaker();
      const { knownResults, skipMissing, ifMissing, seenAt } = run;
      const sending = {
        ...{ breaker, log, run: job.id, knownResults, skipMissing, ifMissing, seenAt },
        takesAlike: ifMissing === true || run.plan !== undefined,
        resumeLine: formatResumeCommand(head(job.id)),
      };
      const results = withWarnings(sendAll(context, run.changes, sending), run);
      const report = { ...run, ...counts, breaker, results, close: () => closeJob(context, job.id) };
      return context.exitNotices.during(
        () => createJobExitNotice(head(job.id)),
        () => reportRun(context, report),
      );
    },
  );
};
