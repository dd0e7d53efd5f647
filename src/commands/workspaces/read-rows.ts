import { checkRequired, NO_EXTRA, type Values } from '../../api/plan.ts';
import { resolveRowValues } from '../../changes/input/input-file.ts';
import { readRows } from '../../changes/input/read.ts';
import type { CheckedRow, RawRow, RowSchema } from '../../changes/input/row.ts';
import type { RowProblems } from '../../changes/input/row-problems.ts';
import { type Command, listCommands, type Program } from '../../cli/command.ts';
import type { Context, InputCell } from '../../context.ts';
import { quoteText, UsageError } from '../../outcome.ts';
import { findNearest } from '../../parsing/names.ts';
import { foldHeading } from '../input-columns.ts';
import { createRowSchema } from '../row-schema.ts';
import type { FolderFile } from './files.ts';

/** The rows of one file of a folder, each cell checked as the flag of a command would be. */

/** A row of a file. */
export interface FolderRow {
  /** The file, as messages name it. */
  readonly place: string;
  readonly line: number;
  /** Undefined: a new record. */
  readonly id: string | undefined;
  /** What it says, by the column; not what is beside ids. Columns that the file does not have are missing. */
  readonly texts: Readonly<Record<string, string>>;
  /** Names stand where ids will. */
  readonly values: Values;
  /** Of a new record: what is set once it is made. */
  readonly later: Values;
  /** Beside the fields that show them. */
  readonly cells: readonly InputCell[];
}

export interface FolderSheet extends FolderFile {
  readonly rows: readonly FolderRow[];
  /** Where it only says whom to add: nobody is missing from it. */
  readonly adds?: true;
}

/** Columns as a file has them, cells as text. */
export interface TextRow extends Pick<RawRow, 'line'> {
  readonly texts: Readonly<Record<string, string>>;
}

/** Other names of columns: those of the flags and of the API. */
const ALIASES: Readonly<Record<string, string>> = {
  project: 'project_id',
  member: 'user_id',
  current_role: 'role',
  budget_estimation: 'budget',
  event: 'events',
  assignee: 'assignees',
};

const normalizeHeading = (heading: string, known: readonly string[]): string => {
  const folded = foldHeading(heading);
  const isMeant = (name: string): boolean => foldHeading(name) === folded;
  const alias = Object.keys(ALIASES).find(isMeant);
  return known.find(isMeant) ?? (alias === undefined ? heading.trim() : (ALIASES[alias] ?? alias));
};

/** @param problems gets what is wrong with the headings, and rows that cannot be read */
export const readTextRows = async (
  place: string,
  text: string,
  known: readonly string[],
  problems: RowProblems,
): Promise<readonly TextRow[]> => {
  const rows: TextRow[] = [];
  let names: readonly string[] | undefined;
  const readHeading = ({ names: headings, heading }: RawRow): readonly string[] => {
    const found = headings.map((heading) => normalizeHeading(heading, known));
    for (const [i, name] of found.entries()) {
      const nearest = findNearest(name, known);
      const advice =
        nearest === undefined ? `the columns are ${known.join(', ')}` : `did you mean ${nearest}?`;
      if (!known.includes(name))
        problems.add(heading, `unknown column ${quoteText(headings[i] ?? '')}: ${advice}`);
      else if (found.indexOf(name) < i) problems.add(heading, `column ${name} is there twice`);
    }
    return found;
  };
  // A heading alone is read with itself as a row, which is left out: all records would be missing from a wrong file.
  const isAlone = !/[\r\n]/.test(text.trim());
  try {
    for await (const row of readRows(place, isAlone ? `${text.trim()}\n${text.trim()}` : text)) {
      if ('problem' in row) problems.add(row.line, row.problem);
      else {
        names ??= readHeading(row);
        const cells = names.map((name, i) => [name, String(row.cells[i] ?? '')] as const);
        if (!isAlone) rows.push({ line: row.line, texts: Object.fromEntries(cells) });
      }
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    problems.add(Number(error.details['line'] ?? 1), error.message, error.hint);
  }
  return rows;
};

const findCommand = (program: Program, ...paths: readonly string[]): Command | undefined =>
  listCommands(program).find(({ path }) => paths.includes(path));

/** Checks cells as the flags of a command. Of a record that is there nothing is required. */
const createSchema = (context: Context, command: Command): RowSchema => {
  const invocation = { command, options: {}, globals: {}, operands: [], typed: [], repeated: [] };
  const calendar = { now: context.clock.now(), timeZone: context.timeZone };
  return createRowSchema(invocation, calendar, (given, flagOf) => {
    const { operation, name } = command;
    if (operation !== undefined && name !== 'update')
      checkRequired(operation, given, { extra: NO_EXTRA, flagOf });
  });
};

/** The columns of a schema that a row has. */
const createCheck = (schema: RowSchema | undefined, columns: readonly string[]) => {
  const layouts = new Map<string, readonly string[]>();
  return (texts: TextRow['texts']) => {
    const present = columns.filter((name) => texts[name] !== undefined);
    const names = layouts.get(present.join()) ?? present;
    layouts.set(present.join(), names);
    const cells = names.map((name) => texts[name]);
    const checked: Pick<CheckedRow, 'values' | 'problems'> = schema?.check(names, cells) ?? {
      values: [],
      problems: [],
    };
    const values = resolveRowValues(checked.values, ({ texts: written }) => written);
    return { values, problems: checked.problems, cells: schema?.cells(names, cells) ?? [] };
  };
};

/** A row with the name in the place of an id that is left out. */
const withNames = (texts: TextRow['texts'], { columns }: FolderFile): TextRow['texts'] => {
  const named = columns.flatMap(({ name, beside }) =>
    beside !== undefined && (texts[beside] ?? '').trim() === '' && texts[name] !== undefined
      ? [[beside, texts[name]] as const]
      : [],
  );
  return { ...texts, ...Object.fromEntries(named) };
};

/** Rows of one file to what they ask for. */
export const createRowReader = (context: Context, program: Program, file: FolderFile) => {
  const { noun, columns, later = [], fixed = [], links } = file;
  const create = findCommand(program, `${noun} create`, `${noun} invite`);
  const update = findCommand(program, `${noun} update`);
  const own = columns.filter(({ beside }) => beside === undefined).map(({ name }) => name);
  const checkNew = createCheck(
    create && createSchema(context, create),
    own.filter((name) => name !== 'id' && !later.includes(name)),
  );
  const updateSchema = update && createSchema(context, update);
  const checkLater = createCheck(updateSchema, later);
  const isSettable = (name: string): boolean => name !== links && !fixed.includes(name);
  const checkChange = createCheck(updateSchema, own.filter(isSettable));
  return (place: string, { line, texts: written }: TextRow, problems: RowProblems): FolderRow => {
    const id = written['id']?.trim() || undefined;
    const texts = id === undefined ? withNames(written, file) : written;
    const change = checkChange(texts);
    const { cells } = change;
    const { values, problems: wrong } = id === undefined ? checkNew(texts) : change;
    const after = id === undefined ? checkLater({ id: '0', ...texts }) : undefined;
    for (const problem of new Set([...wrong, ...(after?.problems ?? [])])) problems.add(line, problem);
    const { id: _id, ...set } = after?.values ?? {};
    return { place, line, id, texts, values, later: set, cells };
  };
};
