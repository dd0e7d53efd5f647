import { createHash } from 'node:crypto';
import type { ApiCall } from '../api/client.ts';
import { Cancelled, EXIT, Failure, NetworkError, parseFailureJson, UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import { createFailedResult, toFailure } from './accepted.ts';
import type { Change, Changes, OpenResult, SendResult } from './change.ts';
import { confirmChanges } from './confirm.ts';
import { readBytes } from './input/files.ts';
import { checkDestination, checkUnapplied, closeJob, findJobId } from './jobs.ts';
import { countRows, FAILED, hasFailed, isRepeatable, type StoredWrite } from './journal.ts';
import { buildStoredCall, RunLog, toChange } from './log.ts';
import { createAlikeResult, findLikes, settleOpen } from './proof.ts';
import { CircuitBreaker } from './send.ts';
import { PLAN_BUSY, RunStore, requireRun, type StoredRun, type WholeRun } from './store.ts';
import { checkWritable, makeInTurn, sendAndReport } from './write.ts';

/** Goes on with a job: what may have been sent is looked up, and only what is shown not done is sent again. */

/**
 * Carries on with a job, and prints a result for each row that was open. At a terminal it asks first; without one it
 * does not: the run was confirmed when it began.
 * @throws UsageError (exit 2) when there is no such job, it is at work elsewhere, its input has changed, or the
 *   settings mean another store; Cancelled when declined; else as `writeChanges`
 */
export async function resumeJob(run: Run, text: string): Promise<void> {
  checkWritable(run);
  await run.output.checkNames();
  const store = new RunStore(run);
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
      await runOpenRows(run, job, new RunLog(run, id, job.head, steps));
    });
  // As when it began: nobody else applies the plan meanwhile, or makes what is missing.
  const { plan, if_missing, noun } = requireRun(store.read(id), store).head.run;
  if (plan !== undefined) await store.inTurn(`plan-${plan}`, goOn, PLAN_BUSY);
  else if (if_missing === true) await makeInTurn(run, noun, goOn);
  else await goOn();
}

async function checkInput(run: Run, { head, id }: WholeRun): Promise<void> {
  if (head.run.input === undefined) return;
  const { file, sha256 } = head.run.input;
  const bytes = await readBytes(run.machine, file).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    // Nothing contradicts what was planned, and all of it is in the journal.
    run.output.warn(`${file} can no longer be read; using its contents from when the job started`);
  });
  if (!bytes || createHash('sha256').update(bytes).digest('hex') === sha256) return;
  throw new UsageError(`${file} has changed since job ${id} began`, {
    code: 'input_changed',
    reason: 'The job was confirmed with its earlier contents.',
    hint: `Restore the file to resume. Or start over with the rows that are not done: ${commandLine`ttctl jobs show ${id}`}`,
  });
}

/** Of a row that is not sent. */
const NO_CALL = { operation: { id: 'api', path: '{path}' }, values: {} } as ApiCall;

/** First every doubt is settled, then the rest is sent. */
async function runOpenRows(context: Run, job: WholeRun, log: RunLog | undefined): Promise<void> {
  const { head, id, rows } = job;
  const { verb, noun, plan, if_missing: ifMissing } = head.run;
  // What is left, in doubt, or was refused for nothing that the row says.
  const open = rows.filter((row) => row.step === 'planned' || isSent(row) || isRepeatable(row));
  if (open.length === 0) context.output.note(`Nothing is left to do in job ${id}.`);
  const knownResults = new Map<number, SendResult>();
  const doubts = new Map<Change, StoredWrite>();
  const changes = open.map((row): Change => {
    const call = buildStoredCall(context.api, row);
    const change = toChange(row, call ?? NO_CALL);
    if (call === undefined) knownResults.set(change.n, createUnstoredResult(row));
    else if (isSent(row)) doubts.set(change, row);
    return change;
  });
  const confirmed =
    log !== undefined && (await confirmResume(context, job, { changes, knownResults }, doubts.size));
  const breaker = new CircuitBreaker();
  const settle = async (): Promise<void> => {
    await reconcileRows(context, doubts, knownResults, log);
    if (ifMissing === true) await findMade(context, changes, knownResults, log);
  };
  const checking = () => `checking ${doubts.size} that may have been sent`;
  await context.watch.during(checking, settle).catch((error: unknown) => {
    // The sign-in has ended, or the journal cannot be written; and what cannot be looked up is not made.
    const failure = toFailure(error);
    if (!(failure instanceof Cancelled)) breaker.tripped ??= failure;
  });
  const run = { verb, noun, changes, knownResults, confirmed, plan, ifMissing };
  // What became of the rows that need nothing more: the whole job is answered for.
  const ended = rows.filter((row) => hasFailed(row) && !isRepeatable(row));
  const failures = ended.map(({ message, error }) => parseFailureJson({ message, ...error }, FAILED));
  await sendAndReport(context, run, {
    ...{ breaker, log, count: open.length },
    earlier: log === undefined ? undefined : { done: countRows(rows).done, failures },
    close: async () => (log === undefined ? {} : closeJob(context, id, open.length === 0)),
  });
}

function isSent({ step }: StoredWrite): boolean {
  return step === 'sending' || step === 'unknown';
}

/** A person at a terminal is asked: what was agreed to may have been long ago. */
async function confirmResume(
  run: Run,
  { head, id }: WholeRun,
  open: Pick<Changes, 'changes' | 'knownResults'>,
  doubts: number,
): Promise<boolean> {
  if (!run.prompter.available) return false;
  const facts = [
    `job        ${id}, started ${head.created_at}`,
    `command    ${head.command}`,
    ...(doubts === 0 ? [] : [`${doubts} of them may have been sent. They are checked first.`]),
  ];
  const words = ({ label, target }: Change) => [label ?? '', target];
  const write = { ...head.run, needsConfirmation: true };
  return confirmChanges(run, write, { ...open, words, facts, noneMessage: '' }, {});
}

/** A row that cannot be sent from the journal. What had been on its way stays in doubt. */
function createUnstoredResult(row: StoredWrite): SendResult {
  const { target, operation } = row;
  const [what, status] = isSent(row) ? (['looked up', 'unknown'] as const) : (['sent', 'failed'] as const);
  const failure = new Failure(`not ${what}: its values contain a secret, so they were not stored`, {
    code: 'values_not_stored',
    exit: isSent(row) ? EXIT.tryLater : EXIT.usage,
    hint: isSent(row) ? 'Check before sending it again.' : 'Run the command for this row.',
  });
  return { ...createFailedResult({ target, call: NO_CALL }, failure, status), operation };
}

const ENDED = new NetworkError('the run ended before the response arrived', true, {
  code: 'unknown_outcome',
});

/**
 * Looks up the rows that were on their way when a run ended. Known is then what the records tell, also where they cannot
 * tell or could not be asked; what is shown not done is not known: it is to be sent.
 */
async function reconcileRows(
  run: Run,
  rows: ReadonlyMap<Change, StoredWrite>,
  known: Map<number, SendResult>,
  log: RunLog | undefined,
): Promise<void> {
  const changeOf = new Map<OpenResult, Change>();
  for (const [change, { target, operation, message, error, sent, lost }] of rows) {
    const { n, call } = change;
    known.set(n, { target, status: 'skipped', operation, message: 'not checked yet' });
    // As its run left it: its answer was lost, or the run ended before it came.
    const { code, message: text, reason, details } = parseFailureJson({ message, ...error }, ENDED);
    const failure = new NetworkError(text, true, { code, ...(reason && { reason }), details });
    const lostAt = Date.parse(lost ?? sent?.time ?? '1970-01-01');
    const reconciler = await findReconciler(call.operation);
    const open = { api: run.api, call, reconciler, lost: { before: sent?.evidence, lostAt, failure } };
    changeOf.set({ target, status: 'unknown', operation, failure, open }, change);
  }
  const settled = async (sent: OpenResult, final: SendResult | undefined): Promise<void> => {
    const change = changeOf.get(sent) as Change;
    if (final === undefined) known.delete(change.n);
    else known.set(change.n, final);
    await log?.logResult(change, final);
  };
  await settleOpen(run, [...changeOf.keys()], settled, undefined, true);
}

/** What was missing when the run began may have been made since. Adds what is there to what is known. */
async function findMade(
  { api }: Run,
  changes: readonly Change[],
  known: Map<number, SendResult>,
  log: RunLog | undefined,
): Promise<void> {
  const left = changes.filter(({ n }) => !known.has(n));
  for (const operation of new Set(left.map(({ call }) => call.operation))) {
    const rows = left.filter(({ call }) => call.operation === operation);
    const calls = rows.map(({ call }) => call);
    const find = await findLikes(api, calls);
    for (const row of rows) {
      const record = find(row.call);
      if (record === undefined) continue;
      const alike = createAlikeResult(row, record);
      known.set(row.n, alike);
      await log?.logResult(row, alike);
    }
  }
}
