import type { Resource } from '../api/fields.ts';
import type { CheckedRow, CheckedValue, RowSchema } from '../changes/input/row.ts';
import type { Binding } from '../cli/flag.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { InputCell } from '../context.ts';
import { UsageError } from '../errors.ts';
import { checkVisible, quoteText } from '../parsing/text.ts';
import type { Calendar } from './convert.ts';
import { formatCell, isFixed, parseCell } from './input-cells.ts';
import {
  type HeadingOptions,
  type InputColumn,
  type InputLayout,
  listInputColumns,
  matchHeadings,
  parseHeadingOptions,
} from './input-columns.ts';
import { checkGiven, type GivenValue, listGivenValues } from './values.ts';

/** A command's flags as the columns of a file: a cell is checked as the flag would be. */

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

/** Whether it is an address or a name. */
const namesSomething = ({ lookup, name, parameter: { type } }: Binding): boolean =>
  type === 'email' || lookup !== undefined || /name$/.test(name);

const addCell = (
  sortedRow: SortedRow,
  column: InputColumn | undefined,
  cell: unknown,
  changes: Resource | undefined,
): void => {
  if (column === undefined || column.use === 'shown' || column.use === 'passed') return;
  if (column.use === 'value') {
    if (isFixed(changes, column, cell)) return;
    const raw = parseCell(cell, column, changes?.written?.[column.field]);
    // A record that is changed may have one already, which its row then says as it is.
    if (raw !== undefined && changes === undefined && namesSomething(column.binding))
      checkVisible(formatCell(cell, column));
    if (raw !== undefined) sortedRow.given.push({ binding: column.binding, raw, where: column.name });
    return;
  }
  const text = formatCell(cell).trim();
  if (text === '') return;
  if (column.use === 'target') {
    checkVisible(text);
    sortedRow.target = text;
  } else if (column.use === 'operation') sortedRow.operation = text;
  else sortedRow.plain.push({ name: column.name, known: text });
};

const sortCells = (
  { columns }: InputLayout,
  names: readonly string[],
  cells: readonly unknown[],
  changes: Resource | undefined,
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
        throw new UsageError(`${quoteText(formatCell(cells[index]))} is in a column without a name`);
      }
      addCell(sortedRow, column, cells[index], changes);
    } catch (error) {
      sortedRow.problems.push(
        column === undefined ? messageOf(error) : `${column.name}: ${messageOf(error)}`,
      );
    }
  }
  return sortedRow;
};

/** What is wrong with single cells. A target that cannot be read is not missing as well. */
const listProblems = (
  { columns }: InputLayout,
  { target, problems }: SortedRow,
  checked: readonly { readonly message: string }[],
): string[] => {
  const all = [...problems, ...checked.map(({ message }) => message)];
  const name = columns.find((column) => column?.use === 'target')?.name;
  const isGiven = target !== undefined || problems.some((problem) => problem.startsWith(`${name}: `));
  return name === undefined || isGiven ? all : [...all, `missing ${name}`];
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
const createLayoutCache = (columns: ReturnType<typeof listInputColumns>, options: HeadingOptions) => {
  const layouts = new Map<readonly string[], InputLayout>();
  return (names: readonly string[]): InputLayout => {
    const layout = layouts.get(names) ?? matchHeadings(names, columns, options);
    layouts.set(names, layout);
    return layout;
  };
};

/** What a row says of its record, beside the fields that show it. */
const listCells = (
  { columns }: InputLayout,
  { names, cells }: { readonly names: readonly string[]; readonly cells: readonly unknown[] },
  changes: Resource | undefined,
): readonly InputCell[] =>
  columns.flatMap((column, index): InputCell[] => {
    if (changes === undefined) return [];
    if (column === undefined) return [];
    const text = formatCell(cells[index], column).trim();
    if (text === '') return [];
    const heading = names[index]?.trim() ?? '';
    if (column.use === 'shown') return [{ column: heading, field: column.name, text }];
    if (column.use !== 'value') return [];
    const { field, binding } = column;
    const cell = { column: heading, field, text };
    return [isFixed(changes, column, cells[index]) ? cell : { ...cell, parameter: binding.name }];
  });

/** Whether a row says more of its record than the command sets. */
const isExported = (
  layout: InputLayout,
  row: { readonly names: readonly string[]; readonly cells: readonly unknown[] },
  changes: Resource | undefined,
): boolean => listCells(layout, row, changes).some(({ parameter }) => parameter === undefined);

/** The cells of known columns as text. */
const formatCells = ({ columns }: InputLayout, cells: readonly unknown[]): Record<string, string> =>
  Object.fromEntries(
    columns.flatMap((column, index) =>
      column === undefined ? [] : [[column.name, formatCell(cells[index], column)]],
    ),
  );

/** The column of a parameter, as it is called in a file. */
const findColumnName = (columns: ReturnType<typeof listInputColumns>, parameter: string): string =>
  [...columns.values.values()].find((column) => column.use === 'value' && column.binding.name === parameter)
    ?.name ?? parameter;

const listBindings = ({ values }: ReturnType<typeof listInputColumns>): readonly Binding[] =>
  [...values.values()].flatMap((column) => (column.use === 'value' ? [column.binding] : []));

/** What flags give for all rows. @throws UsageError for a positional that the rows would have */
const listFlagValues = (invocation: Invocation, bindings: readonly Binding[]): readonly GivenValue[] => {
  const values = listGivenValues(invocation).filter(({ binding }) => bindings.includes(binding));
  const operand = values.find(({ where }) => where.startsWith('<'));
  if (operand !== undefined) throw new UsageError(`--from-file cannot be used with ${operand.where}`);
  return values;
};

/** @param requireParameters checks what the operation requires, from flags and cells together */
export const createRowSchema = (
  invocation: Invocation,
  calendar: Calendar,
  requireParameters: RequireParameters,
): RowSchema => {
  const columns = listInputColumns(invocation.command);
  const { changes } = columns;
  const bindings = listBindings(columns);
  const flagValues = listFlagValues(invocation, bindings);
  const getLayout = createLayoutCache(columns, parseHeadingOptions(invocation.options, columns));
  const findMissing = createMissingFinder(requireParameters, (name) => findColumnName(columns, name));
  const check = (names: readonly string[], cells: readonly unknown[]): CheckedRow => {
    const layout = getLayout(names);
    const sortedRow = sortCells(layout, names, cells, changes);
    if (sortedRow.operation !== undefined && sortedRow.operation !== invocation.command.operation?.id) {
      return { target: sortedRow.target, values: [], problems: [], other: true };
    }
    const givenNames = new Set(sortedRow.given.map(({ binding }) => binding.name));
    const given = [...flagValues.filter(({ binding }) => !givenNames.has(binding.name)), ...sortedRow.given];
    const checked = checkGiven(given, calendar);
    const problems = listProblems(layout, sortedRow, checked.problems);
    // Under a heading that is misspelt every row would lack the same.
    const suggestedNames = bindings
      .filter(({ name }) => layout.suggestedColumns.includes(findColumnName(columns, name)))
      .map(({ name }) => name);
    const exported = sortedRow.problems.length === 0 && isExported(layout, { names, cells }, changes);
    if (sortedRow.problems.length === 0 && !exported)
      for (const missing of findMissing([...given.map(({ binding }) => binding.name), ...suggestedNames]))
        problems.push(missing);
    return { exported, target: sortedRow.target, values: [...sortedRow.plain, ...checked.values], problems };
  };
  return {
    headingProblems: (names) => getLayout(names).problems,
    check,
    texts: (names, cells) => formatCells(getLayout(names), cells),
    cells: (names, cells) => changes && listCells(getLayout(names), { names, cells }, changes),
  };
};
