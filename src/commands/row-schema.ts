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
const formatCell = (cell: unknown): string => {
  if (cell === null || cell === undefined) return '';
  if (Array.isArray(cell)) return cell.map(formatCell).join(',');
  if (isRecord(cell)) throw new UsageError('a value cannot be an object');
  return String(cell);
};

/** A cell of a switch: `yes` or `no`. */
const parseSwitch = (text: string, { on }: Parameter): boolean | undefined => {
  const normalized = text.toLowerCase();
  if (YES.has(normalized)) return true;
  if (!NO.has(normalized)) throw new UsageError(`"${text}" is not yes or no`);
  return on === undefined ? false : undefined;
};

/** What a flag would have got for the cell; `undefined` where it would not have been given. */
const parseCell = (cell: unknown, parameter: Parameter): unknown => {
  const text = formatCell(cell);
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (parameter.type === 'boolean' || parameter.on !== undefined) return parseSwitch(trimmed, parameter);
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

const addCell = (sortedRow: SortedRow, column: InputColumn | undefined, cell: unknown): void => {
  if (column === undefined) return;
  if (column.use === 'value') {
    const raw = parseCell(cell, column.binding.parameter);
    if (raw !== undefined) sortedRow.given.push({ binding: column.binding, raw, where: column.name });
    return;
  }
  const text = formatCell(cell).trim();
  if (text === '') return;
  if (column.use === 'target') sortedRow.target = text;
  else if (column.use === 'operation') sortedRow.operation = text;
  else sortedRow.plain.push({ name: column.name, known: text });
};

const sortCells = (
  { columns }: InputLayout,
  names: readonly string[],
  cells: readonly unknown[],
): SortedRow => {
  const sortedRow: SortedRow = {
    target: undefined,
    operation: undefined,
    given: [],
    plain: [],
    problems: [],
  };
  for (const [index, column] of columns.entries()) {
    try {
      if (names[index]?.trim() === '' && formatCell(cells[index]).trim() !== '') {
        throw new UsageError(`"${formatCell(cells[index])}" is in a column without a name`);
      }
      addCell(sortedRow, column, cells[index]);
    } catch (error) {
      sortedRow.problems.push(
        column === undefined ? messageOf(error) : `${column.name}: ${messageOf(error)}`,
      );
    }
  }
  return sortedRow;
};

/** Gets the parameters that a row has. @throws UsageError when a required one is missing */
type RequireParameters = (
  values: Readonly<Record<string, unknown>>,
  getColumnName: (parameter: string) => string,
) => void;

/** What is required and missing; computed once for all rows with the same columns. */
const createMissingFinder = (
  requireParameters: RequireParameters,
  getColumnName: (parameter: string) => string,
) => {
  const cache = new Map<string, readonly string[]>();
  const findProblems = (names: readonly string[]): readonly string[] => {
    try {
      requireParameters(Object.fromEntries(names.map((name) => [name, true])), getColumnName);
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  };
  return (names: readonly string[]): readonly string[] => {
    const key = names.join();
    const problems = cache.get(key) ?? findProblems(names);
    cache.set(key, problems);
    return problems;
  };
};

/** The layout of a heading is built once for all of its rows. */
const createLayoutCache = (columns: ReturnType<typeof listInputColumns>) => {
  const layouts = new Map<readonly string[], InputLayout>();
  return (names: readonly string[]): InputLayout => {
    const layout = layouts.get(names) ?? matchHeadings(names, columns);
    layouts.set(names, layout);
    return layout;
  };
};

/** The cells of known columns as text. */
const formatCells = ({ columns }: InputLayout, cells: readonly unknown[]): Record<string, string> =>
  Object.fromEntries(
    columns.flatMap((column, index) =>
      column === undefined ? [] : [[column.name, formatCell(cells[index])]],
    ),
  );

/** The column of a parameter, as it is called in a file. */
const findColumnName = (columns: ReturnType<typeof listInputColumns>, parameter: string): string =>
  [...columns.values.values()].find((column) => column.use === 'value' && column.binding.name === parameter)
    ?.name ?? parameter;

/** @param requireParameters checks what the operation requires, from flags and cells together */
export const createRowSchema = (
  invocation: Invocation,
  calendar: Calendar,
  requireParameters: RequireParameters,
): RowSchema => {
  const columns = listInputColumns(invocation.command);
  const operationId = invocation.command.operation?.id;
  const bindings = [...columns.values.values()].flatMap((column) =>
    column.use === 'value' ? [column.binding] : [],
  );
  const flagValues = listGivenValues(invocation).filter(({ binding }) => bindings.includes(binding));
  const operand = flagValues.find(({ where }) => where.startsWith('<'));
  if (operand !== undefined) throw new UsageError(`--from-file cannot be used with ${operand.where}`);
  const getLayout = createLayoutCache(columns);
  const getColumnName = (parameter: string): string => findColumnName(columns, parameter);
  const findMissing = createMissingFinder(requireParameters, getColumnName);
  const check = (names: readonly string[], cells: readonly unknown[]): CheckedRow => {
    const layout = getLayout(names);
    const sortedRow = sortCells(layout, names, cells);
    if (sortedRow.operation !== undefined && sortedRow.operation !== operationId) {
      return { target: sortedRow.target, values: [], problems: [], other: true };
    }
    const givenNames = new Set(sortedRow.given.map(({ binding }) => binding.name));
    const given = [...flagValues.filter(({ binding }) => !givenNames.has(binding.name)), ...sortedRow.given];
    const checked = checkGiven(given, calendar);
    const problems = [...sortedRow.problems, ...checked.problems.map(({ message }) => message)];
    const target = layout.columns.find((column) => column?.use === 'target');
    if (target !== undefined && sortedRow.target === undefined) problems.push(`missing ${target.name}`);
    // Under a heading that is misspelt every row would lack the same.
    const suggestedNames = bindings
      .filter(({ name }) => layout.suggestedColumns.includes(getColumnName(name)))
      .map(({ name }) => name);
    if (sortedRow.problems.length === 0)
      problems.push(...findMissing([...given.map(({ binding }) => binding.name), ...suggestedNames]));
    return { target: sortedRow.target, values: [...sortedRow.plain, ...checked.values], problems };
  };
  const texts = (names: readonly string[], cells: readonly unknown[]): Record<string, string> =>
    formatCells(getLayout(names), cells);
  return { headingProblems: (names) => getLayout(names).problems, check, texts };
};
