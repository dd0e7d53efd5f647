import type { Context } from '../context.ts';
import type { Change, Changes } from './change.ts';
import { countLooks } from './effect.ts';
import { closeJob, createJobExitNotice } from './job/close.ts';
import { formatResumeCommand } from './job/destination.ts';
import { createJobHeader, createJobLog, createSingleLog, toJobRow, toStep } from './job/log.ts';
import type { JobHeader, JobRow, JobStep } from './job/record.ts';
import type { JobStore } from './job/store.ts';
import { type RunReport, reportRun } from './report.ts';
import { CircuitBreaker, NAMED_TWICE, type SendAllOptions, sendAll } from './send-all.ts';
import type { SendResult } from './send-result.ts';
import { formatInspectLine } from './unknown-outcome.ts';

/** A run of changes that were agreed to: written down, sent, and reported. */

/** How a run is written down, and what is said of it beside its results. */
interface RunOptions
  extends Pick<SendAllOptions, 'log' | 'run' | 'resumeLine'>,
    Pick<RunReport, 'count' | 'toSend' | 'looks' | 'earlier' | 'silent' | 'inspectLine' | 'close'> {
  readonly breaker?: CircuitBreaker;
  readonly refused?: readonly SendResult[];
  readonly onResult?: (sent: SendResult, change: Change) => void;
}

/** The breaker, the log and the report of a run meet here. @throws as `runChanges` */
export const sendAndReport = async (
  context: Context,
  run: Changes,
  { log, run: id, resumeLine, breaker = new CircuitBreaker(), refused = [], onResult, ...report }: RunOptions,
): Promise<void> => {
  const { changes, knownResults, skipMissing, ifMissing, seenAt, plan, warnings } = run;
  const takesAlike = ifMissing === true || plan !== undefined;
  const sent = sendAll(context, changes, {
    ...{ breaker, log, run: id, resumeLine },
    ...{ knownResults, skipMissing, ifMissing, seenAt, takesAlike },
  });
  async function* listResults(): AsyncGenerator<SendResult> {
    yield* refused;
    const all = changes.values();
    for await (const one of sent) {
      const change = all.next().value as Change;
      onResult?.(one, change);
      yield { ...one, result: { ...one.result, ...warnings?.get(change.key) } };
    }
  }
  await reportRun(context, { ...run, ...report, breaker, results: listResults() });
};

const countDistinct = (changes: readonly Change[]): number => new Set(changes.map(({ key }) => key)).size;

/**
 * Sends changes that are right and agreed to, and prints a result for each in the order given. A run of more than one is
 * a job: it can be gone on with after whatever ends it.
 * @throws Failure when any of them failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   UsageError where a job's place cannot be written
 */
export const runChanges = async (context: Context, given: Changes): Promise<void> => {
  const { settings, clock } = context;
  const run = given.confirmed === true ? { seenAt: clock.now(), ...given } : given;
  const { changes, knownResults } = run;
  // Nothing is sent for those of which it is known what has become of them.
  const left = changes.filter(({ n }) => knownResults?.has(n) !== true);
  const looks = await countLooks(context, left);
  const counts = { count: countDistinct(changes), toSend: countDistinct(left), looks };
  const isJob = counts.toSend > 1 || (run.plan !== undefined && counts.toSend > 0);
  if (isJob && !settings.dryRun.value && (await context.jobs()).wanted) return runJob(context, run, counts);
  const [first] = changes;
  const log = left[0] && (await createSingleLog(context, run, left[0]));
  const options = {
    ...{ ...counts, log, run: log?.id, resumeLine: log?.resumeLine },
    inspectLine: first === undefined || counts.count > 1 ? undefined : formatInspectLine(first),
  };
  const { plan: file } = settings;
  if (file === undefined) return sendAndReport(context, run, options);
  const { savePlan } = await import('./plan/save.ts');
  const planned: { readonly sent: SendResult; readonly change: Change }[] = [];
  await sendAndReport(context, run, {
    ...options,
    onResult: (sent, change) => {
      if (sent.result.status === 'planned') planned.push({ sent, change });
    },
    silent: file === '-',
    close: async () => ({ hint: 'No plan was written. Correct these first.' }),
  });
  await savePlan(context, file, planned);
};

const runJob = async (
  context: Context,
  run: Changes,
  counts: Pick<RunOptions, 'count' | 'toSend' | 'looks'>,
): Promise<void> => {
  const store = await context.jobs();
  // From here on the credential is known, and masked.
  await context.accessToken();
  const head = await createJobHeader(context, run, run.changes.length);
  const at = context.clock.now();
  await store.create(
    (id) => listFirstLines(head(id), run, store, at),
    (job) =>
      context.exitNotices.during(
        () => createJobExitNotice(head(job.id)),
        () =>
          sendAndReport(context, run, {
            ...counts,
            log: createJobLog(context, job, store),
            run: job.id,
            resumeLine: formatResumeCommand(head(job.id)),
            close: () => closeJob(context, job.id),
          }),
      ),
  );
};

const listFirstLines = (
  head: JobHeader,
  { changes, knownResults }: Changes,
  { redact }: JobStore,
  at: number,
): readonly object[] => {
  const lines: (JobHeader | JobRow | JobStep)[] = [head];
  const seen = new Set<string>();
  for (const change of changes) {
    const { n, key } = change;
    lines.push(toJobRow(change, redact));
    if (seen.has(key)) lines.push({ type: 'step', n, state: 'skipped', at, message: NAMED_TWICE });
    const known = knownResults?.get(n);
    if (known !== undefined) lines.push({ type: 'step', n, at, ...toStep(known, redact) });
    seen.add(key);
  }
  return lines;
};
