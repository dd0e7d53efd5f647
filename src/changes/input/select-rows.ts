import type { ApiCall } from '../../api/client.ts';
import { type Field, filterFields } from '../../api/fields.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { findRecordFacts } from '../../api/records.ts';
import { EXIT, Failure, UsageError } from '../../errors.ts';
import { isRecord, parseJson, stringifyJson, toText } from '../../json.ts';
import { getMeaning, isSameValue, type Meaning, toIsoDay } from '../../parsing/names.ts';
import { quoteText, shortenText } from '../../parsing/text.ts';
import { listSentFields } from '../../resources/proof.ts';
import { findReconciler } from '../../resources/registry.ts';
import type { Run } from '../../run.ts';
import { createFailedResult, resultOf } from '../accepted.ts';
import type { Change, Observation, Selection, SendResult, Write } from '../change.ts';
import { describeEarlierJob } from '../jobs.ts';
import { keepValues } from '../kept.ts';
import { createLook, describeEffect, describeRecord, findSent, NOT_FOUND, sortGraveFirst } from '../look.ts';
import { createAlikeResult, findLikes } from '../proof.ts';
import type { InputCell } from './columns.ts';
import { type InputRow, type InputRows, readInputFile } from './file.ts';
import { isNameError, RowProblems } from './files.ts';

/**
 * The rows of `--from-file`: one write each. Of a file that is to change records only cells that say something else are
 * sent, and a cell that cannot be changed has to say what its record says.
 */

/**
 * Checks every row, and looks the names up.
 * @param options `all`, `ifMissing` and `skipMissing` as commander parsed them
 * @throws UsageError that tells all that is wrong with the rows
 */
export async function selectRows(run: Run, work: Write, options: Values): Promise<Selection> {
  const { targets, record: named, shown = work.all, facts = [] } = work;
  const refuse = (other: string): never => {
    throw new UsageError(`--from-file cannot be used with ${other}`);
  };
  if (named?.given !== undefined) refuse(`a named ${named.name}`);
  if (targets !== undefined && options.all === true) refuse('--all');
  if (targets !== undefined && targets.length > 0) refuse('named targets');
  const read = await readInputFile(run, work, options.skipMissing === true);
  const { name: file, rows, input } = read;
  const requests = rows.map((row): RowRequest => {
    const { id = '', values } = row;
    const target = row.target ?? work.target?.(values) ?? `row ${row.number}`;
    return { row, values, target, call: work.call(id, values) };
  });
  const compared = await compareWithRecords(run, requests, work, read, options.skipMissing === true);
  const knownResults = new Map<number, SendResult>();
  for (const [n, { known }] of compared.entries()) if (known !== undefined) knownResults.set(n, known);
  // Of rows that make records: which are alike, and which are there already.
  const isIfMissing = options.ifMissing === true;
  const calls = requests.map(({ call }) => call);
  const find = isIfMissing ? await findLikes(run.api, calls) : undefined;
  const [first] = requests;
  const reconciler = isIfMissing && first ? await findReconciler(first.call.operation) : undefined;
  const changes = requests.map(({ row, target, ...request }, n): Change => {
    const { values = request.values, record: before } = compared[n] ?? {};
    const like = find?.(request.call);
    if (like !== undefined) knownResults.set(n, createAlikeResult({ target, call: request.call }, like));
    const call = compared[n]?.values === undefined ? request.call : work.call(row.id ?? '', values);
    // Of many targets the same id with other values is another write: a viewer on another project.
    const same = targets && stringifyJson([row.id, request.values]);
    const key = same ?? reconciler?.duplicateKey?.(request.call.values) ?? `row ${row.number}`;
    const { columns } = row;
    return { n, key, target, labelColumns: shown?.columns, before, after: values, call, columns };
  });
  // A person is told; who sends the same file every night knows. What is made only if missing may run any number of times.
  const isAsked = run.prompter.available && !isIfMissing && rows.length > 0;
  const earlier = isAsked && input ? await describeEarlierJob(run, work.verb, input) : undefined;
  if (earlier !== undefined) run.output.warn(earlier);
  return {
    changes,
    words: (change) => describeRow(run, change, rows[change.n]?.id),
    facts: [`file       ${file}`, ...facts],
    noneMessage: `${file} has no rows.`,
    knownResults,
    input,
  };
}

interface RowRequest {
  readonly row: InputRow;
  readonly values: Values;
  readonly call: ApiCall;
  readonly target: string;
}

interface ComparedRow {
  /** What is sent; absent: all that the row says. */
  readonly values?: Values;
  readonly record?: Row;
  readonly known?: SendResult;
}

/**
 * Of an update: what is left of each row beside its record. The records are read many at once where that takes fewer
 * requests.
 * @throws UsageError for cells that cannot be changed
 */
async function compareWithRecords(
  run: Run,
  requests: readonly RowRequest[],
  work: Write,
  { name, before: base }: InputRows,
  skipMissing: boolean,
): Promise<readonly ComparedRow[]> {
  const present = requests.filter(({ row }) => !row.missing).map(({ call }) => call);
  const look = work.record === undefined ? undefined : await createLook(run, present);
  const problems = new RowProblems(name);
  const compared: ComparedRow[] = [];
  let unread: string | undefined;
  for (const request of requests) {
    const found = (!request.row.missing && (await look?.(request.call))) || {};
    const { record, after, problem, cause } = found;
    const isNone = problem === NOT_FOUND;
    let one: ComparedRow = {};
    if (request.row.missing || (isNone && skipMissing))
      one = { known: resultOf(request, 'skipped', { message: NOT_FOUND }) };
    else if (record !== undefined && after != null)
      one = compareRow(request, record, after, base?.get(request.target), problems);
    else if (look !== undefined && base !== undefined && !isNone)
      // Without the record nobody can tell what others changed since.
      throw new Failure('--base needs the records as they are now, and they could not be read', {
        code: 'unread',
        exit: cause?.exit ?? EXIT.tryLater,
        reason: problem,
        hint: 'Nothing was sent. Use an account that may read them, or try again later.',
      });
    else {
      if (!isNone) unread ??= problem;
      addMisread(request.row, problems);
    }
    compared.push(await completeRow(run, work, request, one, found, problems));
  }
  if (unread !== undefined)
    run.output.warn(`The records could not be read (${unread}), so every cell of the file is sent.`);
  problems.throwIfAny();
  return compared;
}

/** Of a row whose record could not be read: all of its cells are sent. */
function addMisread({ number, cells = [] }: InputRow, problems: RowProblems): void {
  for (const { column, misread } of cells)
    if (misread !== undefined) problems.add(number, `${column}: ${misread.message}`, misread.hint);
}

/** What a row says otherwise than its record, but for cells that only somebody else has changed. */
function compareRow(
  request: RowRequest,
  record: Row,
  after: Row,
  base: readonly InputCell[] | undefined,
  problems: RowProblems,
): ComparedRow {
  const { row, values, call } = request;
  const { parameters } = call.operation;
  const { shownAs = {} } = findRecordFacts(call.operation.noun) ?? {};
  const cells = row.cells ?? [];
  const changed = new Set<string>();
  const conflicts: [column: string, words: string][] = [];
  for (const cell of cells) {
    // A cell that is not there was empty.
    const before = base && (base.find(({ field }) => field === cell.field)?.text ?? '');
    const found = compareCell(cell, call, record, after, before);
    if (typeof found === 'string') problems.add(row.number, found, cell.misread?.hint);
    else if (found?.words !== undefined) conflicts.push([cell.column, found.words]);
    else if (found !== undefined) changed.add(cell.parameter ?? '');
  }
  if (conflicts.length > 0) {
    const fields = conflicts.map(([column]) => column).join(', ');
    const reason = conflicts.map((conflict) => conflict.join(': ')).join('; ');
    const hint = 'Export the records again, and repeat the edits.';
    const details = { code: 'conflict', exit: EXIT.refused, reason, hint } as const;
    const failure = new Failure(`changed by somebody else too: ${fields}`, details);
    const known = { ...createFailedResult(request, failure), message: `${failure.message}: ${reason}` };
    return { record, known };
  }
  // What flags say for all rows.
  for (const [name] of listSentFields(call.operation, values))
    if (!cells.some(({ parameter }) => parameter === name) && Object.hasOwn(after, shownAs[name] ?? name))
      changed.add(name);
  if (changed.size === 0) return { known: resultOf(request, 'unchanged') };
  // What changes, and what no record shows: where the request goes, and raw fields.
  const isSent = (name: string): boolean =>
    changed.has(name) || parameters[name]?.place === 'both' || !Object.hasOwn(parameters, name);
  return { values: filterFields(values, isSent), record };
}

/** With what its record keeps. What a request of the row lacks is a problem of the file. */
async function completeRow(
  run: Run,
  work: Write,
  { row, values: all, call: { operation } }: RowRequest,
  one: ComparedRow,
  found: Observation,
  problems: RowProblems,
): Promise<ComparedRow> {
  const { known, values: given = operation.keeps && all } = one;
  if (known !== undefined || given === undefined) return one;
  const toCall = (values: Values) => work.call(row.id ?? '', values);
  try {
    const values = { ...given, ...(await keepValues(run, toCall(given), found)) };
    toCall(values).check();
    return { ...one, values };
  } catch (error) {
    if (!isNameError(error) && !(error instanceof UsageError)) throw error;
    problems.add(row.number, error.tell('. '), error.hint, error.exit);
    return one;
  }
}

/**
 * @param before the same cell of the earlier export
 * @returns undefined where nothing is to be sent; `words` of a value that somebody else has changed too; a sentence for
 *   a cell that cannot be changed, and says something else than the record
 */
function compareCell(
  { column, field, parameter, text, misread }: InputCell,
  { operation }: ApiCall,
  record: Row,
  after: Row,
  before: string | undefined,
): { readonly words?: string } | string | undefined {
  const about = findRecordFacts(operation.noun)?.fields[field];
  const shown = record[field];
  const isValue = (one: string, value: unknown): boolean =>
    isShown(one, value, about, parameter === undefined ? {} : operation.parameters[parameter]);
  const isEdited = before === undefined || !isValue(text, parseCellText(before));
  if (!isEdited || isValue(text, shown)) return undefined;
  if (parameter === undefined) {
    // Times change with every write, and what is hidden cannot be compared.
    if (about?.format === 'date-time' || shown === undefined) return undefined;
    const has = shown === null || shown === '' ? 'none' : quoteText(toText(shown));
    return `${column}: ${quoteText(text)} cannot be set (the record has ${has})`;
  }
  if (!Object.hasOwn(after, field)) return undefined;
  if (misread !== undefined) return `${column}: ${misread.message}`;
  if (before === undefined || isValue(before, shown)) return {};
  const here = quoteText(toText(shown ?? ''));
  return { words: `${quoteText(before)} became ${quoteText(text)} in the file and ${here} at the service` };
}

/** A row in a few words: what it changes of its record, where that was read; else its cells, what names it first. */
export async function describeRow(run: Run, change: Change, recordId?: string): Promise<readonly string[]> {
  const { target, columns, before, call } = change;
  if (before !== undefined) {
    const look = await createLook(run, [call]);
    const { after, before: old } = (await look(call, before)) ?? {};
    const label = await describeRecord(run, change, before);
    const effect = { operation: call.operation.id, after, ...(old && { before: old }) };
    return [label ?? '', await describeEffect(run, effect), target];
  }
  const isNew = !call.operation.path.includes('{');
  const after = isNew || call.operation.undo?.kind === 'values' ? await findSent(call, run.names) : undefined;
  if (after !== undefined) {
    const label = isNew && after !== null ? ((await describeRecord(run, change, after)) ?? '') : undefined;
    const text = await describeEffect(run, { operation: call.operation.id, after, label, target });
    return /^(row|new) /.test(target) ? [text, target] : [target, text];
  }
  const cells = sortGraveFirst(Object.keys(columns))
    .map((name) => columns[name] ?? '')
    .filter((cell) => cell.trim() !== '' && cell !== target);
  const id = recordId === undefined || recordId === target ? [] : [`(${recordId})`];
  return [target, ...id, ...cells.map((cell) => shortenText(cell.trim().replace(/\s+/g, ' ')))];
}

/** A cell of another file, or of JSON in a cell of CSV, as a value. */
export function parseCellText(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  const parsed = parseJson(text);
  return 'value' in parsed ? parsed.value : text;
}

/** Whether a cell says what the record shows, in either form that a day, a number or a word is written in. */
export function isShown(
  text: string,
  shown: unknown,
  field: Field | undefined,
  parameter?: Meaning,
): boolean {
  const isCompound = (value: unknown): boolean => isRecord(value) || Array.isArray(value);
  const value = parseCellText(text);
  if (isCompound(value) && isCompound(shown) && stringifyJson(value) === stringifyJson(shown)) return true;
  if (isCompound(shown) && !(Array.isArray(shown) && shown.every((item) => !isCompound(item)))) return false;
  const day = field?.kind === 'date' && typeof value === 'string' ? toIsoDay(value) : value;
  return isSameValue(day, shown, getMeaning(field, parameter));
}
