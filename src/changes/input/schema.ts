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
  readonly column: string;
  readonly field: string;
  /** The parameter that it sets; undefined where it only may say what the record says. */
  readonly parameter?: string;
  /** Never empty. */
  readonly text: string;
}

export interface CheckedRow {
  /** The row says that it is for another command: it is passed over. */
  readonly isOther: boolean;
  /** Whether it says more of its record than the command sets: then it is checked beside its record. */
  readonly isExported: boolean;
  /** The record that the row is about, as written; `undefined` where the command has none or the row names none. */
  readonly target: string | undefined;
  readonly values: readonly CheckedValue[];
  /** What it says of its record, beside the fields that show it; undefined for a command that makes one. */
  readonly cells: readonly InputCell[] | undefined;
  /** Column → text under the schema's own names, as a file has it that can be fed back. */
  readonly columns: Readonly<Record<string, string>>;
  /** What is wrong, each beginning with its column. */
  readonly problems: readonly string[];
}

/** Gets the parameters that a row has. @throws UsageError when a required one is missing */
type RequireParameters = (
  values: Readonly<Record<string, unknown>>,
  nameOf: (parameter: string) => string,
) => void;

export class RowSchema {
  readonly #operation: string | undefined;
  readonly #columns: FileColumns;
  readonly #options: HeadingOptions;
  readonly #calendar: Calendar;
  readonly #requireParameters: RequireParameters;
  /** What flags give for all rows. */
  readonly #flagValues: readonly GivenValue[];
  /** By headings, which rows share. */
  readonly #layouts = new Map<readonly string[], InputLayout>();
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

  /** Where there are problems, every row with these headings is read for the other columns only. */
  layout(names: readonly string[]): InputLayout {
    const layout = this.#layouts.get(names) ?? matchHeadings(names, this.#columns, this.#options);
    this.#layouts.set(names, layout);
    return layout;
  }

  check(names: readonly string[], cells: readonly unknown[]): CheckedRow {
    const layout = this.layout(names);
    const row = this.#readCells(layout, names, cells);
    const { target } = row;
    const given = new Set(row.given.map(({ binding }) => binding.name));
    const all = [...this.#flagValues.filter(({ binding }) => !given.has(binding.name)), ...row.given];
    const checked = checkGiven(all, this.#calendar);
    const problems = [...row.problems, ...checked.problems.map(({ message }) => message)];
    // A target that cannot be read is not missing as well.
    const column = layout.columns.find((one) => one?.use === 'target')?.name;
    if (
      column !== undefined &&
      target === undefined &&
      !problems.some((one) => one.startsWith(`${column}: `))
    )
      problems.push(`missing ${column}`);
    const isExported =
      row.problems.length === 0 && row.cells.some(({ parameter }) => parameter === undefined);
    const isReadable = row.problems.length === 0 && layout.problems.length === 0;
    const missing =
      isReadable && !isExported ? this.#findMissing(all.map(({ binding }) => binding.name)) : [];
    return {
      ...{ target, isExported, columns: row.columns, problems: [...problems, ...missing] },
      isOther: row.operation !== undefined && row.operation !== this.#operation,
      values: [...row.plain, ...checked.values],
      cells: this.#columns.changes && row.cells,
    };
  }

  #readCells({ columns }: InputLayout, names: readonly string[], cells: readonly unknown[]): RowCells {
    const row: RowCells = { given: [], plain: [], cells: [], columns: {}, problems: [] };
    for (const [i, column] of columns.entries()) {
      const heading = names[i]?.trim() ?? '';
      try {
        if (column !== undefined) this.#addCell(row, column, heading, cells[i]);
        else if (heading === '' && formatInputCell(cells[i]).trim() !== '')
          throw new UsageError(`${quoteText(formatInputCell(cells[i]))} is in a column without a name`);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        row.problems.push(column === undefined ? error.message : `${column.name}: ${error.message}`);
      }
    }
    return row;
  }

  #addCell(row: RowCells, column: InputColumn, heading: string, cell: unknown): void {
    const { changes } = this.#columns;
    const { name, use } = column;
    const written = formatInputCell(cell, column);
    const text = written.trim();
    row.columns[name] = written;
    if (text === '') return;
    if (use === 'shown') row.cells.push({ column: heading, field: name, text });
    else if (use === 'plain') row.plain.push({ name, known: text });
    else if (use === 'operation') row.operation = text;
    else if (use === 'target') {
      checkVisible(text);
      row.target = text;
    } else if (use === 'value') {
      const { binding, field } = column;
      const isKept = isFixed(changes, column, cell);
      const parameter = isKept ? {} : { parameter: binding.name };
      if (changes !== undefined) row.cells.push({ column: heading, field, text, ...parameter });
      const raw = isKept ? undefined : parseCell(cell, column, changes?.written?.[field]);
      if (raw === undefined) return;
      // A record that is changed may have one already, which its row then says as it is.
      if (changes === undefined && namesSomething(binding)) checkVisible(written);
      row.given.push({ binding, raw, where: name });
    }
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
}

interface RowCells {
  target?: string;
  /** The id of the operation that the row is for, where it says one. */
  operation?: string;
  readonly given: GivenValue[];
  readonly plain: CheckedValue[];
  readonly cells: InputCell[];
  readonly columns: Record<string, string>;
  readonly problems: string[];
}

function namesSomething({ lookup, name, parameter: { type } }: Binding): boolean {
  return type === 'email' || lookup !== undefined || /name$/.test(name);
}
