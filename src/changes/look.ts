import type { ApiCall } from '../api/client.ts';
import { type Fields, type RecordFacts, selectFields } from '../api/fields.ts';
import { LIST_FROM } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { findRecordFacts } from '../api/records.ts';
import { Cancelled, EXIT, Failure } from '../errors.ts';
import { isRecord, stringifyJson, toText } from '../json.ts';
import type { WordStyle } from '../output/cell.ts';
import type { Column } from '../output/list-view.ts';
import type { Result } from '../output/results.ts';
import { getMeaning, type Meaning, showsValue } from '../parsing/names.ts';
import { createColumns, nameIds } from '../resources/columns.ts';
import { SOFT_DELETED } from '../resources/define.ts';
import { type ChangedRecord, isOtherRecord, listSentFields, type Reconciler } from '../resources/proof.ts';
import { findReconciler, loadRecordWords } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import { createFailedResult, describeLasting, listLasting } from './accepted.ts';
import type { Change, Changes, Observation, SendResult, SentChange } from './change.ts';
import { keepsHistory } from './store.ts';

/** Looks at the records of writes before they are sent: what they change, and whether they still are as they were seen. */

/** Undefined for a write of no record. @param since what was read before is read again, in milliseconds since the epoch */
export type Look = (call: ApiCall, known?: Row, since?: number) => Promise<Observation | undefined>;

type LookContext = Pick<Run, 'api' | 'names' | 'clock' | 'lists'>;

/** Many records at once where that takes fewer requests. @returns throws Cancelled, Failure (exit 3) when the login has ended */
export async function createLook(context: LookContext, calls: Iterable<ApiCall>): Promise<Look> {
  const groups = new Map<string, RecordGroup>();
  for (const { operation, values } of calls) {
    const { id } = operation;
    const group = groups.get(id) ?? { reconciler: await findReconciler(operation), wanted: new Map() };
    groups.set(id, group);
    const { record } = group.reconciler ?? {};
    if (record !== undefined) group.wanted.set(record.key(values), values);
  }
  const { names } = context;
  return async (call, known, since) => {
    const { operation, values } = call;
    const group = groups.get(operation.id);
    const { fields, record } = group?.reconciler ?? {};
    const created = await fields?.(values, names);
    if (created !== undefined) return { record: created, after: created };
    if (group === undefined || record === undefined) return undefined;
    try {
      if (group.problem !== undefined && since === undefined) throw group.problem;
      const row = known ?? (await readRecord(context, group, record, call, since));
      if (since !== undefined) group.wanted.delete(record.key(values));
      if (row === undefined) return { problem: NOT_FOUND };
      if (row === null) return { problem: 'the answer has no record' };
      const { before, after, old, outcome, subject = row } = await record.effect(row, values, names);
      const unchanged = outcome === 'done' && after !== null && Object.keys(after).length === 0;
      return { record: subject, before, after, ...(old && { old }), unchanged };
    } catch (error) {
      const cause = toProblem(error);
      group.problem = cause;
      return { problem: cause.message, cause };
    }
  };
}

interface RecordGroup {
  readonly reconciler: Reconciler | undefined;
  /** Of the rows that are still to be looked at, by the keys of their records. */
  readonly wanted: Map<string, Values>;
  search?: { readonly at: number; readonly done: Promise<unknown> };
  /** Why nothing more is read: a right is missing, or the service does not answer. */
  problem?: Failure;
}

/** One record: from a list that has it, else by itself. Many are looked for in their lists together. */
async function readRecord(
  { api, clock, lists }: LookContext,
  group: RecordGroup,
  record: ChangedRecord,
  call: ApiCall,
  since = 0,
): Promise<Row | null | undefined> {
  const key = record.key(call.values);
  const read = () => record.read(api, call.values);
  const { isWhole = () => true } = record;
  const [list] = record.lists?.(api, [call.values]) ?? [];
  const kind = call.operation.id;
  if (list === undefined) return lists.record(kind, key, read, since);
  const find = (id: string) => {
    const row = lists.find(list, id, since);
    return row !== undefined && isWhole(row) ? row : undefined;
  };
  if (find(key) !== undefined) return find(key);
  if (group.search === undefined || group.search.at < since) {
    const ids = new Set([...group.wanted.keys()].filter((id) => find(id) === undefined));
    const earlier = since === 0 ? [] : lists.listsOf(list, ids);
    const calls = earlier.length > 0 ? earlier : (record.lists?.(api, [...group.wanted.values()]) ?? []);
    // Where the list cannot be had, each record is read by itself.
    if (ids.size >= LIST_FROM)
      group.search = { at: clock.now(), done: lists.search(calls, ids, { since }).catch(toProblem) };
  }
  await group.search?.done;
  return find(key) ?? lists.record(record.isWhole === undefined ? list : kind, key, read, since);
}

/** @returns why a record could not be read @throws what ends the run, and faults of ours */
function toProblem(error: unknown): Failure {
  if (error instanceof Cancelled || isSignedOut(error) || !(error instanceof Failure)) throw error;
  return error;
}

export const NOT_FOUND = 'not found';

const PAGE = 100;

/** The requests that a run will make beside its writes. Its lists are read here: only they tell how long they are. */
export async function countLooks(run: Run, changes: readonly Change[]): Promise<number> {
  const { settings, lists, api } = run;
  if (settings.rateLimit.value === 'off' || settings.dryRun.value || changes.length < PAGE / 2) return 0;
  const left: ApiCall[] = [];
  for (const { call, before, seen } of changes) {
    const { first } = (await findReconciler(call.operation))?.record ?? {};
    const isLookedAt = first === true || (first === 'old-values' && keepsHistory(run));
    if (before === undefined && seen === undefined && isLookedAt) left.push(call);
  }
  const [one] = left;
  if (one !== undefined) await (await createLook(run, left))(one);
  let single = 0;
  for (const call of left) {
    const { record } = (await findReconciler(call.operation)) ?? {};
    const [list] = record?.lists?.(api, [call.values]) ?? [];
    if (list === undefined || lists.find(list, record?.key(call.values) ?? '') === undefined) single += 1;
  }
  const checked = changes.filter(({ seen }) => seen !== undefined).length;
  const minutes = Math.ceil(changes.length / settings.rateLimit.value.requests);
  return single + minutes * Math.ceil(checked / PAGE);
}

/** What somebody has seen may have changed so long after the last look, or after ten times what that look took. */
const FRESH_MS = 60_000;
const LOOK_SHARE = 10;

/**
 * Looks at records that have to be as somebody has seen them: at all when the first is looked at, and at those that are
 * left again later. What was read before `seenAt` does not count.
 */
export async function createCheckingLook(
  context: LookContext,
  { changes, seenAt = 0 }: Pick<Changes, 'changes' | 'seenAt'>,
): Promise<(call: ApiCall) => Promise<Observation | undefined>> {
  const { clock } = context;
  const seen = changes.filter((change) => change.seen !== undefined).map(({ call }) => call);
  const look = await createLook(context, seen);
  let freshMs = FRESH_MS;
  return async (call) => {
    const now = clock.now();
    const observation = await look(call, undefined, Math.max(seenAt, now - freshMs));
    freshMs = Math.max(freshMs, LOOK_SHARE * (clock.now() - now));
    return observation;
  };
}

/** What a change and its decision rest on: the fields that it changes, and the resource's own. */
export function pickSeen(operation: string, { record = {}, before = {} }: Observation): Row | undefined {
  const { decisive = ['status'] }: Partial<RecordFacts> =
    findRecordFacts(operation.split('.')[0] ?? '') ?? {};
  const known = decisive.filter((name) => record[name] !== undefined);
  const seen = { ...selectFields(record, known), ...before };
  return Object.keys(seen).length === 0 ? undefined : seen;
}

/**
 * Whether a record is still as somebody saw it. Between this and the write somebody else may still change it.
 * @returns what becomes of the change without its request; undefined where it can be sent
 */
export async function findMove(
  run: Run,
  change: SentChange & Pick<Change, 'seen'>,
  observation: Observation,
): Promise<SendResult | undefined> {
  const { call, seen = {} } = change;
  if (observation.problem === NOT_FOUND) return createMovedResult(change, 'it is gone');
  if (observation.record === undefined) return createUncheckedResult(change, observation);
  const now = findMoved(call, seen, observation);
  // One that is as wanted is left alone, whoever made it so.
  if (Object.keys(now).length === 0 || observation.unchanged === true) return undefined;
  return createMovedResult(change, await describeMove(run, change, seen, now));
}

export function meaningOf({ operation }: ApiCall, name: string): Meaning {
  return getMeaning(findRecordFacts(operation.noun)?.fields[name], operation.parameters[name]);
}

/** Fields that are not as they were seen, as they are now. What is hidden from this account cannot be compared. */
export function findMoved(call: ApiCall, seen: Row, observation: Observation): Row {
  const now = { ...observation.record, ...observation.before };
  const moved = Object.keys(seen).filter(
    (name) => now[name] !== undefined && !showsValue(seen[name], now[name], meaningOf(call, name)),
  );
  return selectFields(now, moved);
}

export function describeMove(run: Run, { call }: SentChange, seen: Row, now: Row): Promise<string> {
  const before = selectFields(seen, Object.keys(now));
  return describeEffect(run, { operation: call.operation.id, before, after: now });
}

export function createMovedResult(change: SentChange, what: string): SendResult {
  const hint = 'Nothing was sent for this record. Review it, then try again.';
  const failure = new Failure(`changed since: ${what}`, { code: 'moved', exit: EXIT.partial, hint });
  return createFailedResult(change, failure, 'skipped');
}

export function createUncheckedResult(change: SentChange, { problem, cause }: Observation): SendResult {
  const exit = cause?.exit ?? EXIT.tryLater;
  const message = 'not sent: the record could not be read, so it may have changed';
  return createFailedResult(change, new Failure(message, { code: 'unread', exit, reason: problem }));
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof Failure && error.exit === EXIT.signedOut;
}

/**
 * What a write changes: `hours a week: 40 → 32, role: Regular User → Team manager`; `''` where that is not known. Of a
 * new record that has a label all that it will be: `Mei Tanaka on Harbour website, 20 h a week`.
 */
export async function describeEffect(
  { output, names }: Pick<Run, 'output' | 'names'>,
  { operation, before, after, status, label, target }: Effect,
): Promise<string> {
  if (after === null) return describeDeletion(status);
  if (after?.['deleted_at'] === SOFT_DELETED.yes) return describeDeletion(status, 'archived');
  const fields = sortGraveFirst(Object.keys(after ?? {}));
  const columns = fields.map((field) => nameIds(names, createColumns(getFields(operation))(field)));
  const [was = [], will = []] = await output.inWords([before ?? {}, after ?? {}], columns);
  const describeField = ({ field, title }: Column, i: number): string => {
    const now = will[i] || '–';
    const text = before && Object.hasOwn(before, field) ? `${was[i] || '–'} → ${now}` : now;
    return `${title ?? nameField(field)}: ${text}`;
  };
  if (before !== undefined || label == null) return columns.map(describeField).join(', ');
  const cells = label.split(/ {2,}/).filter((cell) => cell !== target);
  const isSaid = (field: string, text: string): boolean =>
    [target, ...cells].includes(text) ||
    (field === 'project_id' && cells.includes(`on ${text}`)) ||
    (/^(first|last)name$/.test(field) && label.includes(text));
  const others = columns.flatMap((column, i) => {
    if (isSaid(column.field, will[i] ?? '')) return [];
    return column.field === 'weekly_hours_limit' ? `${will[i]} h a week` : describeField(column, i);
  });
  const named = cells.join(', ').replaceAll(', on ', ' on ');
  // One that has a name alone is shown by it.
  return [named, ...others].filter(Boolean).join(', ') || columns.map(describeField).join(', ');
}

type Effect = Pick<Result, 'operation' | 'before' | 'after'> & {
  readonly status?: string | undefined;
  readonly label?: string | null | undefined;
  readonly target?: string;
};

/** @param status of the write; absent: it is to come @param past what is done to a record that goes */
export function describeDeletion(status = 'planned', past: 'deleted' | 'archived' = 'deleted'): string {
  if (status === 'done') return past;
  return status === 'planned' ? `will be ${past}` : past.slice(0, -1);
}

/** What a write changed, or what has changed since, in words: `hours a week: 40 → 32`. */
export function createChangeColumn(run: Run): Column {
  const texts = new Map<Row, string>();
  return {
    field: 'change',
    derived: true,
    load: async (rows) => {
      for (const row of rows) {
        const { operation, before, after, status } = row as Row & Parameters<typeof describeEffect>[1];
        const was = before === null ? {} : { before };
        if (before !== null || after !== null)
          texts.set(row, await describeEffect(run, { operation, after, status, ...was }));
      }
    },
    show: (row) => texts.get(row) ?? '',
    least: 24,
    wrap: true,
  };
}

function nameField(field: string): string {
  return field.replaceAll('_', ' ');
}

export function getFields(operation: string): Fields {
  return findRecordFacts(operation.split('.')[0] ?? '')?.fields ?? {};
}

/** Stand for fields: what becomes of the whole record. */
const [DELETION, ARCHIVAL] = ['deletion', 'archiving'] as const;

/** Whoever agrees must not overlook these: what is gone, who somebody is, what is paid. By parameters and by fields. */
const GRAVE = [
  ...[DELETION, ARCHIVAL, 'deleted_at'],
  ...['role', 'current_role', 'email', 'rate', 'rate_type', 'rate_status'],
];

function rankField(field: string): number {
  const at = GRAVE.indexOf(field);
  return at < 0 ? GRAVE.length : at;
}

export function sortGraveFirst(fields: readonly string[]): readonly string[] {
  return [...fields].sort((a, b) => rankField(a) - rankField(b));
}

/**
 * Changes for a question: those of grave fields first, then those that few are like, how many change which field:
 * `role 1, hours a week 59`, and what of it cannot be undone.
 */
export async function rankChanges(changes: readonly Change[]) {
  const fields = new Map<string, { readonly title: string; count: number }>();
  const lasting: string[] = [];
  const ranked: { readonly change: Change; readonly rank: number; readonly kind: string }[] = [];
  const alike = new Map<string, number>();
  for (const change of changes) {
    const { changed, old, after = {} } = await findChanged(change);
    const kind = stringifyJson(changed.map((name) => [name, after[name]]));
    alike.set(kind, (alike.get(kind) ?? 0) + 1);
    for (const name of listLasting(change.call.operation, old)) lasting.push(name);
    ranked.push({ change, kind, rank: rankField(sortGraveFirst(changed)[0] ?? '') });
    for (const name of changed) {
      const title = getFields(change.call.operation.id)[name]?.title ?? nameField(name);
      fields.set(name, { title, count: (fields.get(name)?.count ?? 0) + 1 });
    }
  }
  ranked.sort((a, b) => a.rank - b.rank || (alike.get(a.kind) ?? 0) - (alike.get(b.kind) ?? 0));
  const counts = sortGraveFirst([...fields.keys()]).map((name) => fields.get(name));
  return {
    order: ranked.map(({ change }) => change),
    fields: counts.map((one) => `${one?.title} ${one?.count}`).join(', '),
    lasting: describeLasting(lasting),
  };
}

/** The fields of its record that a write changes, by the record's names; none of a new one. `old` where it was read. */
async function findChanged({ call, before }: Change) {
  const { operation, values } = call;
  const record = (await findReconciler(operation))?.record;
  if (record === undefined) return { changed: [] };
  const { after, old } = await record.effect(before ?? {}, values);
  if (after === null) return { changed: [DELETION] };
  if (operation.method === 'DELETE' && /^\/[\w-]+\/\{\w+\}$/.test(operation.path))
    return { changed: [ARCHIVAL] };
  const { shownAs = {} } = findRecordFacts(operation.noun) ?? {};
  const sent = listSentFields(operation, values).map(([name]) => shownAs[name] ?? name);
  const changed = sent.filter((field) => Object.hasOwn(after, field));
  return { changed, after, old: before === undefined ? undefined : old };
}

/** Which record it is, in a few words; undefined where none are known. @param load whether names are fetched for it */
export async function describeRecord(
  { output, names }: Run,
  { call, target, labelColumns }: Pick<Change, 'call' | 'target' | 'labelColumns'>,
  record: Row,
  { load = true, style }: { readonly load?: boolean; readonly style?: WordStyle } = {},
): Promise<string | undefined> {
  const known = labelColumns ?? (await loadRecordWords(call.operation.noun, names));
  const columns = load ? known : known.map(({ load: _, ...column }) => column);
  const [words = []] = await output.inWords([record], columns, style);
  // Whose name is not known is left out.
  const ids = Object.keys(record).flatMap((name) => (name.endsWith('_id') ? toText(record[name]) : []));
  const isKnown = (word: string): boolean => !ids.includes(word.replace(/^on /, ''));
  // When and how much say nothing without whose.
  if (!load && !isKnown(words[0] ?? '')) return undefined;
  const label = load ? words : words.filter(isKnown);
  return getLabel({ target, id: toText(record['id'] ?? ''), words: label });
}

/** What a write sets, as far as that is known without its record; null: the record will be gone. */
export async function findSent(
  { operation, values }: Pick<ApiCall, 'operation' | 'values'>,
  names?: Run['names'],
  load = true,
): Promise<Row | null | undefined> {
  const { fields, record } = (await findReconciler(operation)) ?? {};
  const set = (await fields?.(values, names, load)) ?? record?.sets?.(values);
  return set ?? (await record?.effect({}, values))?.after;
}

/** Which record it is, in the words of what this run has read anyway, or of what is sent: no request is made for it. */
export async function describeKnown(
  run: Run,
  change: SentChange & Pick<Change, 'before' | 'labelColumns'>,
  { observation, data }: Pick<SendResult, 'observation' | 'data'> = {},
): Promise<string | undefined> {
  const { call } = change;
  const ids = call.operation.path.split('{').length - 1;
  let record = observation?.record ?? change.before;
  if (run.lists.records.size > 0) record ??= await findKnownRecord(run, call);
  const answer = isRecord(data) && !isOtherRecord(call, data) ? data : undefined;
  if (ids === 0) record = { ...(await findSent(call, run.names, false)), ...record, ...answer };
  record ??= ids === 1 ? answer : undefined;
  if (record === undefined) return undefined;
  const labelColumns = change.labelColumns?.filter(isLasting);
  // Where it was named by its name, that stands in its label all the same.
  const label = await describeRecord(run, { ...change, target: '', labelColumns }, record, { load: false });
  return label && String(call.redact(label));
}

/** The record of a write as a list has it that this run has read; no request is made for it. */
export async function findKnownRecord(
  { api, lists }: Run,
  { operation, values }: ApiCall,
): Promise<Row | undefined> {
  if (operation.path.split('{').length !== 2) return undefined;
  const { record } = (await findReconciler(operation)) ?? {};
  const [list] = record?.lists?.(api, [values]) ?? [];
  return list && lists.find(list, record?.key(values) ?? '');
}

export interface Selected {
  readonly target: string;
  readonly id: string;
  readonly before?: Row | undefined;
  readonly words: readonly string[];
  readonly columns?: readonly Column[] | undefined;
}

export function getLabel({ target, id, words }: Selected): string | undefined {
  const isTarget = (word: string): boolean => word.toLowerCase() === target.toLowerCase();
  const known = words.filter((word) => word !== '' && word.toLowerCase() !== id.toLowerCase());
  // What names it stays, though it be what was typed.
  const label = known.filter((word, i) => i === 0 || !isTarget(word));
  return label.every(isTarget) ? undefined : label.join('  ');
}

/** What a write changes, or time does: what a record was before must not pass for what it is. */
const CHANGING: ReadonlySet<unknown> = new Set(['state', 'age', 'list', 'status', 'created_at']);

export function isLasting({ field, kind }: Column): boolean {
  return !CHANGING.has(kind) && !CHANGING.has(field);
}
