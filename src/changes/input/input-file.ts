import { takeTurn } from '../../clock.ts';
import type {
  InputCell,
  InputFileWork,
  InputRow,
  InputRows,
  NamedKind,
  NameResolver,
} from '../../context.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { MAX_ROWS, shortenText } from '../../parsing/text.ts';
import type { CheckedRow, CheckedValue, RawRow, ReadRow, RowSchema, UnresolvedNames } from './row.ts';
import { createRowProblems, createTooManyRowsError, isNameError, type RowProblems } from './row-problems.ts';

/**
 * The rows of `--from-file`: all are checked, all names in them looked up, each once, and all that is wrong is told
 * together before the first write.
 */

const TARGET_COLUMN = 'target';

export const resolveRowValues = (
  values: readonly CheckedValue[],
  ids: (wanted: UnresolvedNames) => readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    values.map(({ name, known, wanted }) => [
      name,
      wanted === undefined ? known : wanted.toValue(ids(wanted)),
    ]),
  );

interface HeldRow {
  readonly raw: RawRow;
  readonly checked: CheckedRow;
}

/** Names and addresses that have been looked up; what is not among them is an id already. */
interface ResolvedNames {
  idOf(kind: string, text: string): string;
  readonly missing: ReadonlySet<string>;
}

const createRow = (
  { raw: { number, names, cells }, checked: { target, values } }: HeldRow,
  schema: RowSchema,
  { idOf, missing }: ResolvedNames,
): InputRow => ({
  number,
  target,
  id: target === undefined ? undefined : idOf(TARGET_COLUMN, target),
  missing: target !== undefined && missing.has(target),
  values: () => resolveRowValues(values, ({ kind, texts }) => texts.map((text) => idOf(kind, text))),
  columns: () => schema.texts(names, cells),
  cells: () => schema.cells(names, cells),
});

interface Source {
  /** As messages name it: `people.csv`, `stdin`. */
  readonly name: string;
  readonly rows: AsyncIterable<ReadRow>;
  readonly schema: RowSchema;
  readonly lookUps: NameResolver;
  readonly base?: Pick<Source, 'name' | 'rows'> | undefined;
}

const collectProblem = (faults: RowProblems, line: number, work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    faults.add(line, error.message, error.hint);
  }
};

const checkRow = (
  raw: RawRow,
  { schema }: Source,
  work: InputFileWork,
  faults: RowProblems,
): HeldRow | undefined => {
  const { line, names, cells } = raw;
  const checked = schema.check(names, cells);
  const { target, values, problems, exported } = checked;
  if (checked.other === true) return undefined;
  for (const problem of problems) faults.add(line, problem);
  if (exported !== true && problems.length === 0 && schema.headingProblems(names).length === 0) {
    // Names stand where their ids will.
    work.check(
      resolveRowValues(values, ({ texts }) => texts),
      target,
    );
  }
  return { raw, checked };
};

/** What ended the reading, as one more problem of the file. @throws what is not about its text */
const addReadProblem = (faults: RowProblems, error: unknown): void => {
  if (!(error instanceof UsageError) || error.code === 'unreadable') throw error;
  const { line } = error.details;
  const rest = line === undefined ? '' : '; the rest was not read';
  faults.add(typeof line === 'number' ? line : undefined, `${error.message}${rest}`, error.hint);
};

interface HeldRows {
  readonly held: readonly HeldRow[];
  readonly others: number;
}

/** Reads and checks every row. @throws UsageError for a file all of whose rows are for others */
const readAll = async (source: Source, work: InputFileWork, faults: RowProblems): Promise<HeldRows> => {
  const { name, rows, schema } = source;
  const held: HeldRow[] = [];
  let others = 0;
  const seen = new Set<readonly string[]>();
  const addRow = (row: RawRow): void => {
    const { line, heading = line, names } = row;
    if (!seen.has(names))
      for (const { text, hint } of schema.headingProblems(names)) faults.add(heading, text, hint);
    seen.add(names);
    const checked = checkRow(row, source, work, faults);
    if (checked === undefined) others += 1;
    else held.push(checked);
  };
  try {
    let count = 0;
    for await (const row of rows) {
      count += 1;
      // A signal need not wait for the last row.
      if (count % 500 === 0) await takeTurn();
      if (count > MAX_ROWS) throw createTooManyRowsError(row.line);
      if ('problem' in row) faults.add(row.line, row.problem);
      else collectProblem(faults, row.line, () => addRow(row));
    }
  } catch (error) {
    addReadProblem(faults, error);
  }
  if (held.length === 0) {
    faults.throwIfAny();
    if (others > 0) throw new UsageError(`${name} has no rows for this command`, { code: 'invalid_input' });
  }
  return { held, others };
};

const formatKey = (kind: string, text: string): string => `${kind}\n${text}`;

/** Look-ups of names in a file that has problems anyway: each may be a request, and nothing will be sent. */
const MAX_LOOK_UPS = 40;

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
  readonly line: number;
}

const listNames = (held: readonly HeldRow[], { resolve }: InputFileWork): readonly WantedName[] => {
  const wanted = new Map<string, WantedName>();
  const want = (kind: WantedName['kind'], text: string, line: number): void => {
    const key = formatKey(kind, text);
    if (!wanted.has(key)) wanted.set(key, { kind, text, line });
  };
  for (const { raw, checked } of held) {
    if (checked.target !== undefined && resolve !== undefined) want(TARGET_COLUMN, checked.target, raw.line);
    for (const { wanted: cell } of checked.values)
      for (const text of cell?.texts ?? []) want(cell?.kind ?? TARGET_COLUMN, text, raw.line);
  }
  return [...wanted.values()];
};

/** @throws what is not about a name: no network, not signed in; but what is wrong with the file comes before it */
const lookUpAll = async (
  held: readonly HeldRow[],
  source: Source,
  work: InputFileWork,
  faults: RowProblems,
): Promise<ResolvedNames> => {
  const names = listNames(held, work);
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

const checkOnce = (
  rows: readonly InputRow[],
  held: readonly HeldRow[],
  { once }: InputFileWork,
  faults: RowProblems,
): void => {
  if (once === undefined) return;
  const first = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const key = once(row);
    if (key === undefined) continue;
    const line = held[index]?.raw.line ?? 0;
    const firstLine = first.get(key);
    if (firstLine === undefined) first.set(key, line);
    else faults.add(line, `${shortenText(row.target ?? key)} is already in line ${firstLine}`);
  }
};

/** The cells of an earlier export, by what names their records. @throws UsageError for a file of other records */
const readBase = async (
  schema: RowSchema,
  { name, rows }: NonNullable<Source['base']>,
): Promise<ReadonlyMap<string, readonly InputCell[]>> => {
  const problems = createRowProblems(name);
  const cellsByTarget = new Map<string, readonly InputCell[]>();
  const addRow = ({ line, heading = line, names, cells }: RawRow): void => {
    for (const { text, hint } of schema.headingProblems(names)) problems.add(heading, text, hint);
    problems.throwIfAny();
    const { target, problems: wrong } = schema.check(names, cells);
    for (const problem of wrong) problems.add(line, problem);
    if (target !== undefined) cellsByTarget.set(target, schema.cells(names, cells) ?? []);
  };
  for await (const row of rows) {
    if ('problem' in row) problems.add(row.line, row.problem);
    else addRow(row);
  }
  problems.throwIfAny();
  return cellsByTarget;
};

export const readInputFile = async (
  source: Source,
  work: InputFileWork,
): Promise<Omit<InputRows, 'input'>> => {
  const { schema, base } = source;
  const faults = createRowProblems(source.name);
  const { held, others } = await readAll(source, work, faults);
  if (faults.count === 0) await work.ready?.(held.length);
  const names = await lookUpAll(held, source, work, faults);
  const rows = held.map((row) => createRow(row, schema, names));
  checkOnce(rows, held, work, faults);
  faults.throwIfAny();
  return { rows, others, ...(base && { base: await readBase(schema, base) }) };
};
