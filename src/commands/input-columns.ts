import type { Command } from '../cli/command.ts';
import type { Binding } from '../cli/flag.ts';
import { findNearest } from '../parsing/names.ts';
import { PEOPLE } from '../resources/kinds.ts';

/** The columns of a command's input file: its flags under their own names, and what names the record. */

/**
 * `target` names the record, `plain` is handed to the command as it is written, `operation` says which command the row
 * is for: a run of several operations leaves its failed rows in one file.
 */
export type InputColumn =
  | { readonly name: string; readonly use: 'value'; readonly binding: Binding }
  | { readonly name: string; readonly use: 'target' | 'plain' | 'operation' };

export interface InputFileColumns {
  readonly values: ReadonlyMap<string, InputColumn>;
  /** Names of the column that names the record, the usual one first; none where the command makes one. */
  readonly target: readonly string[];
  readonly plain: readonly string[];
}

const listTargetNames = (command: Command): readonly string[] => {
  const positional = command.positionals.find(({ binding }) => binding === undefined);
  if (positional === undefined) return [];
  const { name } = positional;
  return [...new Set(['id', name, ...(PEOPLE.has(name) ? ['email'] : [])])];
};

/** What a file for this command may say. Filters of `--all` are not among it. */
export const listInputColumns = (command: Command): InputFileColumns => {
  const { operation, input, positionals, flags } = command;
  const values = new Map<string, InputColumn>();
  for (const { binding, name: flagName } of [...positionals, ...flags]) {
    if (binding === undefined || binding.operation !== operation) continue;
    const name = flagName.replaceAll('-', '_');
    values.set(name, { name, use: 'value', binding });
  }
  return { values, target: input?.target ?? listTargetNames(command), plain: input?.plain ?? [] };
};

/** The heading of a file for this command. */
export const formatTemplate = (command: Command): string => {
  const { values, target, plain } = listInputColumns(command);
  return [...target.slice(0, 1), ...plain, ...values.keys()].join(',');
};

/** The headings of one file, each with its column; `undefined`: passed over. */
export interface InputLayout {
  readonly columns: readonly (InputColumn | undefined)[];
  /** Columns that unknown headings probably mean. */
  readonly suggestedColumns: readonly string[];
  readonly problems: readonly string[];
}

/** Added to the rows of a file of failed ones. */
const ERROR = 'error';
/** In a file of rows for several commands, which have other columns too. */
const OPERATION = 'operation';

const normalizeHeading = (name: string): string => name.trim().toLowerCase().replaceAll('-', '_');

const findColumn = (
  name: string,
  { values, target, plain }: InputFileColumns,
  hasTargetColumn: boolean,
): InputColumn | undefined => {
  // A column that is a flag too, an e-mail address, names the record where nothing else does.
  if (target.includes(name) && !(values.has(name) && hasTargetColumn)) return { name, use: 'target' };
  if (plain.includes(name)) return { name, use: 'plain' };
  return values.get(name) ?? (name === OPERATION ? { name, use: 'operation' } : undefined);
};

const listColumnNames = ({ values, target, plain }: InputFileColumns): readonly string[] => [
  ...new Set([...target, ...plain, ...values.keys()]),
];

const suggestColumn = (name: string, columns: InputFileColumns): string | undefined => {
  const sameField = [...columns.values.values()].find(
    (column) => column.use === 'value' && column.binding.name === name,
  );
  return sameField?.name ?? findNearest(name, listColumnNames(columns));
};

const describeUnknownColumn = (name: string, columns: InputFileColumns): string => {
  const suggestion = suggestColumn(name, columns);
  const advice =
    suggestion === undefined
      ? `the known columns are ${listColumnNames(columns).join(', ')}`
      : `did you mean ${suggestion}?`;
  return `unknown column "${name}": ${advice}`;
};

/** Problems of the headings taken together: duplicates, several or no target columns. */
const findClashes = (usedColumns: readonly InputColumn[], { target }: InputFileColumns): string[] => {
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const { name } of usedColumns) (seen.has(name) ? duplicates : seen).add(name);
  const targetColumns = [
    ...new Set(usedColumns.filter(({ use }) => use === 'target').map(({ name }) => name)),
  ];
  return [
    ...[...duplicates].map((name) => `the column ${name} appears twice`),
    ...(targetColumns.length > 1
      ? [`the columns ${targetColumns.join(' and ')} both identify the record; keep one`]
      : []),
    ...(targetColumns.length === 0 && target.length > 0
      ? [`no column identifies the record: ${target.join(' or ')}`]
      : []),
  ];
};

/** Unknown headings that are reported one by one; a file with more is probably another file. */
const MAX_REPORTED = 50;

export const matchHeadings = (headings: readonly string[], columns: InputFileColumns): InputLayout => {
  const names = headings.map(normalizeHeading);
  const hasTargetColumn = names.some((name) => columns.target.includes(name) && !columns.values.has(name));
  const matchedColumns = names.map((name) =>
    name === '' || name === ERROR ? undefined : findColumn(name, columns, hasTargetColumn),
  );
  const usedColumns = matchedColumns.filter((column) => column !== undefined);
  const isMixedFile = usedColumns.some(({ use }) => use === 'operation');
  const unknownNames = names.filter(
    (name, index) => matchedColumns[index] === undefined && name !== '' && name !== ERROR && !isMixedFile,
  );
  const reported = unknownNames.slice(0, MAX_REPORTED);
  const more = unknownNames.length - reported.length;
  return {
    columns: matchedColumns,
    suggestedColumns: reported.flatMap((name) => suggestColumn(name, columns) ?? []),
    problems: [
      ...reported.map((name) => describeUnknownColumn(name, columns)),
      ...(more > 0 ? [`${more} more columns are unknown`] : []),
      ...findClashes(usedColumns, columns),
    ],
  };
};
