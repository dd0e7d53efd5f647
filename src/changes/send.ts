import type { Api, ApiCall } from '../api/client.ts';
import { ARCHIVED } from '../api/fields.ts';
import { runOrderedPool, takeTurn } from '../clock.ts';
import { Cancelled, EXIT, Failure } from '../errors.ts';
import { isSameJson, toText } from '../json.ts';
import { lazy } from '../lazy.ts';
import { isOtherRecord } from '../resources/proof.ts';
import type { Run } from '../run.ts';
import {
  checkAccepted,
  classifyFailure,
  createFailedResult,
  createHeldResult,
  resultOf,
  toFailure,
  withUnsetFields,
} from './accepted.ts';
import type {
  Change,
  Changes,
  Observation,
  OpenResult,
  Reconciliation,
  SendResult,
  SentChange,
} from './change.ts';
import type { RunLog } from './log.ts';
import {
  createCheckingLook,
  createLook,
  describeKnown,
  describeRecord,
  findKnownRecord,
  findMove,
  NOT_FOUND,
} from './look.ts';
import { createAlikeResult, findLikes, groupByOperation, readBefore, settleOpen } from './proof.ts';

/** Sends the changes of a run: each once, several on their way at once, results in the order given. */

/** So many that 20 a second can go out though each takes more than a second. The budget holds them back, not this. */
const MAX_IN_FLIGHT = 32;

export interface SendAllOptions {
  readonly breaker?: CircuitBreaker;
  readonly log?: RunLog | undefined;
  /** The client for what is still to be done after Ctrl-C; absent: an interrupt ends it. */
  readonly afterwards?: Api;
  /** The keys of what was not done in an earlier part of the run. */
  readonly undone?: Iterable<string>;
  readonly onResult?: (sent: SendResult, change: Change) => void;
}

type RunChanges = Partial<Changes> & Pick<Changes, 'changes'>;

/** Nothing is begun after an interrupt, or after the circuit breaker tripped; the rows that are left are given as skipped. */
export async function* sendAll(
  run: Run,
  work: RunChanges,
  options: SendAllOptions = {},
): AsyncGenerator<SendResult> {
  const { changes, knownResults, warnings } = work;
  const sending = await openSending(run, work, options);
  const { whyStopped } = sending;
  let count = 0;
  const pace = { width: MAX_IN_FLIGHT, stopped: () => whyStopped() !== undefined };
  for (const part of splitByStage(changes)) {
    for await (const sent of runOrderedPool(part, (row, release) => start(sending, row, release), pace)) {
      const change = changes[count] as Change;
      count += 1;
      options.onResult?.(sent, change);
      yield { ...sent, ...warnings?.get(change.key) };
    }
  }
  for (const row of changes.slice(count))
    yield knownResults?.get(row.n) ?? unbegun(row, whyStopped() ?? INTERRUPTED);
}

const DOWN_AFTER = 10;

/** Stops a run in which going on is of no use: nothing more is begun, and the rest is left for later. */
export class CircuitBreaker {
  tripped: Failure | undefined;
  #inARow = 0;
  #isRefused = false;

  /** @param isForAll whether a row was refused as every row would be @returns whether the run had ended so already */
  record({ failure }: SendResult, isForAll: boolean): boolean {
    this.#inARow = failure?.exit === EXIT.tryLater ? this.#inARow + 1 : 0;
    if (isForAll || this.#inARow >= DOWN_AFTER) this.tripped ??= failure;
    const isAnother = isForAll && this.#isRefused;
    this.#isRefused ||= isForAll;
    return isAnother;
  }
}

const RESTING = ['projects', 'members', 'viewers', 'contracts', 'tasks'];

/** Others may rest on these: what is of another stage than the one before it waits for that. */
function splitByStage(changes: readonly Change[]): readonly (readonly Change[])[] {
  const parts: Change[][] = [];
  let last: string | undefined;
  for (const change of changes) {
    const { noun, moves, joins } = change.call.operation;
    const stage = RESTING.includes(noun) ? `${noun} ${moves?.to === ARCHIVED} ${joins}` : '';
    if (stage !== last) parts.push([]);
    last = stage;
    parts.at(-1)?.push(change);
  }
  return parts;
}

const IS_SO: readonly string[] = ['done', 'unchanged', 'planned'];

type Sending = Awaited<ReturnType<typeof openSending>>;

async function openSending(run: Run, work: RunChanges, options: SendAllOptions) {
  const { changes, knownResults } = work;
  const { breaker = new CircuitBreaker(), afterwards: api = run.api } = options;
  const interrupted = api === run.api ? run.interrupted : new AbortController().signal;
  const groups = await groupByOperation(changes);
  /** By what records look alike by: whether the last that was begun is known. */
  const turns = new Map<string, Promise<boolean>>();
  const undone = new Set(options.undone);
  for (const { n, key, call } of changes) {
    const known = knownResults?.get(n);
    if (known !== undefined && !IS_SO.includes(known.status)) undone.add(key);
    const duplicateKey = known && groups.get(call.operation.id)?.reconciler?.duplicateKey?.(call.values);
    if (duplicateKey !== undefined && known?.status !== 'done')
      turns.set(duplicateKey, Promise.resolve(false));
  }
  const { names, clock, lists } = run;
  const look = (calls: readonly ApiCall[]) => createLook({ api, names, clock, lists }, calls);
  return {
    ...{ run, work, options, api, breaker, interrupted, groups, turns, undone, look },
    lookAtAll: lazy(() => look(changes.map(({ call }) => call))),
    check: lazy(() => createCheckingLook(run, work)),
    /** Whether the workspace is none of those that the account is in: every write of it will be refused. */
    lacksWorkspace: lazy(async () => {
      const rows = await lists.rows(run.api.workspaces.list({})).catch(toFailure);
      if (rows instanceof Failure || rows.length === 0) return false;
      const workspace = await run.knownWorkspaceId();
      return workspace !== undefined && rows.every(({ id }) => toText(id) !== toText(workspace));
    }),
    /** By key, what was begun; its result where a row of its like needs it. */
    begun: new Map<string, Promise<SendResult> | undefined>(),
    open: new Map<OpenResult, (final: SendResult | Promise<never>) => void>(),
    active: 0,
    isSettling: false,
    whyStopped(): string | undefined {
      if (interrupted.aborted) return INTERRUPTED;
      return breaker.tripped && `not sent: ${breaker.tripped.message}`;
    },
  };
}

/**
 * Equal rows go one after another, and none behind one of which it is not known what became of it.
 * @param release lets another row begin, though the result of this one is still to come
 */
async function start(sending: Sending, row: Change, release: () => void): Promise<SendResult> {
  const { work, begun, turns } = sending;
  const { operation, values } = row.call;
  const known = work.knownResults?.get(row.n);
  if (known !== undefined) {
    const label = known.label ?? row.label ?? (await describeKnown(sending.run, row, known));
    return label === undefined ? known : { ...known, label };
  }
  if (sending.undone.has(row.needs ?? '')) return end(sending, row, createHeldResult(row));
  if (begun.has(row.key)) {
    const twin = await begun.get(row.key);
    if (twin === undefined) return skipped(row, NAMED_TWICE);
    // Its like is there once the one before it is done.
    const isThere = IS_SO.includes(twin.status);
    return end(sending, row, isThere ? createAlikeResult(row, twin.data) : skipped(row, NAMED_TWICE));
  }
  const duplicateKey = sending.groups.get(operation.id)?.reconciler?.duplicateKey?.(values);
  const turn = duplicateKey === undefined ? undefined : turns.get(duplicateKey);
  const sent = send(sending, row, turn, release);
  begun.set(row.key, work.ifMissing === true ? sent : undefined);
  if (duplicateKey !== undefined) {
    const isKnown = sent.then(
      ({ status, message }) => status !== 'unknown' && message !== DUPLICATE_UNKNOWN,
      () => false,
    );
    turns.set(duplicateKey, isKnown);
  }
  return sent;
}

async function send(
  sending: Sending,
  row: Change,
  turn: Promise<boolean> | undefined,
  release: () => void,
): Promise<SendResult> {
  const { work, options } = sending;
  if (turn !== undefined) {
    if (!(await turn)) return skipped(row, DUPLICATE_UNKNOWN);
    const why = sending.whyStopped();
    if (why !== undefined) return unbegun(row, why);
  }
  let opened: Promise<SendResult>;
  sending.active += 1;
  try {
    const result = await request(sending, row, turn !== undefined);
    const sent = { ...result, requestId: options.log?.entryId(row.n) };
    const { failure, open } = sent;
    // Refusals that would meet every row: nothing is gained by sending the others.
    let isForAll = failure?.exit === EXIT.signedOut || failure?.code === 'insufficient_scope';
    if (failure?.code === 'forbidden' && work.changes.length > 1) isForAll ||= await sending.lacksWorkspace();
    const isAnother = sending.breaker.record(sent, isForAll);
    if (open === undefined) {
      const isMissing = work.skipMissing === true && failure?.exit === EXIT.notFound;
      if (isMissing) return await end(sending, row, skipped(row, NOT_FOUND));
      return await end(sending, row, isAnother ? unbegun(row, `not done: ${failure?.message}`) : sent);
    }
    opened = new Promise((resolve) => void sending.open.set({ ...sent, open }, resolve));
  } finally {
    sending.active -= 1;
    if (sending.open.size > 0) void settleWhenIdle(sending);
  }
  release();
  return end(sending, row, await opened);
}

/** Open rows are looked at together when nothing else can be sent: by list pages, in place of a request for each. */
async function settleWhenIdle(sending: Sending): Promise<void> {
  // A row that has ended may let another begin.
  await takeTurn();
  const { run, interrupted, options, open } = sending;
  if (sending.active > 0 || sending.isSettling || open.size === 0) return;
  sending.isSettling = true;
  const { clock, settings, requests, output } = run;
  const all = [...open.keys()];
  const settle = async (sent: OpenResult, final: SendResult | Promise<never> = sent): Promise<void> => {
    open.get(sent)?.(final);
    open.delete(sent);
  };
  try {
    const context = { clock, settings, requests, output, interrupted };
    await settleOpen(context, all, settle, options.log?.resumeLine());
  } catch (error) {
    for (const sent of all) await settle(sent, Promise.reject(error));
  }
  sending.isSettling = false;
  void settleWhenIdle(sending);
}

/** Nothing is sent where the record is already as the write would make it, as far as that was looked at. */
async function request(sending: Sending, row: Change, isDuplicate: boolean): Promise<SendResult> {
  const { run, api, options, breaker } = sending;
  const { call, seen } = row;
  const { log } = options;
  const requestId = log?.entryId(row.n);
  const isDryRun = run.settings.dryRun.value;
  const group = sending.groups.get(call.operation.id) ?? { reconciler: undefined, calls: [] };
  const reconciliation = { api, call, reconciler: group.reconciler };
  // An address may have a password in it.
  const change = { call, target: String(call.redact(row.target)) };
  const lookAt = async (known = row.before) => (await sending.lookAtAll())(call, known);
  let before: unknown;
  try {
    let observation: Observation | undefined;
    if (seen !== undefined && !isDryRun) {
      observation = await (await sending.check())(call);
      const moved = observation && (await findMove(run, row, observation));
      if (moved !== undefined) return moved;
    }
    const { first } = group.reconciler?.record ?? {};
    const isLookedAt = first === true || (first === 'old-values' && requestId !== undefined);
    if (isDryRun || isLookedAt) observation ??= await lookAt();
    if (observation?.unchanged === true) return { ...resultOf(change, 'unchanged'), observation };
    // What a list has shown already takes no request.
    let listed = row.before;
    if (run.lists.records.size > 0) listed ??= await findKnownRecord(run, call);
    if (log !== undefined && listed !== undefined) observation ??= await lookAt(listed);
    const kept = dropMaskedValues(run, observation);
    const needsBefore = group.reconciler?.before !== undefined;
    if (needsBefore) before = await readBefore(api, group, call, run.clock.now(), isDuplicate);
    const { message, data, planned, status } = await call.send({
      ...{ target: row.target, requestId },
      beforeSend: async () => {
        // Where the row cannot be written down before it goes out, nothing goes out, and the run ends.
        await log?.beforeSend(row, before, kept).catch((error: unknown) => {
          breaker.tripped ??= toFailure(error);
          throw error;
        });
      },
    });
    if (planned !== undefined) return createPlannedResult(change, planned, observation);
    const accepted = resultOf(change, 'done', {
      ...(message !== undefined && { message }),
      data: isOtherRecord(call, data) ? null : data,
    });
    return checkAccepted(reconciliation, { ...accepted, observation: kept, answered: status });
  } catch (error) {
    return judgeFailure(sending, change, toFailure(error), reconciliation, before);
  }
}

/** Old values that the history can keep only masked are none to set back. */
function dropMaskedValues({ machine }: Run, observation: Observation | undefined): Observation | undefined {
  const { old } = observation ?? {};
  if (old === undefined || isSameJson(machine.redactor.json(old), old)) return observation;
  return { ...observation, old: undefined };
}

async function judgeFailure(
  { run, api, work, look }: Sending,
  change: SentChange,
  failure: Failure,
  reconciliation: Reconciliation,
  before: unknown,
): Promise<SendResult> {
  const { call } = change;
  // An interrupt ends what has not left; a write on its way is finished.
  if (failure instanceof Cancelled) return { ...unbegun(change, INTERRUPTED), failure };
  const answer = classifyFailure(failure);
  if (answer === 'silence') {
    const lost = { failure, before, lostAt: run.clock.now() };
    return { ...createFailedResult(change, failure, 'unknown'), open: { ...reconciliation, lost } };
  }
  // The service says in words alone that a record is there already.
  const isTaken = answer === 'refused' && /\b(already|taken|exists)\b/i.test(failure.message);
  const isOffered = () => run.invocation.command.flags.some(({ name }) => name === 'if-missing');
  if (isTaken && work.ifMissing !== true && isOffered())
    failure.hint ??= 'To leave what is there already as it is, add --if-missing.';
  const failed = createFailedResult(change, failure);
  if (answer !== 'refused' || failure.exit === EXIT.notFound) return failed;
  // What is so already: somebody was faster.
  if (reconciliation.reconciler?.record !== undefined) {
    const now = await (await look([call]))(call, undefined, Number.POSITIVE_INFINITY);
    if (now?.unchanged === true) return resultOf(change, 'unchanged');
  }
  if (work.ifMissing !== true && work.plan === undefined) return failed;
  const find = await findLikes(api, [call]).catch(toFailure);
  const record = find instanceof Failure ? undefined : find(call);
  return record === undefined ? failed : createAlikeResult(change, record);
}

/** The row has its result all the same; that it could not be written down ends the run. */
async function end(sending: Sending, row: Change, ended: SendResult): Promise<SendResult> {
  const { run, options, breaker } = sending;
  if (!IS_SO.includes(ended.status)) sending.undone.add(row.key);
  const known = row.unset?.length ? withUnsetFields(row.call, ended, row.unset) : ended;
  const { record } = known.observation ?? {};
  let { label } = row;
  // Of a dry run, which tells people about a record, the names behind its ids are read.
  if (run.settings.dryRun.value && record !== undefined && row.call.operation.path.includes('{'))
    label ??= await describeRecord(run, { ...row, target: '' }, record);
  else label ??= await describeKnown(run, row, known);
  const sent = label === undefined ? known : { ...known, label };
  await options.log?.logResult(row, sent).catch((error: unknown) => {
    breaker.tripped ??= toFailure(error);
  });
  return sent;
}

function createPlannedResult(
  change: SentChange,
  request: NonNullable<SendResult['request']>,
  observation: Observation = {},
): SendResult {
  const { before, after, problem } = observation;
  const changed = { ...(before && { before }), ...(after === undefined ? {} : { after }) };
  const said = problem === undefined ? {} : { message: `The current record could not be read: ${problem}` };
  const masked = change.call.redact(changed) as typeof changed;
  return { ...resultOf(change, 'planned', said), ...masked, request, observation };
}

function skipped(change: SentChange, message: string): SendResult {
  return resultOf(change, 'skipped', { message });
}

function unbegun(change: SentChange, message: string): SendResult {
  return { ...skipped(change, message), unbegun: true };
}

const INTERRUPTED = 'interrupted; not sent';
export const NAMED_TWICE = 'named twice; sent once';
const DUPLICATE_UNKNOWN = 'not sent: the outcome of an identical row is unknown';
