import { createHash } from 'node:crypto';
import { type ApiCall, buildCall } from '../api/client.ts';
import { selectFields } from '../api/fields.ts';
import type { Values } from '../api/plan.ts';
import { Cancelled, EXIT, Failure, NetworkError, parseFailureJson, UsageError } from '../errors.ts';
import { getToday } from '../parsing/calendar.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import { createFailedResult, HELD_BACK, resultOf, toFailure } from './accepted.ts';
import type { Change, Observation, OpenResult, SendResult } from './change.ts';
import { readBytes } from './input/files.ts';
import { checkDestination, checkUnapplied, closeJob, findJobId, formatStart } from './jobs.ts';
import { countRows, FAILED, hasFailed, isRepeatable, type RunHead, type StoredWrite } from './journal.ts';
import { buildStoredCall, createRunLog, type RunLog, readAccount, toChange } from './log.ts';
import {
  createLook,
  createMovedResult,
  createUncheckedResult,
  describeEffect,
  findMoved,
  NOT_FOUND,
} from './look.ts';
import {
  countOperations,
  describeLabel,
  describePlanRow,
  describeStored,
  listPlanWarnings,
  type Plan,
  type PlanRow,
  readPlan,
} from './plan.ts';
import { createAlikeResult, findLikes, settleOpen } from './proof.ts';
import { pluralize } from './report.ts';
import { checkAnswerable, checkCount, confirmChanges } from './select.ts';
import { CircuitBreaker } from './send.ts';
import { keepsHistory, PLAN_BUSY, RunStore, requireRun, type StoredRun, type WholeRun } from './store.ts';
import { checkWritable, makeInTurn, sendAndReport, writeChanges } from './write.ts';

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
      await runOpenRows(run, job, createRunLog(run, id, job.head, steps));
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

const NO_CALL = { operation: { id: 'api', path: '{path}' }, values: {} } as ApiCall;

async function runOpenRows(context: Run, job: WholeRun, log: RunLog | undefined): Promise<void> {
  const { head, id, rows } = job;
  const { verb, noun, plan, if_missing: ifMissing } = head.run;
  const ended = rows.filter((row) => hasFailed(row) && !isRepeatable(row));
  // What waited for another row waits no more where that one can still be done.
  const undone = new Set(ended.filter((row) => !isHeld(row)).map(({ key, target }) => key ?? target));
  const open = rows.filter(
    (row) =>
      row.step === 'planned' ||
      isSent(row) ||
      isRepeatable(row) ||
      (isHeld(row) && !undone.has(row.needs ?? '')),
  );
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
  let confirmed = false;
  // What was agreed to may have been long ago.
  if (log !== undefined && context.prompter.available) {
    const facts = [
      `job        ${id}, started ${formatStart(head)}`,
      `command    ${head.command}`,
      ...(doubts.size === 0 ? [] : [`${doubts.size} of them may have been sent. They are checked first.`]),
    ];
    const words = async ({ n, label, target }: Change) => {
      const row = rows[n];
      return [label ?? '', row === undefined ? '' : await describeStored(row), target];
    };
    const selection = { changes, knownResults, words, facts, noneMessage: '' };
    confirmed = await confirmChanges(context, { ...head.run, needsConfirmation: true }, selection, {});
  }
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
  const going = new Set(open);
  const settled = ended.filter((row) => !going.has(row));
  const failures = settled.map(({ message, error }) => parseFailureJson({ message, ...error }, FAILED));
  await sendAndReport(context, run, {
    ...{ breaker, log, count: open.length, undone },
    earlier: log === undefined ? undefined : { done: countRows(rows).done, failures },
    close: async () => (log === undefined ? {} : closeJob(context, id, open.length === 0)),
  });
}

function isHeld({ step, error }: StoredWrite): boolean {
  return step === 'skipped' && error?.['code'] === HELD_BACK;
}

function isSent({ step }: StoredWrite): boolean {
  return step === 'sending' || step === 'unknown';
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

/**
 * Applies a plan as a job. All records are looked at when it begins, and those that are left again after a minute.
 * @throws UsageError (exit 2) for a plan that is damaged, for another place, applied already, or being applied;
 *   Failure (exit 10) where all or nothing was asked for and a record has moved; else as `writeChanges`
 */
export async function applyPlan(run: Run, file: string, options: Values): Promise<void> {
  checkWritable(run);
  await run.output.checkNames();
  const plan = await readPlan(run, file, true);
  await checkDestination(run, plan.head, 'the plan', ['plan', 'apply', file]);
  checkDue(run, plan.head, file);
  const apply = () => applyRows(run, plan, file, options);
  const isAlone = run.settings.dryRun.value || !keepsHistory(run);
  await (isAlone ? apply() : new RunStore(run).inTurn(`plan-${plan.head.sha256}`, apply, PLAN_BUSY));
}

/** @throws UsageError before the day that a plan is for */
function checkDue(run: Run, { at, timezone = 'UTC' }: RunHead, file: string): void {
  const today = getToday(run.clock.now(), timezone);
  if (at === undefined || today >= at || run.settings.dryRun.value) return;
  throw new UsageError(`the plan is for ${at}; today is ${today} (${timezone})`, {
    code: 'not_due',
    hint: `Nothing was sent. Check it: ${run.commandLine`ttctl plan check ${file}`}`,
  });
}

/** Whether the records of a plan are still as they were. All are read, by lists where that takes fewer requests. */
export async function comparePlan(run: Run, { head, rows }: Plan) {
  const calls = rows.map(({ operation, values }) => buildCall(run.api, operation, values) as ApiCall);
  const isThere = ({ operation }: ApiCall): boolean => operation.path.includes('{');
  const look = await createLook(run, calls.filter(isThere));
  const compared = [];
  for (const [i, call] of calls.entries()) {
    const row = rows[i] as PlanRow;
    const observation = (isThere(call) ? await look(call) : undefined) ?? {};
    const { record } = observation;
    const isKnown = record !== undefined || (!isThere(call) && row.label !== null);
    const text = isKnown ? await describeLabel(run, { call, target: row.target }, record, head) : null;
    const label = text == null ? null : String(run.machine.redactor.json(text));
    compared.push({ row, call, label, observation, ...findMove(row, call, label, observation) });
  }
  return compared;
}

/**
 * @returns `moved`: `unread` where nobody can tell, undefined where it is as it was seen or there is nothing to compare;
 *   `now`: the fields that moved, as they are now, or `label` where nothing else did
 */
function findMove(row: PlanRow, call: ApiCall, label: string | null, observation: Observation) {
  const isNew = !call.operation.path.includes('{');
  const isLost = !isNew && observation.record === undefined && (row.seen !== null || row.label !== null);
  if (isLost) return { moved: observation.problem === NOT_FOUND ? 'gone' : 'unread', now: {} } as const;
  let now = findMoved(call, row.seen ?? {}, observation);
  const isNamed = isNew ? hasNames(row.label, label) : (row.label ?? label) === label;
  if (Object.keys(now).length === 0 && !isNamed) now = { label };
  return { moved: Object.keys(now).length > 0 ? 'moved' : undefined, now } as const;
}

/** Whether the names that a plan has of a new record are its names: some of them, as far as they can be read. */
function hasNames(given: string | null, now: string | null): boolean {
  // A namesake brings an id behind the name.
  const split = (text: string | null) =>
    text?.split(/ {2,}/).map((word) => word.replace(/ \(\d+\)$/, '')) ?? [];
  const words = split(now);
  const isRead = !words.some((word) => /^(on )?\d+$/.test(word));
  return !isRead || split(given).every((word) => words.includes(word));
}

export const MOVED_FIELDS = [
  ...(['n', 'operation', 'target', 'label', 'status', 'before', 'after', 'message'] as const),
];

/** As JSON has it: `before` as it was seen, `after` as it is now. */
export function toMovedRecord({
  row,
  moved,
  now,
  observation,
}: Awaited<ReturnType<typeof comparePlan>>[number]) {
  const { n, operation, target, label, seen } = row;
  const before = selectFields({ label, ...seen }, Object.keys(now));
  const message = moved === 'unread' ? (observation.problem ?? null) : null;
  return { n, operation, target, label, status: moved, before, after: now, message };
}

const WORDS = { verb: ['apply', 'applied'], noun: ['change', 'changes'] } as const;

async function applyRows(run: Run, plan: Plan, file: string, options: Values): Promise<void> {
  const { head, rows } = plan;
  if (options.again !== true) checkUnapplied(new RunStore(run), head.sha256);
  const write = { ...WORDS, needsConfirmation: true };
  checkCount(write, rows.length, options);
  await checkAnswerable(run, write, rows.length);
  const compared = await comparePlan(run, plan);
  const knownResults = new Map<number, SendResult>();
  // What becomes of a row without its request: its record has moved, or is as the row would make it.
  for (const [n, one] of compared.entries()) {
    const { row, call, observation, moved } = one;
    const change = { call, target: row.target };
    const label = one.label ?? undefined;
    if (observation.unchanged === true) knownResults.set(n, { ...resultOf(change, 'unchanged'), label });
    else if (moved === 'unread') knownResults.set(n, createUncheckedResult(change, observation));
    else if (moved !== undefined) {
      const what = moved === 'gone' ? 'it is gone' : await describeEffect(run, toMovedRecord(one));
      knownResults.set(n, { ...createMovedResult(change, what), label });
    }
  }
  const moved = compared.filter((one) => one.moved !== undefined);
  if (options.allOrNothing === true && moved.length > 0) {
    const total = pluralize(compared.length, ['record', 'records']);
    throw new Failure(`nothing was sent: ${moved.length} of ${total} changed since the plan was made`, {
      code: 'moved',
      exit: EXIT.found,
      hint: `See which: ${run.commandLine`ttctl plan check ${file}`}`,
    });
  }
  const unsent = [...knownResults.values()].filter(({ status }) => status !== 'unchanged').length;
  const changes = compared.map(({ row, call, label }): Change => {
    const columns = { operation: row.operation, id: row.target };
    // What is said of a record from here on is what it says itself.
    return { ...toChange({ ...row, key: String(row.n), columns }, call), label: label ?? undefined };
  });
  const selection = {
    changes,
    knownResults,
    facts: [
      `plan       ${file}`,
      `made       ${formatStart(head)}${head.account === null ? '' : ` by ${head.account}`}`,
      `changes    ${countOperations(rows.map(({ operation }) => operation))}`,
      ...(unsent === 0 ? [] : [`moved      ${unsent} changed since the plan was made: not sent`]),
      ...listPlanWarnings(plan).map((text) => `!          ${text}`),
    ],
    noneMessage: 'The plan has no changes.',
    words: ({ n, target, label }: Change) => {
      const row = rows[n];
      return [label ?? '', row === undefined ? '' : describePlanRow(row), target];
    },
  };
  const confirmed = await confirmChanges(run, write, selection, options);
  if (changes.length === 0) run.output.note(selection.noneMessage);
  const account = changes.length === 0 ? null : await readAccount(run);
  if (head.account !== null && account !== null && account !== head.account)
    run.output.note(`This plan was made by ${head.account}; you are applying it as ${account}.`);
  await writeChanges(run, {
    ...{
      ...WORDS,
      changes,
      knownResults,
      confirmed,
      account,
      plan: head.sha256,
      again: options.again === true,
    },
  });
}
