import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { NamedKind } from '../../api/fields.ts';
import { checkRequired } from '../../api/plan.ts';
import { takeTurn } from '../../clock.ts';
import { type CheckedValue, toExtra, type UnresolvedNames } from '../../commands/values.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { MAX_ROWS, shortenText } from '../../parsing/text.ts';
import type { FindId } from '../../resources/names.ts';
import type { Run } from '../../run.ts';
import {
  createRowProblems,
  decodeText,
  isNameError,
  nameInput,
  type RowProblems,
  readBytes,
} from './files.ts';
import { createTooManyRowsError, type RawRow, readRows } from './rows.ts';
import { type CheckedRow, type InputCell, RowSchema } from './schema.ts';

/**
 * The rows of `--from-file`: all are checked, all names in them looked up, each once, and all that is wrong is told
 * together before the first write.
 */

/** A row that has been checked, its names looked up. */
export interface InputRow {
  /** Its line in the file, or its number in a JSON array. */
  readonly number: number;
  /** The record that it is about, as written; `undefined` for a command that makes one. */
  readonly target: string | undefined;
  readonly id: string | undefined;
  /** Whether no record has its name, and that is passed over. */
  readonly missing: boolean;
  /** By the API's names, those of the flags among them. */
  values(): Readonly<Record<string, unknown>>;
  /** Column → text, as a file has it that can be fed back. */
  columns(): Readonly<Record<string, string>>;
  /** Each cell with the field that shows it; undefined for a command that makes a record. */
  cells(): readonly InputCell[] | undefined;
}

export interface InputRows {
  /** For people: the file's name, or `stdin`. */
  readonly name: string;
  readonly rows: readonly InputRow[];
  /** How many rows are for other commands. */
  readonly others: number;
  /** The file by its whole path, and the SHA-256 of its bytes as hexadecimal digits; absent for stdin. */
  readonly input?: { readonly file: string; readonly sha256: string };
  /** The cells of an earlier export, by what names their records; absent without one. */
  readonly base?: ReadonlyMap<string, readonly InputCell[]>;
}

export interface InputFileWork {
  /**
   * Whether the row can be sent; names stand where their ids will.
   * @throws UsageError
   */
  check(values: Readonly<Record<string, unknown>>, target: string | undefined): void;
  /** Told how many rows there are, before any name is looked up. */
  readonly ready?: (rows: number) => Promise<void>;
  readonly resolve?: FindId;
  /** Rows with the same key are about the same record, which is a mistake. */
  readonly once?: (row: InputRow) => string | undefined;
  readonly skipMissing?: boolean;
}

/**
 * Reads and checks every row before the first request, then looks every name up once.
 * @throws UsageError that tells all that is wrong, with file and line; Failure (exit 5) for names of nothing
 */
export async function readInputFile(run: Run, work: InputFileWork): Promise<InputRows> {
  const { invocation, machine, calendar, raws } = run;
  const { fromFile, base } = invocation.options;
  const { operation } = invocation.command;
  const file = String(fromFile);
  const name = nameInput(file);
  const extra = toExtra(raws);
  const schema = new RowSchema(invocation, calendar, (given, flagOf) => {
    if (operation !== undefined) checkRequired(operation, given, { extra, flagOf });
  });
  const problems = createRowProblems(name);
  const { held, others, sha256 } = await checkRows(run, file, schema, work, problems);
  if (held.length === 0) {
    problems.throwIfAny();
    if (others > 0) throw new UsageError(`${name} has no rows for this command`, { code: 'invalid_input' });
  }
  if (problems.count === 0) await work.ready?.(held.length);
  const names = await lookUpAll(run, held, work, problems);
  const rows = held.map((row) => createInputRow(row, schema, names));
  checkOnce(rows, held, work, problems);
  problems.throwIfAny();
  return {
    ...{ name, rows, others },
    ...(file !== '-' && { input: { file: resolve(file), sha256 } }),
    ...(typeof base === 'string' && { base: readBase(base, await readBytes(machine, base), schema) }),
  };
}

/** @param ids of the names, in their order */
export function resolveRowValues(
  values: readonly CheckedValue[],
  ids: (wanted: UnresolvedNames) => readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    values.map(({ name, known, wanted }) => [
      name,
      wanted === undefined ? known : wanted.toValue(ids(wanted)),
    ]),
  );
}

interface HeldRow {
  readonly raw: RawRow;
  readonly checked: CheckedRow;
}

interface CheckedRows {
  readonly held: readonly HeldRow[];
  /** How many rows are for other commands. */
  readonly others: number;
  readonly sha256: string;
}

/** Reads the file and checks each row by itself. @throws UsageError where the file cannot be read */
async function checkRows(
  { machine }: Run,
  file: string,
  schema: RowSchema,
  work: InputFileWork,
  problems: RowProblems,
): Promise<CheckedRows> {
  const held: HeldRow[] = [];
  const hash = createHash('sha256');
  let [count, others] = [0, 0];
  const seen = new Set<readonly string[]>();
  const addRow = (raw: RawRow): void => {
    const { line, heading = line, names, cells } = raw;
    const wrong = schema.headingProblems(names);
    if (!seen.has(names)) for (const { text, hint } of wrong) problems.add(heading, text, hint);
    seen.add(names);
    const checked = schema.check(names, cells);
    if (checked.other === true) {
      others += 1;
      return;
    }
    for (const problem of checked.problems) problems.add(line, problem);
    const isWhole = checked.problems.length === 0 && wrong.length === 0;
    // Names stand where their ids will.
    if (isWhole && checked.exported !== true)
      work.check(
        resolveRowValues(checked.values, ({ texts }) => texts),
        checked.target,
      );
    held.push({ raw, checked });
  };
  try {
    const bytes = await readBytes(machine, file);
    hash.update(bytes);
    for (const row of readRows(file, decodeText(bytes))) {
      count += 1;
      // A signal need not wait for the last row.
      if (count % 500 === 0) await takeTurn();
      if (count > MAX_ROWS) throw createTooManyRowsError(row.line);
      if ('problem' in row) problems.add(row.line, row.problem);
      else collectProblem(problems, row.line, () => addRow(row));
    }
  } catch (error) {
    if (!(error instanceof UsageError) || error.code === 'unreadable') throw error;
    const { line } = error.details;
    const rest = line === undefined ? '' : '; the rest was not read';
    problems.add(typeof line === 'number' ? line : undefined, `${error.message}${rest}`, error.hint);
  }
  return { held, others, sha256: hash.digest('hex') };
}

function collectProblem(problems: RowProblems, line: number, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    problems.add(line, error.message, error.hint);
  }
}

/** Names and addresses that have been looked up; what is not among them is an id already. */
interface ResolvedNames {
  idOf(kind: WantedName['kind'], text: string): string;
  readonly missing: ReadonlySet<string>;
}

interface WantedName {
  readonly kind: NamedKind | 'target';
  readonly text: string;
  readonly line: number;
}

/** Look-ups of names in a file that has problems anyway: each may be a request, and nothing will be sent. */
const MAX_LOOK_UPS = 40;

/** @throws what is not about a name: no network, not signed in; but what is wrong with the file comes before it */
async function lookUpAll(
  { lookUps }: Run,
  held: readonly HeldRow[],
  { resolve, skipMissing }: InputFileWork,
  problems: RowProblems,
): Promise<ResolvedNames> {
  const names = listNames(held, resolve !== undefined);
  const textsOf = (kind: string): readonly string[] =>
    names.filter((one) => one.kind === kind).map(({ text }) => text);
  const texts = new Map([...new Set(names.map(({ kind }) => kind))].map((kind) => [kind, textsOf(kind)]));
  const found = new Map<string, string>();
  const missing = new Set<string>();
  for (const { kind, text, line } of problems.count > 0 ? names.slice(0, MAX_LOOK_UPS) : names) {
    const among = texts.get(kind);
    try {
      const id = await (kind === 'target' ? resolve?.(text, among) : lookUps.find(kind, text, among));
      if (id !== undefined) found.set(formatKey(kind, text), id);
    } catch (error) {
      if (!isNameError(error)) {
        problems.throwIfAny();
        throw error;
      }
      const { message, reason, hint, exit } = error;
      if (kind === 'target' && skipMissing === true && exit === EXIT.notFound) missing.add(text);
      else problems.add(line, [message, reason].filter(Boolean).join('\n'), hint, exit);
    }
  }
  return { idOf: (kind, text) => found.get(formatKey(kind, text)) ?? text, missing };
}

function formatKey(kind: WantedName['kind'], text: string): string {
  return `${kind}\n${text}`;
}

/** Each once, in the order of the rows. */
function listNames(held: readonly HeldRow[], hasTargets: boolean): readonly WantedName[] {
  const wanted = new Map<string, WantedName>();
  const add = (kind: WantedName['kind'], text: string, line: number): void => {
    const key = formatKey(kind, text);
    if (!wanted.has(key)) wanted.set(key, { kind, text, line });
  };
  for (const { raw, checked } of held) {
    if (checked.target !== undefined && hasTargets) add('target', checked.target, raw.line);
    for (const { wanted: names } of checked.values)
      for (const text of names?.texts ?? []) add(names?.kind ?? 'target', text, raw.line);
  }
  return [...wanted.values()];
}

function createInputRow(
  { raw: { number, names, cells }, checked: { target, values } }: HeldRow,
  schema: RowSchema,
  { idOf, missing }: ResolvedNames,
): InputRow {
  return {
    number,
    target,
    id: target === undefined ? undefined : idOf('target', target),
    missing: target !== undefined && missing.has(target),
    values: () => resolveRowValues(values, ({ kind, texts }) => texts.map((text) => idOf(kind, text))),
    columns: () => schema.texts(names, cells),
    cells: () => schema.cells(names, cells),
  };
}

function checkOnce(
  rows: readonly InputRow[],
  held: readonly HeldRow[],
  { once }: InputFileWork,
  problems: RowProblems,
): void {
  const lines = new Map<string, number>();
  for (const [index, row] of once === undefined ? [] : rows.entries()) {
    const key = once?.(row);
    if (key === undefined) continue;
    const line = held[index]?.raw.line ?? 0;
    const first = lines.get(key);
    if (first === undefined) lines.set(key, line);
    else problems.add(line, `${shortenText(row.target ?? key)} is already in line ${first}`);
  }
}

/** The cells of an earlier export, by what names their records. @throws UsageError for a file of other records */
function readBase(file: string, bytes: Buffer, schema: RowSchema): ReadonlyMap<string, readonly InputCell[]> {
  const problems = createRowProblems(nameInput(file));
  const cellsByTarget = new Map<string, readonly InputCell[]>();
  for (const row of readRows(file, decodeText(bytes))) {
    if ('problem' in row) {
      problems.add(row.line, row.problem);
      continue;
    }
    const { line, heading = line, names, cells } = row;
    for (const { text, hint } of schema.headingProblems(names)) problems.add(heading, text, hint);
    problems.throwIfAny();
    const checked = schema.check(names, cells);
    for (const problem of checked.problems) problems.add(line, problem);
    if (checked.target !== undefined) cellsByTarget.set(checked.target, schema.cells(names, cells) ?? []);
  }
  problems.throwIfAny();
  return cellsByTarget;
}
