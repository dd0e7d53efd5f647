import type { Parameter } from '../api/operation.ts';
import type { CheckedRow, CheckedValue, RowSchema } from '../changes/input/row.ts';
import type { Invocation } from '../cli/invocation.ts';
import { isRecord } from '../json/number.ts';
import { UsageError } from '../outcome.ts';
import type { Calendar } from './convert.ts';
import { type InputColumn, type InputLayout, listInputColumns, matchHeadings } from './input-columns.ts';
import { checkGiven, type GivenValue, listGivenValues } from './values.ts';

/** A command's flags as the columns of a file: a cell is checked as the flag would be. */

const YES = new Set(['yes', 'true', '1', 'y', 'on']);
const NO = new Set(['no', 'false', '0', 'n', 'off']);

/** A cell as text; `''` means not given. Several values are joined with commas. */
const textOf = (cell: unknown): string => {
  if (cell === null || cell === undefined) return '';
  if (Array.isArray(cell)) return cell.map(textOf).join(',');
  if (isRecord(cell)) throw new UsageError('a value cannot be an object');
  return String(cell);
};

/** A cell of a switch: `yes` or `no`. */
const switched = (text: string, { on }: Parameter): boolean | undefined => {
  const word = text.toLowerCase();
  if (YES.has(word)) return true;
  if (!NO.has(word)) throw new UsageError(`"${text}" is not yes or no`);
  return on === undefined ? false : undefined;
};

/** What a flag would have got for the cell; `undefined` where it would not have been given. */
const rawOf = (cell: unknown, parameter: Parameter): unknown => {
  const text = textOf(cell);
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (parameter.type === 'boolean' || parameter.on !== undefined) return switched(trimmed, parameter);
  if (parameter.type.endsWith('[]')) {
    return trimmed.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  }
  // Spaces are part of a text, and of nothing else.
  return parameter.type === 'string' && parameter.choices === undefined ? text : trimmed;
};

const messageOf = (error: unknown): string => {
  if (error instanceof UsageError) return error.message;
  throw error;
};

/** The cells of a row by what they are for. */
interface SortedRow {
  target: string | undefined;
  /** The id of the operation that the row is for, where it says one. */
  operation: string | undefined;
  readonly given: GivenValue[];
  readonly plain: CheckedValue[];
  readonly problems: string[];
}

const place = (sortedRow: SortedRow, column: InputColumn | undefined, cell: unknown): void => {
  if (column === undefined) return;
  if (column.use === 'value') {
    const raw = rawOf(cell, column.binding.parameter);
    if (raw !== undefined) sortedRow.given.push({ binding: column.binding, raw, where: column.name });
    return;
  }
  const text = textOf(cell).trim();
  if (text === '') return;
  if (column.use === 'target') sortedRow.target = text;
  else if (column.use === 'operation') sortedRow.operation = text;
  else sortedRow.plain.push({ name: column.name, known: text });
};

const sort = ({ columns }: InputLayout, names: readonly string[], cells: readonly unknown[]): SortedRow => {
  const sortedRow: SortedRow = {
    target: undefined,
    operation: undefined,
    given: [],
    plain: [],
    problems: [],
  };
  for (const [index, column] of columns.entries()) {
    try {
      if (names[index]?.trim() === '' && textOf(cells[index]).trim() !== '') {
        throw new UsageError(`"${textOf(cells[index])}" is in a column without a name`);
      }
      place(sortedRow, column, cells[index]);
    } catch (error) {
      sortedRow.problems.push(
        column === undefined ? messageOf(error) : `${column.name}: ${messageOf(error)}`,
      );
    }
  }
  return sortedRow;
};

/** Told which parameters a row has. @throws UsageError when a needed one is missing */
type Complete = (values: Readonly<Record<string, unknown>>, nameOf: (parameter: string) => string) => void;

/** What is needed and not there; the same for all rows that say the same columns. */
const createMissing = (complete: Complete, nameOf: (parameter: string) => string) => {
  const known = new Map<string, readonly string[]>();
  const find = (names: readonly string[]): readonly string[] => {
    try {
      complete(Object.fromEntries(names.map((name) => [name, true])), nameOf);
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  };
  return (names: readonly string[]): readonly string[] => {
    const key = names.join();
    const found = known.get(key) ?? find(names);
    known.set(key, found);
    return found;
  };
};

/** The layout of a heading is made once for all of its rows. */
const createLayouts = (columns: ReturnType<typeof listInputColumns>) => {
  const layouts = new Map<readonly string[], InputLayout>();
  return (names: readonly string[]): InputLayout => {
    const found = layouts.get(names) ?? matchHeadings(names, columns);
    layouts.set(names, found);
    return found;
  };
};

/** The cells of known columns as they are written. */
const textsOf = ({ columns }: InputLayout, cells: readonly unknown[]): Record<string, string> =>
  Object.fromEntries(
    columns.flatMap((column, index) => (column === undefined ? [] : [[column.name, textOf(cells[index])]])),
  );

/** The column of a parameter, as it is called in a file. */
const findColumnName = (columns: ReturnType<typeof listInputColumns>, parameter: string): string =>
  [...columns.values.values()].find((column) => column.use === 'value' && column.binding.name === parameter)
    ?.name ?? parameter;

/** @param complete what the operation needs, wherever it comes from */
export const createRowSchema = (
  invocation: Invocation,
  calendar: Calendar,
  complete: Complete,
): RowSchema => {
  const { command } = invocation;
  const columns = listInputColumns(command);
  const operation = command.operation?.id;
  const own = [...columns.values.values()].flatMap((column) =>
    column.use === 'value' ? [column.binding] : [],
  );
  const flags = listGivenValues(invocation).filter(({ binding }) => own.includes(binding));
  const named = flags.find(({ where }) => where.startsWith('<'));
  if (named !== undefined) throw new UsageError(`--from-file cannot be used with ${named.where}`);
  const layout = createLayouts(columns);
  const nameOf = (parameter: string): string => findColumnName(columns, parameter);
  const missingIn = createMissing(complete, nameOf);
  const check = (names: readonly string[], cells: readonly unknown[]): CheckedRow => {
    const found = layout(names);
    const sortedRow = sort(found, names, cells);
    if (sortedRow.operation !== undefined && sortedRow.operation !== operation) {
      return { target: sortedRow.target, values: [], problems: [], other: true };
    }
    const said = new Set(sortedRow.given.map(({ binding }) => binding.name));
    const given = [...flags.filter(({ binding }) => !said.has(binding.name)), ...sortedRow.given];
    const checked = checkGiven(given, calendar);
    const problems = [...sortedRow.problems, ...checked.problems.map(({ message }) => message)];
    const naming = found.columns.find((column) => column?.use === 'target');
    if (naming !== undefined && sortedRow.target === undefined) problems.push(`missing ${naming.name}`);
    // Under a heading that is misspelt every row would lack the same.
    const meant = own.filter(({ name }) => found.meant.includes(nameOf(name))).map(({ name }) => name);
    if (sortedRow.problems.length === 0)
      problems.push(...missingIn([...given.map(({ binding }) => binding.name), ...meant]));
    return { target: sortedRow.target, values: [...sortedRow.plain, ...checked.values], problems };
  };
  const texts = (names: readonly string[], cells: readonly unknown[]): Record<string, string> =>
    textsOf(layout(names), cells);
  return { headingProblems: (names) => layout(names).problems, check, texts };
};
