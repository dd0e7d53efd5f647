import type { Binding, Invocation } from '../../cli/flag.ts';
import {
  type Calendar,
  type CheckedValue,
  checkGiven,
  type GivenValue,
  listGivenValues,
} from '../../commands/values.ts';
import { UsageError } from '../../errors.ts';
import { checkVisible, quoteText } from '../../parsing/text.ts';
import {
  type FileColumns,
  formatInputCell,
  type HeadingOptions,
  type InputColumn,
  type InputLayout,
  isFixed,
  listFileColumns,
  matchHeadings,
  parseCell,
  parseHeadingOptions,
} from './columns.ts';

/** A command's flags as the columns of a file: a cell is checked as the flag would be. */

/** A cell of a file that is to change a record, beside the field that shows it. */
export interface InputCell {
  /** As the file calls it. */
  readonly column: string;
  readonly field: string;
  /** The parameter that it sets; undefined where it only may say what the record says. */
  readonly parameter?: string;
  /** Never empty. */
  readonly text: string;
}

export interface CheckedRow {
  /** The row says that it is for another command: it is passed over. */
  readonly other?: true;
  /** Whether it says more of its record than the command sets: then it is checked beside its record. */
  readonly exported?: boolean;
  /** The record that the row is about, as written; `undefined` where the command has none or the row names none. */
  readonly target: string | undefined;
  readonly values: readonly CheckedValue[];
  /** What is wrong, each beginning with its column. */
  readonly problems: readonly string[];
}

/** The headings of a row, and its cells. */
type Names = readonly string[];
type Cells = readonly unknown[];

/** Gets the parameters that a row has. @throws UsageError when a required one is missing */
export type RequireParameters = (
  values: Readonly<Record<string, unknown>>,
  nameOf: (parameter: string) => string,
) => void;

/** What a row of a command's input may say. */
export class RowSchema {
  readonly #operation: string | undefined;
  readonly #columns: FileColumns;
  readonly #options: HeadingOptions;
  readonly #calendar: Calendar;
  readonly #requireParameters: RequireParameters;
  /** What flags give for all rows. */
  readonly #flagValues: readonly GivenValue[];
  /** By headings, which rows share. */
  readonly #layouts = new Map<Names, InputLayout>();
  /** What is required and missing, by the parameters that a row has. */
  readonly #missing = new Map<string, readonly string[]>();

  /** @throws UsageError for a wrong `--map`, and for a positional that the rows would have */
  constructor(invocation: Invocation, calendar: Calendar, requireParameters: RequireParameters) {
    const { command, options } = invocation;
    this.#operation = command.operation?.id;
    this.#columns = listFileColumns(command);
    this.#options = parseHeadingOptions(options, this.#columns);
    this.#calendar = calendar;
    this.#requireParameters = requireParameters;
    const bindings = new Set<Binding>([...this.#columns.values.values()].map(({ binding }) => binding));
    this.#flagValues = listGivenValues(invocation).filter(({ binding }) => bindings.has(binding));
    const operand = this.#flagValues.find(({ where }) => where.startsWith('<'));
    if (operand !== undefined) throw new UsageError(`--from-file cannot be used with ${operand.where}`);
  }

  /** What is wrong with the headings; every row with them is then read for the other columns only. */
  headingProblems(names: Names): InputLayout['problems'] {
    return this.#layout(names).problems;
  }

  check(names: Names, cells: Cells): CheckedRow {
    const layout = this.#layout(names);
    const row = this.#sortCells(layout, names, cells);
    if (row.operation !== undefined && row.operation !== this.#operation)
      return { target: row.target, values: [], problems: [], other: true };
    const given = new Set(row.given.map(({ binding }) => binding.name));
    const all = [...this.#flagValues.filter(({ binding }) => !given.has(binding.name)), ...row.given];
    const checked = checkGiven(all, this.#calendar);
    const problems = [...row.problems, ...checked.problems.map(({ message }) => message)];
    // A target that cannot be read is not missing as well.
    const target = layout.columns.find((column) => column?.use === 'target')?.name;
    const isGiven = row.target !== undefined || row.problems.some((one) => one.startsWith(`${target}: `));
    if (target !== undefined && !isGiven) problems.push(`missing ${target}`);
    const isExported =
      row.problems.length === 0 &&
      this.#listCells(layout, names, cells).some(({ parameter }) => parameter === undefined);
    const parameters = [...all.map(({ binding }) => binding.name), ...this.#meant(layout)];
    const missing = row.problems.length > 0 || isExported ? [] : this.#findMissing(parameters);
    return {
      exported: isExported,
      target: row.target,
      values: [...row.plain, ...checked.values],
      problems: [...problems, ...missing],
    };
  }

  /** What the row says of its record; undefined for a command that makes one. */
  cells(names: Names, cells: Cells): readonly InputCell[] | undefined {
    return this.#columns.changes && this.#listCells(this.#layout(names), names, cells);
  }

  /** The row under the schema's own column names, for a file that can be fed back. */
  texts(names: Names, cells: Cells): Readonly<Record<string, string>> {
    const known = this.#layout(names).columns.flatMap((column, index) =>
      column === undefined ? [] : [[column.name, formatInputCell(cells[index], column)]],
    );
    return Object.fromEntries(known);
  }

  #layout(names: Names): InputLayout {
    const layout = this.#layouts.get(names) ?? matchHeadings(names, this.#columns, this.#options);
    this.#layouts.set(names, layout);
    return layout;
  }

  /** The cells of a row by what they are for. */
  #sortCells({ columns }: InputLayout, names: Names, cells: Cells): SortedRow {
    const row: SortedRow = { target: undefined, operation: undefined, given: [], plain: [], problems: [] };
    for (const [index, column] of columns.entries()) {
      try {
        if (names[index]?.trim() === '' && formatInputCell(cells[index]).trim() !== '')
          throw new UsageError(`${quoteText(formatInputCell(cells[index]))} is in a column without a name`);
        if (column !== undefined) this.#addCell(row, column, cells[index]);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        row.problems.push(column === undefined ? error.message : `${column.name}: ${error.message}`);
      }
    }
    return row;
  }

  #addCell(row: SortedRow, column: InputColumn, cell: unknown): void {
    if (column.use === 'shown' || column.use === 'passed') return;
    if (column.use === 'value') {
      const { changes } = this.#columns;
      if (isFixed(changes, column, cell)) return;
      const raw = parseCell(cell, column, changes?.written?.[column.field]);
      if (raw === undefined) return;
      // A record that is changed may have one already, which its row then says as it is.
      if (changes === undefined && namesSomething(column.binding))
        checkVisible(formatInputCell(cell, column));
      row.given.push({ binding: column.binding, raw, where: column.name });
      return;
    }
    const text = formatInputCell(cell).trim();
    if (text === '') return;
    if (column.use === 'plain') row.plain.push({ name: column.name, known: text });
    else if (column.use === 'operation') row.operation = text;
    else {
      checkVisible(text);
      row.target = text;
    }
  }

  /** What a row says of its record, beside the fields that show it. */
  #listCells({ columns }: InputLayout, names: Names, cells: Cells): readonly InputCell[] {
    const { changes } = this.#columns;
    if (changes === undefined) return [];
    return columns.flatMap((column, index): InputCell[] => {
      if (column === undefined) return [];
      const text = formatInputCell(cells[index], column).trim();
      if (text === '') return [];
      const heading = names[index]?.trim() ?? '';
      if (column.use === 'shown') return [{ column: heading, field: column.name, text }];
      if (column.use !== 'value') return [];
      const cell = { column: heading, field: column.field, text };
      return [isFixed(changes, column, cells[index]) ? cell : { ...cell, parameter: column.binding.name }];
    });
  }

  #findMissing(parameters: readonly string[]): readonly string[] {
    const key = parameters.join();
    const known = this.#missing.get(key);
    if (known !== undefined) return known;
    let missing: readonly string[] = [];
    try {
      const columns = [...this.#columns.values.values()];
      this.#requireParameters(
        Object.fromEntries(parameters.map((name) => [name, true])),
        (parameter) => columns.find(({ binding }) => binding.name === parameter)?.name ?? parameter,
      );
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing = [error.message];
    }
    this.#missing.set(key, missing);
    return missing;
  }

  /** Parameters that misspelt headings mean: every row would lack the same. */
  #meant({ suggestedColumns }: InputLayout): readonly string[] {
    return suggestedColumns.flatMap((name) => this.#columns.values.get(name)?.binding.name ?? []);
  }
}

interface SortedRow {
  target: string | undefined;
  /** The id of the operation that the row is for, where it says one. */
  operation: string | undefined;
  readonly given: GivenValue[];
  readonly plain: CheckedValue[];
  readonly problems: string[];
}

/** Whether it is an address or a name. */
function namesSomething({ lookup, name, parameter: { type } }: Binding): boolean {
  return type === 'email' || lookup !== undefined || /name$/.test(name);
}
