import type { ApiCall } from '../../api/client.ts';
import type { Field } from '../../api/fields.ts';
import { nounOf } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { findResource } from '../../api/records.ts';
import type { Context } from '../../context.ts';
import { EXIT, Failure, toFailureJson, UsageError } from '../../errors.ts';
import { isRecord, parseJson, stringifyJson, toText } from '../../json.ts';
import type { Result } from '../../output/result.ts';
import { getMeaning, isSameValue, type Meaning, toIsoDay } from '../../parsing/names.ts';
import { quoteText } from '../../parsing/text.ts';
import { listSentFields } from '../../resources/reconcile/sent-fields.ts';
import { createLook, type Look } from '../effect.ts';
import { createMissingResult } from '../send.ts';
import { NOT_FOUND, type SendResult } from '../send-result.ts';
import type { InputRow } from './file.ts';
import type { RowProblems } from './row-problems.ts';
import type { InputCell } from './schema.ts';

/**
 * The rows of a file that is to change records, beside these records: only cells that say something else are sent, and a
 * cell that cannot be changed has to say what its record says.
 */

export interface ComparedRow {
  /** What is sent; absent: all that the row says. */
  readonly values?: Values;
  readonly record?: Row;
  readonly known?: SendResult;
}

interface RowRequest {
  readonly row: InputRow;
  readonly values: Values;
  readonly call: ApiCall;
  readonly target: string;
  readonly known?: Row;
}

interface CompareOptions {
  /** The rows of an earlier export by what names their records. */
  readonly base: ReadonlyMap<string, readonly InputCell[]> | undefined;
  readonly skipMissing: boolean;
  readonly problems: RowProblems;
}

const createConflict = (
  { call, target }: RowRequest,
  conflicts: readonly Conflict[],
  record: Row,
): SendResult => {
  const reason = conflicts
    .map(
      ([{ column, field, text }, base]) =>
        `${column}: ${quoteText(base)} became ${quoteText(text)} in the file and ${quoteText(toText(record[field] ?? ''))} at the service`,
    )
    .join('; ');
  const fields = conflicts.map(([{ column }]) => column);
  const what = fields.length === 1 ? `${fields[0]} was` : `${fields.join(', ')} were`;
  const failure = new Failure(`${what} changed by somebody else too`, {
    code: 'conflict',
    exit: EXIT.refused,
    reason,
    hint: 'Export the records again, and repeat the edits.',
  });
  return { result: toResult({ call, target }, 'failed', failure), failure };
};

/** Without the record nobody can tell what others changed since. */
const createUnreadError = (problem: string | undefined, cause: Failure | undefined): Failure =>
  new Failure('--base needs the records as they are now, and they could not be read', {
    code: 'unread',
    exit: cause?.exit ?? EXIT.tryLater,
    reason: problem,
    hint: 'Nothing was sent. Use an account that may read them, or try again later.',
  });

const toResult = (
  { call, target }: Pick<RowRequest, 'call' | 'target'>,
  status: Result['status'],
  failure?: Failure,
): Result => ({
  target,
  status,
  operation: call.operation.id,
  ...(failure && {
    message: [failure.message, failure.reason].filter(Boolean).join(': '),
    error: toFailureJson(failure),
  }),
});

type Conflict = readonly [cell: InputCell, base: string];

/**
 * @param after the fields that all of the row would change
 * @param before the same cell of the earlier export
 * @returns a sentence for one that cannot be changed, and says something else than the record
 */
const compareCell = (
  { column, field, parameter: name, text }: InputCell,
  { operation }: ApiCall,
  record: Row,
  after: Row,
  before: string | undefined,
): { readonly is: 'same' | 'changed' | 'conflict' } | string => {
  const about = findResource(nounOf(operation))?.fields[field];
  const shown = record[field];
  const isValue = (one: string, value: unknown): boolean =>
    isShown(one, value, about, name === undefined ? {} : operation.parameters[name]);
  const isEdited = before === undefined || !isValue(text, parseCellText(before));
  if (!isEdited || isValue(text, shown)) return { is: 'same' };
  if (name !== undefined) {
    if (!Object.hasOwn(after, field)) return { is: 'same' };
    return { is: before === undefined || isValue(before, shown) ? 'changed' : 'conflict' };
  }
  // Times change with every write, and what is hidden cannot be compared.
  if (about?.format === 'date-time' || shown === undefined) return { is: 'same' };
  const has = shown === null || shown === '' ? 'none' : quoteText(toText(shown));
  return `${column}: ${quoteText(text)} cannot be set (the record has ${has})`;
};

/** The parameters whose cells, or flags, say something else than the record, and cells that both have changed. */
const compareCells = (
  { row, values, call }: RowRequest,
  record: Row,
  after: Row,
  base: readonly InputCell[] | undefined,
  problems: RowProblems,
) => {
  const { shownAs = {} } = findResource(nounOf(call.operation)) ?? {};
  const cells = row.cells() ?? [];
  const changed = new Set<string>();
  const conflicts: Conflict[] = [];
  for (const cell of cells) {
    // A cell that is not there was empty.
    const before = base && (base.find(({ field }) => field === cell.field)?.text ?? '');
    const found = compareCell(cell, call, record, after, before);
    if (typeof found === 'string') problems.add(row.number, found);
    else if (found.is === 'conflict') conflicts.push([cell, before ?? '']);
    else if (found.is === 'changed' && cell.parameter !== undefined) changed.add(cell.parameter);
  }
  const inCells = new Set(cells.map(({ parameter }) => parameter));
  for (const [name] of listSentFields(call.operation, values))
    if (!inCells.has(name) && Object.hasOwn(after, shownAs[name] ?? name)) changed.add(name);
  return { changed, conflicts };
};

/** What is sent of a row: what changes, and what no request of the operation is without. */
const narrowValues = ({ call, values }: RowRequest, changed: ReadonlySet<string>): Values => {
  const { parameters } = call.operation;
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => {
      const { required, place } = parameters[name] ?? {};
      return changed.has(name) || required === true || place === 'both' || !Object.hasOwn(parameters, name);
    }),
  );
};

interface RowCompare extends CompareOptions {
  readonly look: Look;
  readonly create: (row: InputRow, values: Values) => ApiCall;
}

/** @returns why its record could not be read, where that is so */
const compareRow = async (
  request: RowRequest,
  { look, create, base, skipMissing, problems }: RowCompare,
): Promise<ComparedRow & { readonly unread?: string }> => {
  const { row, target, call, known } = request;
  const { record, after, problem, cause } = (await look(call, known)) ?? {};
  if (record === undefined || after == null) {
    if (problem !== NOT_FOUND && base !== undefined) throw createUnreadError(problem, cause);
    if (problem !== NOT_FOUND) return problem === undefined ? {} : { unread: problem };
    return skipMissing ? { known: createMissingResult(request) } : {};
  }
  const { changed, conflicts } = compareCells(request, record, after, base?.get(target), problems);
  if (conflicts.length > 0) return { record, known: createConflict(request, conflicts, record) };
  if (changed.size === 0) return { known: { result: toResult(request, 'unchanged') } };
  const values = narrowValues(request, changed);
  try {
    create(row, values).check();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    problems.add(row.number, error.message, error.hint);
  }
  return { values, record };
};

/**
 * Reads the records of the rows, many at once where that takes fewer requests, and compares.
 * @param create the write of a row with these values
 */
export const compareRows = async (
  context: Context,
  requests: readonly RowRequest[],
  create: RowCompare['create'],
  options: CompareOptions,
): Promise<readonly ComparedRow[]> => {
  const calls = requests.map(({ call }) => call);
  const rules = { ...options, create, look: await createLook(context, calls) };
  const compared: ComparedRow[] = [];
  let why: string | undefined;
  for (const request of requests) {
    const { unread, ...row } = await compareRow(request, rules);
    why ??= unread;
    compared.push(row);
  }
  if (why !== undefined)
    context.output.warn(`The records could not be read (${why}), so every cell of the file is sent.`);
  return compared;
};

/** A cell of another file, or of JSON in a cell of CSV, as a value. */
export const parseCellText = (text: string): unknown => {
  if (!/^[[{]/.test(text)) return text;
  const parsed = parseJson(text);
  return 'value' in parsed ? parsed.value : text;
};

const isCompound = (value: unknown): boolean => isRecord(value) || Array.isArray(value);

/** Whether a cell says what the record shows, in either form that a day, a number or a word is written in. */
export const isShown = (
  text: string,
  shown: unknown,
  field: Field | undefined,
  parameter?: Meaning,
): boolean => {
  const value = parseCellText(text);
  if (isCompound(value) && isCompound(shown) && stringifyJson(value) === stringifyJson(shown)) return true;
  if (isCompound(shown) && !(Array.isArray(shown) && shown.every((item) => !isCompound(item)))) return false;
  const day = field?.kind === 'date' && typeof value === 'string' ? toIsoDay(value) : value;
  return isSameValue(day, shown, getMeaning(field, parameter));
};
