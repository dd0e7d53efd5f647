import { type ApiCall, buildCall } from '../api/client.ts';
import { filterFields, selectFields } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { toNumber } from '../json.ts';
import { isSameValue } from '../parsing/names.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { createFailedResult, formatUnset, listUnset } from './accepted.ts';
import type { Change, Observation, SendResult } from './change.ts';
import { checkDestination, findEntries, formatStart, getEntryStatus } from './jobs.ts';
import { formatEntryId, type StoredWrite } from './journal.ts';
import { toSendable } from './kept.ts';
import { buildStoredCall } from './log.ts';
import {
  createLook,
  createMovedResult,
  describeEffect,
  describeMove,
  type Look,
  meaningOf,
  NOT_FOUND,
  pickSeen,
} from './look.ts';
import { listRemakeLines } from './report.ts';
import { confirmChanges, SAMPLE_SIZE } from './select.ts';
import { RunStore, requireRun } from './store.ts';
import { checkWritable, writeChanges } from './write.ts';

/** Takes writes back: by the opposite write, which is found from the entry, and from the record as it is now. */

const WORDS = { verb: ['undo', 'undone'], noun: ['change', 'changes'] } as const;

/** @param id of an entry or a run @throws UsageError where nothing can be undone; else as `writeChanges` */
export async function undoEntries(run: Run, id: string, options: Values): Promise<void> {
  const { output, settings, api } = run;
  checkWritable(run);
  await output.checkNames();
  const store = new RunStore(run);
  const { run: source, entries } = findEntries(store, id);
  if (id === source.id) requireRun(source, store, true);
  const { head } = source;
  await checkDestination(run, head, id, ['undo', id]);
  const all = await Promise.all(entries.toReversed().map((entry) => invert(run, entry)));
  const impossible = all.filter((one) => 'why' in one);
  const reversals = all.filter((one) => 'call' in one);
  const gone = entries.flatMap(({ operation, before, after }) =>
    before !== null && after === null ? [[operation, before] as const] : [],
  );
  // The file is of a whole run.
  const isWhole = findEntries(store, source.id).entries.length === entries.length;
  const kept = isWhole ? listKeptLines(source.id, entries) : [];
  const remakes = reversals.length > 0 ? [] : await listRemakeLines(run, gone);
  if (reversals.length === 0)
    throw new UsageError(`${id} cannot be undone`, {
      code: 'not_undoable',
      reason: [...new Set(impossible.map(({ why }) => why))].join('; '),
      hint: [`See what it did: ${commandLine`ttctl history show ${id}`}`, ...kept, ...remakes].join('\n'),
    });
  const force = options.force === true;
  const { changes, knownResults, observations } = await toChanges(run, source.id, reversals, force);
  for (const why of new Set(impossible.map((one) => one.why))) {
    const left = impossible
      .filter((one) => one.why === why)
      .map(({ entry: { label, target } }) => label?.replace(/ {2,}/g, ' ') ?? target);
    const more = left.length > SAMPLE_SIZE ? `, and ${left.length - SAMPLE_SIZE} more` : '';
    output.warn(`${left.slice(0, SAMPLE_SIZE).join(', ')}${more} left unchanged: ${why}`);
  }
  for (const line of kept) output.note(line);
  const facts = [`undoes     ${head.command}`, `sent       ${formatStart(head)}`];
  const unset = new Set(changes.flatMap((change) => change.unset ?? []));
  if (unset.size > 0) facts.push(`!          ${formatUnset([...unset])}`);
  const selection = {
    changes: [...changes],
    knownResults,
    facts,
    noneMessage: 'Nothing to undo.',
    words: async ({ n, target, label, call }: Change) => {
      const { before = {}, after } = observations[n] ?? {};
      const effect = { operation: call.operation.id, before, after };
      return [label ?? '', after === undefined ? '' : await describeEffect(run, effect), target];
    },
  };
  const write = { ...WORDS, needsConfirmation: true };
  const confirmed = await confirmChanges(run, write, selection, options);
  // What stays as it is, as rows of the run: it ends as one that is not all done.
  for (const { entry, why, harmless } of settings.dryRun.value ? [] : impossible) {
    const { operation, target, columns = { id: target } } = entry;
    const call = buildStoredCall(api, entry) ?? buildCall(api, operation, {});
    if (call === undefined || harmless === true) continue;
    const n = changes.length;
    const failure = new Failure(`cannot be undone: ${why}`, { code: 'not_undoable', exit: EXIT.partial });
    knownResults.set(n, createFailedResult({ target, call }, failure));
    const key = formatEntryId(source.id, entry.n - 1);
    changes.push({ n, key, target, label: entry.label ?? undefined, columns, after: {}, call });
  }
  const exitCode = options.exitCode === true;
  await writeChanges(run, { ...WORDS, undoes: id, changes, knownResults, confirmed, exitCode });
}

/** The command lines of files with the old values of what cannot be cleared: to be set as a record's own. */
function listKeptLines(runId: string, entries: readonly StoredWrite[]): readonly string[] {
  const names = entries.flatMap(({ operation, old, before }) =>
    listUnset(findOperation(operation), old).filter((name) => before?.[name] != null),
  );
  return [...new Set(names)].map((name) => {
    const columns = `id=target,${name}=before.${name}`;
    const line = commandLine`ttctl history list --run ${runId} --columns ${columns} --output csv`;
    return `The old ${name.replaceAll('_', ' ')} of each, for --from-file: ${line}`;
  });
}

interface Impossible {
  readonly entry: StoredWrite;
  readonly why: string;
  readonly harmless?: boolean;
}

interface Reversal {
  readonly entry: StoredWrite;
  readonly call: ApiCall;
  readonly original: ApiCall;
  readonly unset: readonly string[];
}

const NO_OPERATION = 'this version of ttctl has no such operation';

async function invert(run: Run, entry: StoredWrite): Promise<Reversal | Impossible> {
  const { api } = run;
  const { old, created } = entry;
  const status = getEntryStatus(entry);
  if (status === 'failed') return { entry, why: 'it failed, so there is nothing to undo', harmless: true };
  if (status === 'unknown') return { entry, why: 'it is not known whether it was carried out' };
  const operation = findOperation(entry.operation);
  const { undo } = operation ?? {};
  if (operation === undefined || undo === undefined)
    return { entry, why: 'ttctl does not know what a raw request changed' };
  if (undo.kind === 'none') return { entry, why: undo.why };
  const original = buildStoredCall(api, entry);
  if (original === undefined) return { entry, why: 'its values contain a secret, so they were not stored' };
  const toReversal = (by: Operation, values: Values, unset: readonly string[] = []) => {
    const call = buildCall(api, by.id, values);
    return call === undefined ? { entry, why: NO_OPERATION } : { entry, call, original, unset };
  };
  if (undo.kind === 'values') {
    if (old === undefined) return { entry, why: 'the old values were not recorded' };
    const { parameters } = operation;
    const unset = listUnset(operation, old);
    const left = filterFields(old, (name) => !unset.includes(name));
    if (Object.keys(left).length === 0)
      return { entry, why: unset.length === 0 ? 'no old value is known' : formatUnset(unset) };
    // What no request of the operation is without, as it was sent.
    const needed = filterFields(original.values, (name) => {
      const isKept = operation.keeps?.includes(name) === true;
      return isInPath(operation, name) || isKept || parameters[name]?.place === 'both';
    });
    return toReversal(operation, { ...needed, ...(await toSendable(run, operation, left)) }, unset);
  }
  const by = findOperation(undo.by);
  if (by === undefined) return { entry, why: NO_OPERATION };
  // What the opposite needs to be sent: what its path names, its other values, and what says which record it is.
  const values = filterFields(
    original.values,
    (name) => isInPath(by, name) || Object.hasOwn(by.parameters, name),
  );
  if (undo.kind === 'opposite') return toReversal(by, values);
  if (created === undefined) return { entry, why: 'the service did not say which record it made' };
  const [, name = 'id'] = /\{(\w+)\}/.exec(by.path) ?? [];
  return toReversal(by, { ...values, [name]: created });
}

function isInPath({ path }: Operation, name: string): boolean {
  return path.includes(`{${name}}`);
}

/** @param force also where somebody has changed the record since */
async function toChanges(run: Run, id: string, reversals: readonly Reversal[], force: boolean) {
  const calls = reversals.map(({ call }) => call);
  const originals = reversals.map(({ original }) => original);
  for (const call of calls) call.check();
  const [look, lookAtOriginal] = [await createLook(run, calls), await createLook(run, originals)];
  /** By place: what is not sent, for somebody has changed the record since. */
  const knownResults = new Map<number, SendResult>();
  const observations: Observation[] = [];
  const changes: Change[] = [];
  for (const [n, reversal] of reversals.entries()) {
    const { entry, call, unset } = reversal;
    const { target: given, created, columns = { id: given } } = entry;
    const observation = (await look(call)) ?? {};
    observations.push(observation);
    const later = force ? undefined : await findLaterChange(run, reversal, observation, lookAtOriginal);
    const target = created ?? given;
    if (later !== undefined) knownResults.set(n, createMovedResult({ target, call }, later));
    const seen = force ? undefined : pickSeen(call.operation.id, observation);
    const key = formatEntryId(id, entry.n - 1);
    const label = entry.label ?? (created === undefined ? undefined : given);
    changes.push({ n, key, target, label, columns, call, after: call.values, seen, unset });
  }
  return { changes, knownResults, observations };
}

/** What of the write does not stand any more: another has changed it since. Undefined: all of it stands. */
async function findLaterChange(
  run: Run,
  { entry, call, original }: Reversal,
  { problem, unchanged, record }: Observation,
  lookAtOriginal: Look,
): Promise<string | undefined> {
  if (problem === NOT_FOUND) return 'the record is gone';
  // What is as the undo would make it is left alone.
  if (unchanged === true) return undefined;
  const { target, created, made = {} } = entry;
  const stands = await lookAtOriginal(original);
  if (created !== undefined) {
    if (record === undefined) return undefined;
    // The service may write a field otherwise in its answer than in a list: only the same kinds are compared.
    const typeOf = (value: unknown) => (Number.isNaN(toNumber(value)) ? typeof value : 'number');
    const isComparable = (name: string): boolean =>
      [made[name], record[name]].includes(null) || typeOf(made[name]) === typeOf(record[name]);
    const then: Row = { ...filterFields(made, isComparable), ...stands?.after };
    const isEdited = (name: string): boolean =>
      record[name] !== undefined && !isSameValue(then[name], record[name], meaningOf(original, name));
    const edited = Object.keys(then).filter(isEdited);
    const now = selectFields(record, edited);
    return edited.length === 0 ? undefined : describeMove(run, { call, target }, then, now);
  }
  const { after, before = {} } = stands ?? {};
  // What the record does not show cannot be compared.
  const isShown = Object.keys(before).length > 0;
  if (stands?.unchanged === true || after == null || !isShown) return undefined;
  return describeMove(run, { call: original, target }, after, before);
}
