import { createHash } from 'node:crypto';
import type { ApiCall } from '../api/client.ts';
import {
  Cancelled,
  EXIT,
  Failure,
  NetworkError,
  parseFailureJson,
  toFailureJson,
  UsageError,
} from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import { streamInput } from '../storage/named.ts';
import { toFailure } from './accepted.ts';
import type { Change, OpenResult, Reconciliation, SendResult } from './change.ts';
import { SAMPLE_SIZE } from './confirm.ts';
import { checkDestination, checkUnapplied, closeJob, createJobExitNotice, findJobId } from './jobs.ts';
import {
  countOpen,
  countRows,
  hasFailed,
  isRepeatable,
  type RunCounts,
  type StoredWrite,
} from './journal.ts';
import { buildStoredCall, RunLog, toChange } from './log.ts';
import { withOwnWorkspace } from './look.ts';
import { createAlikeResult, findLikes, settleOpen } from './proof.ts';
import { describePace, type EarlierCounts, pluralize } from './report.ts';
import { CircuitBreaker } from './send.ts';
import { openRuns, requireRun, type StoredRun, type WholeRun } from './store.ts';
import { checkWritable, makeInTurn, sendAndReport } from './write.ts';

/** Goes on with a job: what may have been sent is looked up, and only what is shown not done is sent again. */

const HIDDEN = 'its values contain a secret, so they were not stored';

const FAILED = new Failure('failed', { code: 'failed', exit: EXIT.partial });

/**
 * Carries on with a job, and prints a result for each row that was open. At a terminal it asks first; without one it
 * does not: the run was confirmed when it began.
 * @throws UsageError (exit 2) when there is no such job, it is at work elsewhere, its input has changed, or the
 *   settings mean another store; Cancelled when declined; else as `writeChanges`
 */
export async function resumeJob(run: Run, text: string): Promise<void> {
  checkWritable(run);
  await run.output.checkNames();
  const store = openRuns(run);
  const id = await findJobId(run, text);
  const begin = async (stored: StoredRun): Promise<WholeRun> => {
    const job = requireRun(stored, store);
    await checkDestination(run, job.head, `job ${id}`, ['jobs', 'resume', id]);
    const { plan, again } = job.head.run;
    if (plan !== undefined && again !== true) checkUnapplied(store, plan, id);
    await checkInput(run, job);
    return job;
  };
  // A dry run writes nothing, so it needs no lock.
  if (run.settings.dryRun.value) return runOpenRows(run, await begin(store.read(id)), undefined);
  const goOn = () =>
    store.reopen(id, async (stored, steps) => {
      const job = await begin(stored);
      const log = new RunLog(run, id, job.head, steps);
      await run.exitNotices.during(
        () => createJobExitNotice(id, log.resumeLine),
        () => runOpenRows(run, job, log),
      );
    });
  // As when it began: nobody else applies the plan meanwhile, or makes what is missing.
  const { plan, if_missing, noun } = requireRun(store.read(id), store).head.run;
  if (plan !== undefined) await store.alone(plan, goOn);
  else if (if_missing === true) await makeInTurn(run, noun, goOn);
  else await goOn();
}

async function checkInput(run: Run, { head, id }: WholeRun): Promise<void> {
  if (head.run.input === undefined) return;
  const { file, sha256 } = head.run.input;
  const now = await computeDigest(file, run.interrupted);
  if (now === undefined) {
    // Nothing contradicts what was planned, and all of it is in the journal.
    run.output.warn(`${file} can no longer be read; using its contents from when the job started`);
  } else if (now !== sha256) {
    throw new UsageError(`${file} has changed since job ${id} began`, {
      code: 'input_changed',
      reason: 'The job was confirmed with its earlier contents.',
      hint: `Restore the file to resume. Or start over with the rows that are not done: ${commandLine`ttctl jobs show ${id}`}`,
    });
  }
}

async function computeDigest(file: string, interrupted: AbortSignal): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const part of streamInput(file, interrupted)) hash.update(part);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
  return hash.digest('hex');
}

/** All that is open, in the order given: first every doubt is settled, then the rest is sent. */
async function runOpenRows(context: Run, job: WholeRun, log: RunLog | undefined): Promise<void> {
  const { head, id, rows } = job;
  const counts = countRows(rows);
  const open = rows.filter(isOpenRow);
  const idle = open.length === 0;
  if (idle) context.output.note(`Nothing is left to do in job ${id}.`);
  if (log === undefined) context.output.note(planText(id, counts));
  const confirmed = log !== undefined && (await confirmResume(context, job));
  const breaker = new CircuitBreaker();
  const { calls, refused } = buildCalls(context, job, open);
  const doubts = open.filter((row) => isSent(row) && calls.has(row.n));
  const check = () => reconcileRows(context, doubts, calls, breaker, log);
  const knownResults = await context.watch.during(
    () => `checking ${doubts.length} that may have been sent`,
    check,
  );
  const changes = open.flatMap((row): Change[] => {
    const call = calls.get(row.n);
    return call === undefined ? [] : [toChange(row, call)];
  });
  // Results are found by the places of the changes, which begin at 0.
  const known = new Map([...knownResults].map(([n, sent]) => [n - 1, sent]));
  const { verb, noun, plan, if_missing } = head.run;
  if (if_missing === true) await findMade(context, changes, known, breaker, log);
  const run = { verb, noun, changes, knownResults: known, confirmed, plan, ifMissing: if_missing };
  await sendAndReport(context, run, {
    ...{ breaker, log, refused, count: countOpen(counts) },
    earlier: log === undefined ? undefined : countEarlier(job),
    close: async () => (log === undefined ? {} : closeJob(context, id, idle)),
  });
}

/** What was missing when the run began may have been made since. Adds what is there to what is known. */
async function findMade(
  context: Run,
  changes: readonly Change[],
  known: Map<number, SendResult>,
  breaker: CircuitBreaker,
  log: RunLog | undefined,
): Promise<void> {
  const left = changes.filter(({ n }) => !known.has(n));
  try {
    for (const operation of new Set(left.map(({ call }) => call.operation))) {
      const rows = left.filter(({ call }) => call.operation === operation);
      const find = await findLikes(
        context.api,
        rows.map(({ call }) => call),
      );
      for (const row of rows) {
        const record = find(row.call);
        if (record === undefined) continue;
        const alike = createAlikeResult(row, record);
        known.set(row.n, alike);
        await log?.logResult(row, alike);
      }
    }
  } catch (error) {
    // What cannot be looked up is not made.
    const failure = toFailure(error);
    if (!(failure instanceof Cancelled)) breaker.trip(failure);
  }
}

/** What is left, in doubt, or was refused for nothing that the row says. */
function isOpenRow(row: StoredWrite): boolean {
  return row.step === 'planned' || isSent(row) || isRepeatable(row);
}

function isSent({ step }: StoredWrite): boolean {
  return step === 'sending' || step === 'unknown';
}

function planText(id: string, counts: RunCounts): string {
  const { done, failed, skipped, unknown, left, repeatable } = counts;
  const first = unknown === 0 ? '' : `; ${unknown} may have been sent and would be checked first`;
  const passed = skipped === 0 ? '' : `, ${skipped} skipped`;
  return `Job ${id}: ${done} done${passed} and ${failed - repeatable} failed before; ${left + repeatable} would be sent${first}.`;
}

/** A person at a terminal is asked: what was agreed to may have been long ago. */
async function confirmResume(run: Run, { head, id, rows }: WholeRun): Promise<boolean> {
  const open = rows.filter(isOpenRow);
  if (!run.prompter.available || open.length === 0) return false;
  const sample = open.slice(0, SAMPLE_SIZE).map(({ target, label }) => [label ?? '', target]);
  const [[started] = []] = await run.output.inWords(
    [{ at: head.created_at }],
    [{ field: 'at', kind: 'time' }],
  );
  const doubts = open.filter(isSent).length;
  await run.confirm({
    question: `${head.run.verb[0]} ${pluralize(open.length, head.run.noun)}`,
    facts: [
      `job        ${id}, started ${started}`,
      `command    ${head.command}`,
      ...(doubts === 0 ? [] : [`${doubts} of them may have been sent. They are checked first.`]),
      ...describePace(run, open.length + doubts),
    ],
    sample,
    more: open.length - sample.length,
  });
  return !run.settings.yes.value;
}

/** The calls of rows by their numbers, and the results of those that cannot be built again. */
function buildCalls({ api }: Run, { head }: WholeRun, rows: readonly StoredWrite[]) {
  const calls = new Map<number, ApiCall>();
  const refused: SendResult[] = [];
  for (const row of rows) {
    const call = buildStoredCall(api, row, head);
    if (call !== undefined) calls.set(row.n, call);
    else refused.push(toUnstoredResult(row));
  }
  return { calls, refused };
}

/** A row that cannot be sent from the journal. What had been on its way stays in doubt. */
function toUnstoredResult(row: StoredWrite): SendResult {
  const { target, operation } = row;
  const wasSent = isSent(row);
  const failure = new Failure(`not ${wasSent ? 'looked up' : 'sent'}: ${HIDDEN}`, {
    code: 'values_not_stored',
    exit: wasSent ? EXIT.tryLater : EXIT.usage,
    hint: wasSent ? 'Check before sending it again.' : 'Run the command for this row.',
  });
  const status = wasSent ? 'unknown' : 'failed';
  const { message } = failure;
  return { target, status, operation, message, error: toFailureJson(failure), failure };
}

/** What became of the rows that need nothing more: the whole job is answered for. */
function countEarlier({ rows }: WholeRun): EarlierCounts {
  return {
    done: rows.filter(({ step }) => step === 'done' || step === 'unchanged').length,
    failures: rows.filter((row) => hasFailed(row) && !isRepeatable(row)).map(parseRowFailure),
  };
}

function parseRowFailure({ message, error }: StoredWrite): Failure {
  return parseFailureJson({ message, ...error }, FAILED);
}

/** What the service's records say of the rows that were on their way when a run ended. */

const ENDED = new NetworkError('the run ended before the response arrived', true, {
  code: 'unknown_outcome',
});

function toUncheckedResult({ target, operation }: StoredWrite): SendResult {
  return { target, status: 'skipped', operation, message: 'not checked yet' };
}

/** The row as its run left it: its answer was lost, or the run ended before it came. */
function toOpenResult(
  { target, operation, message, error, sent, lost }: StoredWrite,
  reconciliation: Reconciliation,
): OpenResult {
  const { code, exit, message: text, reason, details } = parseFailureJson({ message, ...error }, ENDED);
  const failure = new NetworkError(text, true, { code, ...(reason && { reason }), details });
  const lostAt = Date.parse(lost ?? sent?.time ?? '1970-01-01');
  return {
    ...{ target, status: 'unknown', operation },
    failure: exit === failure.exit ? failure : ENDED,
    open: { ...reconciliation, lost: { before: sent?.evidence, lostAt, failure } },
  };
}

/**
 * Looks up the rows together: at once, and what is shown not done once more when `settle` has passed. Given are those
 * of which the records tell that they are done, those of which they cannot tell, and those that could not be asked;
 * what is shown not done is not among them: it is to be sent.
 */
async function reconcileRows(
  run: Run,
  rows: readonly StoredWrite[],
  calls: ReadonlyMap<number, ApiCall>,
  breaker: CircuitBreaker,
  log: RunLog | undefined,
): Promise<ReadonlyMap<number, SendResult>> {
  const results = new Map<number, SendResult>(rows.map((row) => [row.n, toUncheckedResult(row)]));
  const open = new Map<OpenResult, { readonly row: StoredWrite; readonly call: ApiCall }>();
  for (const row of rows) {
    const call = calls.get(row.n);
    if (call === undefined) continue;
    const api = withOwnWorkspace(run.api, call);
    const reconciler = await findReconciler(call.operation);
    open.set(toOpenResult(row, { api, call, reconciler }), { row, call });
  }
  try {
    await settleOpen(
      run,
      [...open.keys()],
      async (sent, final) => {
        const { row, call } = open.get(sent) ?? {};
        if (row === undefined || call === undefined) return;
        if (final === undefined) results.delete(row.n);
        else results.set(row.n, final);
        await log?.logResult({ n: row.n - 1, call }, final);
      },
      { isResumed: true },
    );
  } catch (error) {
    // The sign-in has ended; the journal cannot be written.
    const failure = toFailure(error);
    if (!(failure instanceof Cancelled)) breaker.trip(failure);
  }
  return results;
}
