import type {
  InputCell,
  InputFile,
  InputFileWork,
  InputRow,
  InputRows,
  NamedKind,
  NameResolver,
} from '../../context.ts';
import { EXIT, shortenText, UsageError } from '../../outcome.ts';
import { MAX_ROWS } from '../../parsing/input-limits.ts';
import {
  CompactRow,
  type ResolvedNames,
  type RowSet,
  resolveRowValues,
  TARGET_COLUMN,
} from './compact-row.ts';
import { type CompactRows, createCompactRows } from './compact-rows.ts';
import type { RawRow, ReadRow, RowSchema } from './row.ts';
import { createRowProblems, createTooManyRowsError, isNameError, type RowProblems } from './row-problems.ts';

/**
 * The rows of `--from-file`: all are checked, all names in them looked up, each once, and all that is wrong is told
 * together before the first write. Between the steps a row is held as its text alone, so that many take little memory.
 */

interface Source {
  /** As messages name it: `people.csv`, `stdin`. */
  readonly name: string;
  readonly rows: () => AsyncIterable<ReadRow>;
  readonly schema: RowSchema;
  readonly lookUps: NameResolver;
  /** Called within long work: yields to the event loop. Throws when the run is interrupted. */
  readonly takeTurns: () => Promise<void>;
  /** The file, once all of it has been read. */
  readonly input?: () => InputRows['input'];
  /** The rows of an earlier export; undefined without one. */
  readonly base?: () => AsyncIterable<ReadRow>;
  /** As messages name it. */
  readonly baseName?: string;
}

const collectProblem = (faults: RowProblems, line: number, work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    faults.add(line, error.message, error.hint);
  }
};

/** Checks a row, and keeps it; where it is for another command, it is counted alone. */
const checkRow = (
  row: RawRow,
  { schema }: Source,
  work: InputFileWork,
  faults: RowProblems,
  held: CompactRows,
) => {
  const { line, names, cells } = row;
  const { target, values, problems, other, exported } = schema.check(names, cells);
  if (other === true) {
    held.others += 1;
    return;
  }
  for (const problem of problems) faults.add(line, problem);
  if (exported !== true && problems.length === 0 && schema.headingProblems(names).length === 0) {
    // Names stand where their ids will.
    work.check(
      resolveRowValues(values, ({ texts }) => texts),
      target,
    );
  }
  held.add(row);
};

/** What ended the reading, as one more problem of the file. @throws what is not about its text */
const addReadProblem = (faults: RowProblems, error: unknown): void => {
  if (!(error instanceof UsageError) || error.code === 'unreadable') throw error;
  const { line } = error.details;
  const rest = line === undefined ? '' : '; the rest was not read';
  faults.add(typeof line === 'number' ? line : undefined, `${error.message}${rest}`, error.hint);
};

/** Reads and checks every row; held are those that can be read. @throws UsageError for a file all of whose rows are for others */
const readAll = async (source: Source, work: InputFileWork, faults: RowProblems): Promise<CompactRows> => {
  const { name, rows, schema, takeTurns } = source;
  const held = createCompactRows();
  const seen = new Set<readonly string[]>();
  const addRow = (row: RawRow): void => {
    const { line, heading = line, names } = row;
    if (!seen.has(names)) for (const problem of schema.headingProblems(names)) faults.add(heading, problem);
    seen.add(names);
    checkRow(row, source, work, faults, held);
  };
  try {
    let count = 0;
    for await (const row of rows()) {
      await takeTurns();
      count += 1;
      if (count > MAX_ROWS) throw createTooManyRowsError(row.line);
      if ('problem' in row) faults.add(row.line, row.problem);
      else collectProblem(faults, row.line, () => addRow(row));
    }
  } catch (error) {
    addReadProblem(faults, error);
  }
  if (held.size === 0) {
    faults.throwIfAny();
    if (held.others > 0)
      throw new UsageError(`${name} has no rows for this command`, { code: 'invalid_input' });
  }
  return held;
};

const formatKey = (kind: string, text: string): string => `${kind}\n${text}`;

/** Look-ups of names in a file that has problems anyway: each may be a request, and nothing will be sent. */
const MAX_LOOK_UPS = 40;
/** Rows of a long file. */
const LONG_FILE_ROWS = 20_000;

/** @throws what is not about a name; but what is wrong with the file comes before it */
const addNameProblem = (faults: RowProblems, line: number, error: unknown): void => {
  if (!isNameError(error)) {
    faults.throwIfAny();
    throw error;
  }
  faults.add(line, [error.message, error.reason].filter(Boolean).join('\n'), error.hint, error.exit);
};

interface WantedName {
  readonly kind: NamedKind | typeof TARGET_COLUMN;
  readonly text: string;
  /** The first that has it. */
  readonly line: number;
}

/** Every name of the rows once. */
const listNames = async (
  held: CompactRows,
  { schema, takeTurns }: Source,
  { resolve }: InputFileWork,
): Promise<readonly WantedName[]> => {
  const wanted = new Map<string, WantedName>();
  const want = (kind: WantedName['kind'], text: string, line: number): void => {
    const key = formatKey(kind, text);
    if (!wanted.has(key)) wanted.set(key, { kind, text, line });
  };
  for (let index = 0; index < held.size; index += 1) {
    await takeTurns();
    const { line, names, cells } = held.at(index);
    const { target, values } = schema.check(names, cells);
    if (target !== undefined && resolve !== undefined) want(TARGET_COLUMN, target, line);
    for (const { wanted: cell } of values)
      for (const text of cell?.texts ?? []) want(cell?.kind ?? TARGET_COLUMN, text, line);
  }
  return [...wanted.values()];
};

/** @throws what is not about a name: no network, not signed in; but what is wrong with the file comes before it */
const lookUpAll = async (
  held: CompactRows,
  source: Source,
  work: InputFileWork,
  faults: RowProblems,
): Promise<ResolvedNames> => {
  const names = await listNames(held, source, work);
  const textsOf = (kind: WantedName['kind']) =>
    names.filter((one) => one.kind === kind).map(({ text }) => text);
  const texts = new Map([...new Set(names.map(({ kind }) => kind))].map((kind) => [kind, textsOf(kind)]));
  const found = new Map<string, string>();
  const missing = new Set<string>();
  for (const { kind, text, line } of faults.count > 0 ? names.slice(0, MAX_LOOK_UPS) : names) {
    const isTarget = kind === TARGET_COLUMN;
    const among = texts.get(kind);
    try {
      const id = await (isTarget ? work.resolve?.(text, among) : source.lookUps.find(kind, text, among));
      if (id !== undefined && id !== text) found.set(formatKey(kind, text), id);
    } catch (error) {
      if (isTarget && work.skipMissing === true && isNameError(error) && error.exit === EXIT.notFound)
        missing.add(text);
      else addNameProblem(faults, line, error);
    }
  }
  return { idOf: (kind, text) => found.get(formatKey(kind, text)) ?? text, missing };
};

/** Two rows may not say different things of one record. */
const checkOnce = async (
  rows: readonly InputRow[],
  held: CompactRows,
  { takeTurns }: Source,
  { once }: InputFileWork,
  faults: RowProblems,
): Promise<void> => {
  if (once === undefined) return;
  const first = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    await takeTurns();
    const key = once(row);
    if (key === undefined) continue;
    const { line } = held.at(index);
    const firstLine = first.get(key);
    if (firstLine === undefined) first.set(key, line);
    else faults.add(line, `${shortenText(row.target ?? key)} is already in line ${firstLine}`);
  }
};

/** The cells of an earlier export, by what names their records. @throws UsageError for a file of other records */
const readBase = async (
  { schema, takeTurns, baseName = '' }: Source,
  rows: AsyncIterable<ReadRow>,
): Promise<ReadonlyMap<string, readonly InputCell[]>> => {
  const problems = createRowProblems(baseName);
  const cellsByTarget = new Map<string, readonly InputCell[]>();
  const addRow = ({ line, heading = line, names, cells }: RawRow): void => {
    for (const problem of schema.headingProblems(names)) problems.add(heading, problem);
    problems.throwIfAny();
    const { target, problems: wrong } = schema.check(names, cells);
    for (const problem of wrong) problems.add(line, problem);
    if (target !== undefined) cellsByTarget.set(target, schema.cells(names, cells) ?? []);
  };
  for await (const row of rows) {
    await takeTurns();
    if ('problem' in row) problems.add(row.line, row.problem);
    else addRow(row);
  }
  problems.throwIfAny();
  return cellsByTarget;
};

export const openInputFile = (source: Source): InputFile => ({
  name: source.name,
  async read(work) {
    const faults = createRowProblems(source.name);
    const held = await readAll(source, work, faults);
    // The memory for the further steps is not taken for a long file that is wrong anyway.
    if (held.size > LONG_FILE_ROWS) faults.throwIfAny();
    if (faults.count === 0) await work.ready?.(held.size);
    const found = await lookUpAll(held, source, work, faults);
    const shared: RowSet = { held, schema: source.schema, ...found };
    const rows: InputRow[] = [];
    for (let index = 0; index < held.size; index += 1) {
      await source.takeTurns();
      rows.push(new CompactRow(shared, index));
    }
    await checkOnce(rows, held, source, work, faults);
    faults.throwIfAny();
    const input = source.input?.();
    const base = source.base === undefined ? {} : { base: await readBase(source, source.base()) };
    return { rows, others: held.others, ...base, ...(input === undefined ? {} : { input }) };
  },
});
