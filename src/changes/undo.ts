import { type ApiCall, buildCall } from '../api/client.ts';
import type { Operation, Parameter, Undo } from '../api/operation.ts';
import { allOperations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { isRecord, toNumber, toText } from '../json.ts';
import { isSameValue, toIsoDay } from '../parsing/names.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { createFailedResult, formatUnset } from './accepted.ts';
import type { Change, Observation, SendResult } from './change.ts';
import { confirmChanges, SAMPLE_SIZE } from './confirm.ts';
import { describeEffect } from './describe-change.ts';
import { createPartialError, findEntries, getEntryStatus } from './history.ts';
import { checkDestination } from './jobs.ts';
import { formatEntryId, type StoredWrite } from './journal.ts';
import { buildStoredCall } from './log.ts';
import {
  createLook,
  createMovedResult,
  describeMove,
  type Look,
  meaningOf,
  NOT_FOUND,
  pickSeen,
} from './look.ts';
import { openRuns, requireRun, type WholeRun } from './store.ts';
import { checkWritable, writeChanges } from './write.ts';

/** Takes writes back: by the opposite write, which is found from the entry, and from the record as it is now. */

/** Why an entry cannot be undone: a sentence without its end. */
interface Impossible {
  readonly entry: StoredWrite;
  readonly why: string;
  readonly harmless?: boolean;
}

interface Reversal {
  readonly entry: StoredWrite;
  readonly call: ApiCall;
  /** The write that is taken back, where the record can show whether it still stands. */
  readonly original: ApiCall | undefined;
  /** Fields that cannot be set back, for the API cannot make them empty. */
  readonly unset: readonly string[];
}

export function findOperation(id: string): Operation | undefined {
  return allOperations.find((one) => one.id === id);
}

function pathNames({ path }: Pick<Operation, 'path'>): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** What an operation needs to be sent: what its path names, its other values, and what says which record it is. */
function toOpposite(by: Operation, values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name]) =>
        pathNames(by).includes(name) || Object.hasOwn(by.parameters, name) || name === 'workspace_id',
    ),
  );
}

/** What no request of the operation is without, as it was sent. */
function keepNeeded({ path, parameters }: Operation, sent: Values): Values {
  const inPath = pathNames({ path });
  const isNeeded = (name: string): boolean =>
    inPath.includes(name) ||
    name === 'workspace_id' ||
    parameters[name]?.required === true ||
    parameters[name]?.place === 'both';
  return Object.fromEntries(Object.entries(sent).filter(([name]) => isNeeded(name)));
}

/** Values of the undo, by how the operation is undone. @returns a text: why it cannot be */
async function buildValues(
  run: Run,
  row: StoredWrite,
  sent: Values | undefined,
  operation: Operation,
  undo: Undo,
): Promise<{ by: string; values: Values; unset?: readonly string[] } | string> {
  const { old, created } = row;
  if (undo.kind === 'none') return undo.why;
  if (sent === undefined) return 'its values contain a secret, so they were not stored';
  const by = undo.kind === 'values' ? operation : findOperation(undo.by);
  if (by === undefined) return 'this version of ttctl has no such operation';
  if (undo.kind === 'opposite') return { by: by.id, values: toOpposite(by, sent) };
  if (undo.kind === 'removal') {
    if (created === undefined) return 'the service did not say which record it made';
    const [name = 'id'] = pathNames(by);
    return { by: by.id, values: { ...toOpposite(by, sent), [name]: created } };
  }
  if (old === undefined) return 'the old values were not recorded';
  const { values: sendable, unset } = splitOldValues(operation, old);
  if (Object.keys(sendable).length === 0)
    return unset.length === 0 ? 'it changed nothing' : `the API cannot clear ${unset.join(', ')}`;
  const values = await toSendableValues(run, operation, { ...keepNeeded(operation, sent), ...sendable });
  return { by: by.id, values, unset };
}

const STATUS_REASONS = {
  failed: 'it failed, so there is nothing to undo',
  unknown: 'it is not known whether it was carried out',
} as const;

/** The write that takes one back, or why there is none. */
async function invert(
  run: Run,
  { head }: Pick<WholeRun, 'head'>,
  entry: StoredWrite,
): Promise<Reversal | Impossible> {
  const status = getEntryStatus(entry);
  if (status !== 'done') return { entry, why: STATUS_REASONS[status], harmless: status === 'failed' };
  const operation = findOperation(entry.operation);
  if (operation?.undo === undefined) return { entry, why: 'ttctl does not know what a raw request changed' };
  const original = buildStoredCall(run.api, entry, head);
  const built = await buildValues(run, entry, original?.values, operation, operation.undo);
  if (typeof built === 'string') return { entry, why: built };
  const call = buildCall(run.api, built.by, built.values);
  if (call === undefined) return { entry, why: 'this version of ttctl has no such operation' };
  return { entry, call, original, unset: built.unset ?? [] };
}

function isReversal(one: Reversal | Impossible): one is Reversal {
  return 'call' in one;
}

function findEdits(made: Row, original: ApiCall, { record = {} }: Observation): Row {
  const edited = Object.entries(made).filter(
    ([name, value]) =>
      record[name] !== undefined && !isSameValue(value, record[name], meaningOf(original, name)),
  );
  return Object.fromEntries(edited.map(([name]) => [name, record[name]]));
}

function typeOf(value: unknown): string {
  return Number.isNaN(toNumber(value)) ? typeof value : 'number';
}

/** Of the fields that the service answered with, those that can be compared: it may write them otherwise in a list. */
function pickComparable(made: Row, record: Row = {}): Row {
  return Object.fromEntries(
    Object.entries(made).filter(
      ([name, value]) => value === null || record[name] === null || typeOf(value) === typeOf(record[name]),
    ),
  );
}

/** What of the write does not stand any more: another has changed it since. Undefined: all of it stands. */
async function findLaterChange(
  run: Run,
  { entry, call, original }: Reversal,
  look: Look,
  lookAtOriginal: Look,
): Promise<string | undefined> {
  const current = await look(call);
  if (current?.problem === NOT_FOUND) return 'the record is gone';
  // What is as the undo would make it is left alone.
  if (current?.unchanged === true || original === undefined) return undefined;
  const { target } = entry;
  const stands = await lookAtOriginal(original);
  if (entry.created !== undefined && current !== undefined) {
    const made = { ...pickComparable(entry.made ?? {}, current.record), ...stands?.after };
    const now = findEdits(made, original, current);
    return Object.keys(now).length === 0 ? undefined : describeMove(run, { call, target }, made, now);
  }
  if (stands === undefined || stands.unchanged === true || stands.after == null) return undefined;
  if (Object.keys(stands.after).length === 0) return undefined;
  return describeMove(run, { call: original, target }, stands.after, stands.before ?? {});
}

interface UndoRun {
  readonly changes: readonly Change[];
  /** By place: what is not sent, for somebody has changed the record since. */
  readonly knownResults: ReadonlyMap<number, SendResult>;
  readonly observations: ReadonlyMap<number, Observation>;
  readonly impossible: readonly Impossible[];
}

function createImpossibleError(id: string, run: string, impossible: readonly Impossible[]): UsageError {
  const reasons = new Map<string, number>();
  for (const { why } of impossible) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  const [only] = impossible;
  const lines = [...reasons].map(([why, count]) => (count === 1 ? why : `${why} (${count} writes)`));
  return new UsageError(`${id} cannot be undone`, {
    code: 'not_undoable',
    reason: lines.join('; '),
    hint: `See what it did: ${
      impossible.length === 1 && only !== undefined
        ? commandLine`ttctl history show ${formatEntryId(run, only.entry.n - 1)}`
        : commandLine`ttctl history list --run ${run}`
    }`,
  });
}

/**
 * The writes that take entries back, the latest first.
 * @param force also where somebody has changed the record since
 * @throws UsageError where none of them can be undone
 */
async function buildUndo(
  context: Run,
  id: string,
  { run, entries }: { readonly run: WholeRun; readonly entries: readonly StoredWrite[] },
  force: boolean,
): Promise<UndoRun> {
  const all = await Promise.all([...entries].reverse().map((entry) => invert(context, run, entry)));
  const impossible = all.filter((one): one is Impossible => !isReversal(one));
  const reversals = all.filter(isReversal);
  if (reversals.length === 0) throw createImpossibleError(id, run.id, impossible);
  for (const { call } of reversals) call.check();
  const look = await createLook(
    context,
    reversals.map(({ call }) => call),
  );
  const lookAtOriginal = await createLook(
    context,
    reversals.flatMap(({ original }) => original ?? []),
  );
  const knownResults = new Map<number, SendResult>();
  const observations = new Map<number, Observation>();
  const changes: Change[] = [];
  for (const [n, reversal] of reversals.entries()) {
    const { entry, call, unset } = reversal;
    const { target, label: words, columns = { id: entry.target }, created } = entry;
    const later = force ? undefined : await findLaterChange(context, reversal, look, lookAtOriginal);
    const change = { target: created ?? target, call };
    if (later !== undefined) knownResults.set(n, createMovedResult(change, later));
    const observation = (await look(call)) ?? {};
    observations.set(n, observation);
    const seen = force ? undefined : pickSeen(call.operation.id, observation);
    const label = words ?? (created === undefined ? undefined : target);
    const key = formatEntryId(run.id, entry.n - 1);
    changes.push({ ...change, n, key, label, columns, after: call.values, seen, unset });
  }
  return { changes, knownResults, observations, impossible };
}

/** Old values as a request can carry them: a record may show them otherwise. */

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** The old values that can be sent, and the names of those that cannot. */
function splitOldValues({ parameters }: Operation, old: Values) {
  const cannotSet = ([name, value]: [string, unknown]): boolean =>
    isEmpty(value) || (parameters[name]?.on !== undefined && parameters[name]?.on !== value);
  const pairs = Object.entries(old);
  const unset = pairs.filter(cannotSet).map(([name]) => name);
  return { values: Object.fromEntries(pairs.filter((pair) => !cannotSet(pair))), unset };
}

function toItem(item: unknown): unknown {
  return isRecord(item) ? (item['user_id'] ?? item['id']) : item;
}

/** `Nov 14, 2026` is sent as a day, `1,240.50` as a number, people as their ids. */
function toSendable(value: unknown, { type }: Pick<Parameter, 'type'>): unknown {
  if (Array.isArray(value)) return value.map(toItem);
  if (type === 'date') return toIsoDay(value);
  if (typeof value !== 'string' || !['integer', 'number'].includes(type)) return value;
  const number = toNumber(value.replace(/,(?=\d{3})/g, ''));
  return Number.isNaN(Number(number)) ? value : number;
}

async function resolveNames({ lookUps }: Run, values: Values): Promise<Values> {
  const resolve = async (kind: 'category' | 'project', name: string) => {
    const value = values[name];
    return value === undefined ? {} : { [name]: await lookUps.find(kind, toText(value)) };
  };
  return {
    ...values,
    ...(await resolve('category', 'category_id')),
    ...(await resolve('project', 'project_id')),
  };
}

/** @throws Failure for a name that no record has any more */
async function toSendableValues(run: Run, { parameters }: Operation, values: Values): Promise<Values> {
  const resolved = await resolveNames(run, values);
  return Object.fromEntries(
    Object.entries(resolved).map(([name, value]) => {
      const parameter = parameters[name];
      return [name, parameter === undefined ? value : toSendable(value, parameter)];
    }),
  );
}

/** `ttctl undo`. */

const WORDS = { verb: ['undo', 'undone'], noun: ['change', 'changes'] } as const;

interface UndoOptions {
  readonly force?: boolean | undefined;
  readonly exitCode?: boolean | undefined;
  readonly maxChanges?: string | undefined;
}

const STARTED = [{ field: 'at', kind: 'time' }] as const;

function listUnset(changes: readonly Change[]): readonly string[] {
  return changes
    .filter(({ unset = [] }) => unset.length > 0)
    .slice(0, SAMPLE_SIZE)
    .map(({ target, label, unset = [] }) => `!          ${label ?? target}: ${formatUnset(unset)}`);
}

/** What stays as it is, as rows of the run: it ends as one that is not all done. @param from their first place */
function listRemaining(
  { api }: Run,
  { id, head }: WholeRun,
  impossible: readonly Impossible[],
  from: number,
): readonly { readonly change: Change; readonly sent: SendResult }[] {
  return impossible
    .filter(({ harmless }) => harmless !== true)
    .flatMap(({ entry, why }, index) => {
      const { operation, target, columns = { id: entry.target }, n } = entry;
      const call = buildStoredCall(api, entry, head) ?? buildCall(api, operation, {});
      if (call === undefined) return [];
      const failure = new Failure(`cannot be undone: ${why}`, { code: 'not_undoable', exit: EXIT.partial });
      const change = { n: from + index, key: formatEntryId(id, n - 1), target, columns, after: {}, call };
      return [{ change, sent: createFailedResult(change, failure) }];
    });
}

/**
 * Takes back a write, or all writes of a run.
 * @param id of an entry or a run
 * @throws UsageError (exit 2) for an id of nothing, and where nothing can be undone; else as `writeChanges`
 */
export async function undoEntries(context: Run, id: string, options: UndoOptions): Promise<void> {
  checkWritable(context);
  await context.output.checkNames();
  const store = openRuns(context);
  const { run: stored, entries, isPartial } = findEntries(store, id);
  if (isPartial) throw createPartialError(stored.id);
  const source = requireRun(stored, store);
  const { head } = source;
  await checkDestination(context, head, id, ['undo', id]);
  const run = await buildUndo(context, id, { run: source, entries }, options.force === true);
  const { changes, knownResults, impossible } = run;
  for (const { entry, why } of impossible) context.output.warn(`${entry.target} left unchanged: ${why}`);
  const isPlanned = context.settings.dryRun.value;
  const remaining = isPlanned ? [] : listRemaining(context, source, impossible, changes.length);
  const write = { ...WORDS, needsConfirmation: true };
  const [[started = ''] = []] = await context.output.inWords([{ at: head.created_at }], STARTED);
  const selection = {
    changes,
    knownResults,
    facts: [`undoes     ${head.command}`, `sent       ${started}`, ...listUnset(changes)],
    noneMessage: 'Nothing to undo.',
    words: async ({ n, target, label, call }: Change) => {
      const { before = {}, after } = run.observations.get(n) ?? {};
      const effect = { operation: call.operation.id, before, after };
      return [label ?? '', after === undefined ? '' : await describeEffect(context.output, effect), target];
    },
  };
  const confirmed = await confirmChanges(context, write, selection, { ...options });
  await writeChanges(context, {
    ...WORDS,
    undoes: id,
    changes: [...changes, ...remaining.map(({ change }) => change)],
    knownResults: new Map([
      ...knownResults,
      ...remaining.map(({ change, sent }) => [change.n, sent] as const),
    ]),
    confirmed,
    exitCode: options.exitCode === true,
  });
}
