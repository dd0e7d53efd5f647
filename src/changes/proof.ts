import type { Api, ApiCall } from '../api/client.ts';
import { LIST_FROM, Lists } from '../api/lists.ts';
import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { ApiError, Cancelled, Failure, hasUnknownOutcome } from '../errors.ts';
import { placeholder } from '../parsing/shell-word.ts';
import type { Judge, Reconciler, RunSnapshot } from '../resources/proof.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import {
  checkAccepted,
  checkRates,
  createFailedResult,
  resultOf,
  sleepUnlessInterrupted,
  toFailure,
} from './accepted.ts';
import type { Change, Open, OpenResult, Reconciliation, SendResult, SentChange } from './change.ts';
import { isSignedOut } from './look.ts';

/**
 * How the service's own records show what became of a write whose answer was lost, and what must be known of them
 * before it is sent. Nothing is ever sent again here.
 */

type SettleContext = Pick<Run, 'clock' | 'interrupted' | 'settings' | 'requests' | 'output'>;

/**
 * Looks at all that is open together, and tells of each as soon as it is settled.
 * @param isResumed of a job that is gone on with: all are looked at now, and what is not shown once more when `settle`
 *   has passed; `final` is then undefined for what is shown not done. @throws ApiError where its sign-in has ended
 */
export async function settleOpen(
  context: SettleContext,
  open: readonly OpenResult[],
  settle: (sent: OpenResult, final: SendResult | undefined) => Promise<void>,
  resumeLine: string | undefined,
  isResumed = false,
): Promise<void> {
  const lost: LostWrite[] = [];
  // A rate that is open twice was so by its answer, and by the record that shows a lost write done.
  const rates = new Map<OpenResult, OpenResult>();
  for (const sent of open) {
    if (sent.open.lost === undefined) rates.set(sent, sent);
    else lost.push({ sent, ...sent.open, ...sent.open.lost });
  }
  await lookForLost(context, lost, isResumed, async (write, finding) => {
    const { sent } = write;
    const { shown } = finding;
    const reason = shown === 'done' ? shown : shown === 'not-done' ? 'not_done' : 'unknown';
    context.requests.reconciled(sent, reason, sent.requestId);
    if (isResumed && shown === 'not-done') return settle(sent, undefined);
    const final = await toFinal(write, finding, lost.length === 1 && !isResumed, resumeLine);
    if (final.open !== undefined) rates.set({ ...final, open: final.open }, sent);
    else await settle(sent, final);
  });
  await checkRates(context, [...rates.keys()], (rate, final) => settle(rates.get(rate) ?? rate, final));
}

interface LostWrite extends Reconciliation, NonNullable<Open['lost']> {
  readonly sent: OpenResult;
}

/** `unclear`: the records do not tell. `unread`: they could not be read. `interrupted`: a signal ended the wait. */
interface Finding {
  readonly shown: 'done' | 'not-done' | 'unclear' | 'unread' | 'interrupted';
  /** The record that was made or changed, where the records show which one it is. */
  readonly record?: Row;
}

const TELL_FROM_MS = 2000;

/**
 * Looks at all of them together, at growing distances, until each is found or its time has passed: a new record may
 * appear until `settle` has passed; a change is there at once, or nobody can tell. A signal ends the wait at once.
 */
async function lookForLost(
  context: SettleContext,
  lost: readonly LostWrite[],
  isResumed: boolean,
  settle: (write: LostWrite, finding: Finding) => Promise<void>,
): Promise<void> {
  const { clock, settings, output } = context;
  const settleSeconds = settings.settleSeconds.value;
  const begun = clock.now();
  let open = lost.map((write) => {
    // A second one would make a second record.
    const isCreation = write.reconciler?.likes !== undefined;
    const seconds = isResumed || isCreation ? settleSeconds : Math.min(1, settleSeconds);
    // A clock that was set back must not make it wait for longer.
    const deadline = Math.min(write.lostAt, begun) + 1000 * seconds;
    return { write, deadline, isSoon: isResumed || isCreation };
  });
  const getEnd = (): number => open.reduce((end, { deadline }) => Math.max(end, deadline), begun);
  let now = begun;
  let due = open.some(({ isSoon }) => isSoon) ? now : getEnd();
  let isTold = false;
  for (let distance = isResumed ? Number.POSITIVE_INFINITY : 1000; open.length > 0; distance *= 2) {
    if (!isTold && due - now >= TELL_FROM_MS) {
      isTold = true;
      const seconds = Math.ceil((due - now) / 1000);
      output.note(`Waiting ${seconds} s before checking again: the records do not show yet what was sent.`);
    }
    const isInterrupted = await sleepUnlessInterrupted(due - now, context);
    now = Math.max(clock.now(), due);
    const looked = open.filter(({ isSoon, deadline }) => isSoon || deadline <= now);
    const found = isInterrupted ? undefined : await lookAtAll(looked, clock, isResumed);
    const rest: typeof open = [];
    for (const one of open) {
      const finding: Finding | undefined =
        found === undefined ? { shown: 'interrupted' } : found.get(one.write);
      const isOver = finding?.shown === 'done' || finding?.shown === 'interrupted' || one.deadline <= now;
      if (finding === undefined || !isOver) rest.push(one);
      else await settle(one.write, finding);
    }
    open = rest;
    due = Math.min(now + distance, getEnd());
  }
}

const LOOKS_IN_FLIGHT = 8;

/** Those of one operation by the pages of its lists, where that takes fewer requests. */
async function lookAtAll(
  lost: readonly { readonly write: LostWrite }[],
  clock: Run['clock'],
  isResumed: boolean,
): Promise<ReadonlyMap<LostWrite, Finding>> {
  const groups = new Map<string, LostWrite[]>();
  for (const { write } of lost) {
    const { id } = write.call.operation;
    groups.set(id, [...(groups.get(id) ?? []), write]);
  }
  const found = new Map<LostWrite, Finding>();
  for (const group of groups.values()) {
    const judge = await readLists(group, clock);
    const look = async (write: LostWrite) =>
      void found.set(write, await findOutcome(write, judge, isResumed));
    for (let at = 0; at < group.length; at += LOOKS_IN_FLIGHT)
      await Promise.all(group.slice(at, at + LOOKS_IN_FLIGHT).map(look));
  }
  return found;
}

async function findOutcome(
  { api, call, reconciler, before }: LostWrite,
  judge: Judge | undefined,
  isResumed: boolean,
): Promise<Finding> {
  try {
    const found = await (judge === undefined
      ? reconciler?.after(api, call.values, before)
      : judge(call.values, before));
    if (typeof found === 'object') return { shown: 'done', record: found.record };
    return { shown: found === undefined || found === 'unknown' ? 'unclear' : found };
  } catch (error) {
    if (!(error instanceof Failure) || (isResumed && isSignedOut(error))) throw error;
    return { shown: error instanceof Cancelled ? 'interrupted' : 'unread' };
  }
}

async function readLists(group: readonly LostWrite[], clock: Run['clock']): Promise<Judge | undefined> {
  const [{ api, reconciler } = {}] = group;
  if (api === undefined || reconciler?.afterRun === undefined || group.length < LIST_FROM) return undefined;
  try {
    // What was read before the writes shows nothing of them.
    const lists = new Lists(api, () => clock.now());
    const all = group.map(({ call }) => call.values);
    return await reconciler.afterRun(lists, api, all);
  } catch (error) {
    // Who may not read the list, or not all of it, may still read a record.
    const isRefused = error instanceof ApiError && error.status < 500 && !isSignedOut(error);
    if (isRefused || (error instanceof Failure && error.code === 'incomplete')) return undefined;
    return () => Promise.reject(error);
  }
}

/**
 * Never says what the fault alone would advise, to try again: a second write may be a second record.
 * @param isAlone whether its record is read whole: of many that takes a request each
 */
async function toFinal(
  write: LostWrite,
  { shown, record }: Finding,
  isAlone: boolean,
  resumeLine: string | undefined,
): Promise<SendResult> {
  const { api, call, failure, lostAt } = write;
  const { open: _, failure: __, message: ___, error: ____, ...sent } = write.sent;
  const change = { call, target: sent.target };
  if (shown === 'done') {
    const message = `The response was lost (${failure.message}), but the records show that it was done.`;
    const done = { ...sent, ...resultOf(change, 'done', { message }), lostAnswer: failure };
    if (record === undefined) return done;
    // Where the new record cannot be read whole, it is as the list has it.
    const whole = isAlone ? await readWhole(api, call, record).catch(toFailure) : record;
    return checkAccepted(write, { ...done, data: whole instanceof Failure ? record : whole });
  }
  // What the records cannot tell, looking again cannot tell either.
  const next =
    shown === 'unclear' || resumeLine === undefined
      ? `Check before sending it again: ${formatInspectLine(change) ?? 'look at the records'}`
      : `To check again, and send it only if it was not done: ${resumeLine}`;
  if (hasUnknownOutcome(failure)) failure.hint = `${WHY[shown]} ${next}`;
  return { ...sent, ...createFailedResult(change, failure, 'unknown'), lostAt };
}

const WHY: Readonly<Record<Exclude<Finding['shown'], 'done'>, string>> = {
  'not-done': 'It may still be carried out: the records do not show it yet.',
  interrupted: 'It may have been carried out: the wait for it was interrupted.',
  unread: 'It may have been carried out: the records could not be read either.',
  unclear: 'It may have been carried out: the records do not show the outcome.',
};

/** The command that shows what has become of a write. @param created the id of the record that it made, where known */
export function formatInspectLine(
  { call: { operation, values, commandLine }, target }: SentChange,
  created?: string,
): string | undefined {
  const noun = operation.noun;
  const list = findOperation(operation.shownBy ?? `${noun}.list`);
  if (list === undefined) return undefined;
  const id = created ?? (operation.path.includes('{') ? target : undefined);
  const [, idName] = /\{(\w+)\}/.exec(list.path) ?? [];
  // Of some a list alone shows a record by its id.
  if (id !== undefined && idName === undefined)
    return findOperation(`${noun}.get`)
      ? commandLine`ttctl ${noun} get ${id}`
      : commandLine`ttctl ${noun} list --id ${id}`;
  // What is listed of a record is asked of that record.
  const words = [...list.id.split('.'), ...(idName === undefined ? [] : [values[idName]])];
  const { project_id: bound } = list.parameters;
  if (bound === undefined || (!bound.required && idName === undefined)) return commandLine`ttctl ${words}`;
  return commandLine`ttctl ${words} --project ${values.project_id ?? placeholder('project')}`;
}

/** A list that was read so long ago is read again. A write may wait as long for its turn after its own reading. */
const SNAPSHOT_MS = 60_000;

export interface OperationGroup {
  readonly reconciler: Reconciler | undefined;
  readonly calls: ApiCall[];
  snapshot?: { readonly at: number; readonly read: Promise<RunSnapshot | undefined> } | undefined;
}

export async function groupByOperation(
  changes: readonly Pick<Change, 'call'>[],
): Promise<ReadonlyMap<string, OperationGroup>> {
  const groups = new Map<string, OperationGroup>();
  for (const { call } of changes) {
    const { id } = call.operation;
    const group = groups.get(id) ?? { reconciler: await findReconciler(call.operation), calls: [] };
    groups.set(id, group);
    group.calls.push(call);
  }
  return groups;
}

/**
 * What must be known before a write is sent, as JSON. Where the reconciler can, one reading stands for all writes of an
 * operation, for a minute. Who may not list all may write; only a lost answer stays unknown then.
 * @param isAlone whether it must not rest on that: rows that could be mistaken for one another, but the first
 */
export async function readBefore(
  api: Api,
  group: OperationGroup,
  call: ApiCall,
  now: number,
  isAlone = false,
): Promise<unknown> {
  const { calls, reconciler: { before, beforeRun } = {} } = group;
  try {
    if (!isAlone && calls.length > 1 && beforeRun !== undefined) {
      if (group.snapshot === undefined || now - group.snapshot.at >= SNAPSHOT_MS) {
        const all = calls.map(({ values }) => values);
        const read = beforeRun(api, all);
        group.snapshot = { at: now, read };
        read.catch(() => {
          group.snapshot = undefined;
        });
      }
      const known = await group.snapshot.read;
      if (known !== undefined) return known(call.values);
    }
    return await before?.(api, call.values);
  } catch (error) {
    if (error instanceof ApiError && !isSignedOut(error)) return undefined;
    if (error instanceof Failure && error.code === 'incomplete') return undefined;
    throw error;
  }
}

/**
 * The records that are there already, of the like that these calls of one operation would make.
 * @throws as a read: what cannot be looked up is not made
 */
export async function findLikes(
  api: Api,
  calls: readonly ApiCall[],
): Promise<(call: ApiCall) => Row | undefined> {
  const [first] = calls;
  if (first === undefined) return () => undefined;
  const reconciler = await findReconciler(first.operation);
  const all = calls.map(({ values }) => values);
  const find = await reconciler?.likes?.(api, all);
  return ({ values }) => find?.(values);
}

export async function readWhole(api: Api, call: ApiCall, row: Row): Promise<Row> {
  const reconciler = await findReconciler(call.operation);
  return (await reconciler?.whole?.(api, row, call.values)) ?? row;
}

export function createAlikeResult(change: SentChange, data: unknown): SendResult {
  const shown = data == null ? {} : { data };
  return resultOf(change, 'unchanged', { message: 'already exists', ...shown });
}
