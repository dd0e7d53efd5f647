import type { Api, ApiCall } from '../api/client.ts';
import { LIST_FROM, Lists } from '../api/lists.ts';
import { nounOf } from '../api/operation.ts';
import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { ApiError, Cancelled, Failure, hasUnknownOutcome, toFailureJson, withHint } from '../errors.ts';
import { placeholder } from '../parsing/shell-word.ts';
import type { Outcome, PreviewRow, Reconciler, RunSnapshot } from '../resources/proof.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import {
  type AcceptedContext,
  checkAccepted,
  checkRates,
  findRule,
  getLastLook,
  resultOf,
  type Shown,
  sleepUnlessInterrupted,
  toFailure,
  type WriteKind,
} from './accepted.ts';
import type { Change, Open, OpenResult, Reconciliation, SendResult } from './change.ts';
import { isSignedOut, withOwnWorkspace } from './look.ts';

/**
 * How the service's own records show what became of a write whose answer was lost, and what must be known of them
 * before it is sent. Nothing is ever sent again here.
 */

export async function createReconciliation(api: Api, call: ApiCall): Promise<Reconciliation> {
  return { api: withOwnWorkspace(api, call), call, reconciler: await findReconciler(call.operation) };
}

type SettleContext = AcceptedContext & Pick<Run, 'settings' | 'events' | 'output'>;

interface SettleOptions {
  /** Of a job that is gone on with: all are looked at now, and what is not shown once more when `settle` has passed. */
  readonly isResumed?: boolean;
  /** The command line that looks again later, and sends only what is then shown not done. */
  readonly resumeLine?: string | undefined;
}

/**
 * Looks at all that is open together, and tells of each as soon as it is settled.
 * @throws ApiError where the sign-in has ended, of a job that is gone on with
 */
export async function settleOpen(
  context: SettleContext,
  open: readonly OpenResult[],
  settle: (sent: OpenResult, final: SendResult) => Promise<void>,
  { isResumed = false, resumeLine }: SettleOptions = {},
): Promise<void> {
  const lost = open.flatMap((sent): LostWrite[] => {
    const { reconciliation, lost: how } = sent.open;
    return how === undefined ? [] : [{ sent, reconciliation, ...how }];
  });
  // A rate that is open twice was so by its answer, and by the record that shows a lost write done.
  const rates = new Map<OpenResult, OpenResult>();
  for (const sent of open) if (sent.open.lost === undefined) rates.set(sent, sent);
  await lookForLost(context, lost, isResumed, async (write, finding) => {
    const { sent } = write;
    const { shown } = finding;
    const reason = shown === 'done' ? shown : shown === 'not-done' ? 'not_done' : 'unknown';
    context.events.reconciled(sent.result, reason, sent.requestId);
    const final = await toFinal(write, finding, lost.length === 1 && !isResumed, resumeLine);
    if (final.open !== undefined) rates.set({ ...final, open: final.open }, sent);
    else if (isResumed && shown === 'not-done') await settle(sent, { ...final, isNotDone: true });
    else await settle(sent, final);
  });
  await checkRates(context, [...rates.keys()], async (rate, judged) => {
    const { open: _, ...known } = rate;
    await settle(rates.get(rate) ?? rate, { ...known, ...judged });
  });
}

interface LostWrite extends NonNullable<Open['lost']> {
  readonly sent: OpenResult;
  readonly reconciliation: Reconciliation;
}

interface Finding {
  readonly shown: Exclude<Shown, 'none' | 'alike'>;
  /** The record that was made or changed, where the records show which one it is. */
  readonly record?: Row;
}

/**
 * Looks at all of them together, at growing distances, until each is found or its time has passed. A signal ends the
 * wait at once.
 */
async function lookForLost(
  context: SettleContext,
  lost: readonly LostWrite[],
  isResumed: boolean,
  settle: (write: LostWrite, finding: Finding) => Promise<void>,
): Promise<void> {
  const { clock, settings } = context;
  const settleSeconds = settings.settleSeconds.value;
  const begun = clock.now();
  // A clock that was set back must not make it wait for longer.
  const toDeadline = (write: LostWrite): number =>
    Math.min(write.lostAt, begun) +
    1000 * (isResumed ? settleSeconds : getLastLook(getWriteKind(write), settleSeconds));
  let open = lost.map((write) => ({ write, deadline: toDeadline(write) }));
  const isSoon = (write: LostWrite): boolean => isResumed || getWriteKind(write) === 'creation';
  const getEnd = (): number => open.reduce((end, { deadline }) => Math.max(end, deadline), begun);
  let now = begun;
  let due = lost.some(isSoon) ? now : getEnd();
  let isTold = false;
  for (let distance = isResumed ? Number.POSITIVE_INFINITY : 1000; open.length > 0; distance *= 2) {
    if (!isTold && due - now >= TELL_FROM_MS) {
      isTold = true;
      context.output.note(formatWait(due - now, lost.length, isResumed));
    }
    const isInterrupted = await sleepUnlessInterrupted(due - now, context);
    now = Math.max(clock.now(), due);
    const looked = open.filter(({ write, deadline }) => isSoon(write) || deadline <= now);
    const found = isInterrupted
      ? undefined
      : await lookAtAll(
          looked.map(({ write }) => write),
          clock,
          isResumed,
        );
    const rest: typeof open = [];
    for (const one of open) {
      const finding = found === undefined ? INTERRUPTED : found.get(one.write);
      const isOver = finding?.shown === 'done' || finding?.shown === 'interrupted' || one.deadline <= now;
      if (finding === undefined || !isOver) rest.push(one);
      else await settle(one.write, finding);
    }
    open = rest;
    due = Math.min(now + distance, getEnd());
  }
}

const INTERRUPTED: Finding = { shown: 'interrupted' };

/** A shorter wait needs no words. */
const TELL_FROM_MS = 2000;

function formatWait(ms: number, count: number, isResumed: boolean): string {
  const seconds = Math.ceil(ms / 1000);
  if (isResumed)
    return `Waiting ${seconds} s before checking again: the service may still be at work on what was sent.`;
  const what = count === 1 ? 'the response was lost' : `${count} responses were lost`;
  return `Checking whether it was done: ${what}, and the records do not show it yet.`;
}

/** By whether a second one would make a second record. */
function getWriteKind({ reconciliation: { reconciler } }: LostWrite): WriteKind {
  return reconciler?.likes === undefined ? 'change' : 'creation';
}

const LOOKS_IN_FLIGHT = 8;

/** Those of one operation by the pages of its lists, where that takes fewer requests. */
async function lookAtAll(
  lost: readonly LostWrite[],
  clock: Run['clock'],
  isResumed: boolean,
): Promise<ReadonlyMap<LostWrite, Finding>> {
  const groups = new Map<string, LostWrite[]>();
  for (const write of lost) {
    const { operation, ownWorkspace } = write.reconciliation.call;
    const key = `${operation.id} ${ownWorkspace ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), write]);
  }
  const found = new Map<LostWrite, Finding>();
  for (const group of groups.values()) {
    const judge = await readLists(group, clock);
    const look = async (write: LostWrite): Promise<void> => {
      const { reconciliation, before } = write;
      const { api, call, reconciler } = reconciliation;
      const read = async () =>
        judge === undefined ? reconciler?.after(api, call.values, before) : judge(call.values, before);
      found.set(write, await toFinding(read, isResumed));
    };
    for (let at = 0; at < group.length; at += LOOKS_IN_FLIGHT)
      await Promise.all(group.slice(at, at + LOOKS_IN_FLIGHT).map(look));
  }
  return found;
}

async function toFinding(
  read: () => Promise<Outcome | PreviewRow | undefined>,
  isResumed: boolean,
): Promise<Finding> {
  try {
    const outcome = (await read()) ?? 'unknown';
    if (typeof outcome !== 'string') return { shown: 'done', record: outcome.record };
    return { shown: outcome === 'unknown' ? 'unclear' : outcome };
  } catch (error) {
    if (!(error instanceof Failure) || (isResumed && isSignedOut(error))) throw error;
    return { shown: error instanceof Cancelled ? 'interrupted' : 'unread' };
  }
}

/** Undefined where each is looked at by itself. */
async function readLists(group: readonly LostWrite[], clock: Run['clock']) {
  const { api, reconciler } = group[0]?.reconciliation ?? {};
  if (api === undefined || reconciler?.afterRun === undefined || group.length < LIST_FROM) return undefined;
  try {
    // What was read before the writes shows nothing of them.
    const lists = new Lists(api, () => clock.now());
    return await reconciler.afterRun(
      lists,
      api,
      group.map(({ reconciliation }) => reconciliation.call.values),
    );
  } catch (error) {
    // Who may not read the list, or not all of it, may still read a record.
    const isRefused = error instanceof ApiError && error.status < 500 && !isSignedOut(error);
    if (isRefused || (error instanceof Failure && error.code === 'incomplete')) return undefined;
    return () => Promise.reject(error);
  }
}

/** @param isAlone whether its record is read whole: of many that takes a request each */
async function toFinal(
  write: LostWrite,
  { shown, record }: Finding,
  isAlone: boolean,
  resumeLine: string | undefined,
): Promise<SendResult> {
  const { reconciliation, failure, lostAt } = write;
  const { open: _, failure: __, ...sent } = write.sent;
  const { target, operation } = sent.result;
  if (shown === 'done') {
    const message = `The response was lost (${failure.message}), but the records show that it was done.`;
    const result = { target, status: 'done', operation, message } as const;
    if (record === undefined) return { ...sent, result, lostAnswer: failure };
    const { api, call } = reconciliation;
    // Where the new record cannot be read whole, it is as the list has it.
    const whole = isAlone ? await readWhole(api, call, record).catch(toFailure) : record;
    const data = whole instanceof Failure ? record : whole;
    return { ...sent, lostAnswer: failure, ...checkAccepted(reconciliation, { ...result, data }) };
  }
  const { status, hint } = findRule('silence', getWriteKind(write), shown);
  const change = { call: reconciliation.call, target };
  const end = explainSilence(failure, change, shown, hint === 'resume' ? resumeLine : undefined);
  const result = { target, operation, status, message: end.message, error: toFailureJson(end) };
  return { ...sent, result, failure: end, lostAt };
}

type SentChange = Pick<Change, 'call' | 'target'>;

/**
 * The command that shows what has become of a write; undefined where none does.
 * @param created the id of the record that it made, where that is known
 */
export function formatInspectLine(
  { call: { operation, values, commandLine }, target }: SentChange,
  created?: string,
): string | undefined {
  const noun = nounOf(operation);
  const id = created ?? (operation.path.includes('{') ? target : undefined);
  const list = findOperation(operation.shownBy ?? `${noun}.list`);
  if (list === undefined) return undefined;
  const project = values.project_id ?? placeholder('project');
  // What is listed of a record is asked of that record.
  const [, idName] = /\{(\w+)\}/.exec(list.path) ?? [];
  const of = idName === undefined ? [] : [values[idName]];
  const { project_id: bound } = list.parameters;
  if (id === undefined || idName !== undefined)
    return bound?.required || (bound && idName !== undefined)
      ? commandLine`ttctl ${[...list.id.split('.'), ...of]} --project ${project}`
      : commandLine`ttctl ${[...list.id.split('.'), ...of]}`;
  // Of some a list alone shows a record by its id.
  return findOperation(`${noun}.get`)
    ? commandLine`ttctl ${noun} get ${id}`
    : commandLine`ttctl ${noun} list --id ${id}`;
}

export function formatInspectHint(change: SentChange): string {
  const line = formatInspectLine(change);
  return line === undefined ? 'Check before sending it again.' : `Check before sending it again: ${line}`;
}

const WHY: Readonly<Record<Exclude<Finding['shown'], 'done'>, string>> = {
  'not-done': 'It may still be carried out: the records do not show it yet.',
  interrupted: 'It may have been carried out: the wait for it was interrupted.',
  unread: 'It may have been carried out: the records could not be read either.',
  unclear: 'It may have been carried out: the records do not show the outcome.',
};

/**
 * The failure of a write whose answer was lost, and that is not shown done. What the fault alone would advise, to try
 * again, is not said: a second write may be a second record.
 * @param resumeLine looks again, and sends it only where it is shown not done
 */
function explainSilence(
  failure: Failure,
  change: SentChange,
  shown: Exclude<Finding['shown'], 'done'>,
  resumeLine: string | undefined,
): Failure {
  if (!hasUnknownOutcome(failure)) return failure;
  const next =
    resumeLine === undefined
      ? formatInspectHint(change)
      : `To check again, and send it only if it was not done: ${resumeLine}`;
  return withHint(failure, { hint: `${WHY[shown]} ${next}` });
}

/** A list that was read so long ago is read again. A write may wait as long for its turn after its own reading. */
const SNAPSHOT_MS = 60_000;

/** The writes of one operation in a run. */
interface OperationGroup {
  readonly reconciler: Reconciler | undefined;
  readonly calls: ApiCall[];
  lastSnapshot?: { readonly at: number; readonly snapshot: Promise<RunSnapshot | undefined> };
}

/** What must be known before the writes of one run are sent. */
export class RunReconciler {
  readonly #api: Api;
  readonly #now: () => number;
  readonly #groups = new Map<string, OperationGroup>();

  static async open(api: Api, calls: Iterable<ApiCall>, now: () => number): Promise<RunReconciler> {
    const opened = new RunReconciler(api, now);
    for (const call of calls) {
      const { id } = call.operation;
      const group = opened.#groups.get(id) ?? { reconciler: await findReconciler(call.operation), calls: [] };
      opened.#groups.set(id, group);
      group.calls.push(call);
    }
    return opened;
  }

  private constructor(api: Api, now: () => number) {
    this.#api = api;
    this.#now = now;
  }

  /** Writes with the same text make records that look alike: they are sent one after another. */
  getDuplicateKey(call: ApiCall): string | undefined {
    return this.#groups.get(call.operation.id)?.reconciler?.duplicateKey?.(call.values);
  }

  /**
   * A JSON value, so that it can be stored. Where the reconciler can, one reading stands for all writes of an operation,
   * for a minute. Who may write but not list all is not kept from writing; only a lost answer stays unknown then.
   * @param isAlone whether it must not rest on that: rows that could be mistaken for one another, but the first
   */
  async readBefore(call: ApiCall, isAlone: boolean): Promise<unknown> {
    const group = this.#groups.get(call.operation.id);
    const { before, beforeRun } = group?.reconciler ?? {};
    try {
      if (group !== undefined && !isAlone && group.calls.length > 1 && beforeRun !== undefined) {
        const known = await this.#readSnapshot(group, beforeRun);
        if (known !== undefined) return known(call.values);
      }
      return await before?.(withOwnWorkspace(this.#api, call), call.values);
    } catch (error) {
      if (error instanceof ApiError && !isSignedOut(error)) return undefined;
      if (error instanceof Failure && error.code === 'incomplete') return undefined;
      throw error;
    }
  }

  #readSnapshot(
    group: OperationGroup,
    beforeRun: NonNullable<Reconciler['beforeRun']>,
  ): Promise<RunSnapshot | undefined> {
    const { calls, lastSnapshot: taken } = group;
    if (taken !== undefined && this.#now() - taken.at < SNAPSHOT_MS) return taken.snapshot;
    const api = calls[0] === undefined ? this.#api : withOwnWorkspace(this.#api, calls[0]);
    const snapshot = beforeRun(
      api,
      calls.map(({ values }) => values),
    );
    group.lastSnapshot = { at: this.#now(), snapshot };
    snapshot.catch(() => {
      delete group.lastSnapshot;
    });
    return snapshot;
  }
}

/**
 * `--if-missing`: the records that are there already, of the like that these calls of one operation would make. Likeness
 * is what lost answers are recognised by.
 * @throws as a read: what cannot be looked up is not made
 */
export async function findLikes(
  api: Api,
  calls: readonly ApiCall[],
): Promise<(call: ApiCall) => Row | undefined> {
  const [first] = calls;
  const reconciler = first && (await findReconciler(first.operation));
  const find =
    first &&
    (await reconciler?.likes?.(
      withOwnWorkspace(api, first),
      calls.map(({ values }) => values),
    ));
  return ({ values }) => find?.(values);
}

/** The whole of a record that a list has shown, as its creation would have been answered. */
export async function readWhole(api: Api, call: ApiCall, row: Row): Promise<Row> {
  const reconciler = await findReconciler(call.operation);
  return (await reconciler?.whole?.(withOwnWorkspace(api, call), row, call.values)) ?? row;
}

/** @param data the record that is there already; undefined where it will be */
export function createAlikeResult(change: SentChange, data: unknown): SendResult {
  const shown = data == null ? {} : { data };
  return { result: resultOf(change, 'unchanged', { message: 'already exists', ...shown }) };
}
