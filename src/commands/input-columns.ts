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

const targetNames = (command: Command): readonly string[] => {
  const positional = command.positionals.find(({ binding }) => binding === undefined);
  if (positional === undefined) return [];
  const { name } = positional;
  return [...new Set(['id', name, ...(PEOPLE.has(name) ? ['email'] : [])])];
};

/** What a file for this command may say. Filters of `--all` are not among it. */
export const listInputColumns = (command: Command): InputFileColumns => {
  const { operation, input, positionals, flags } = command;
  const values = new Map<string, InputColumn>();
  for (const { binding, name: own } of [...positionals, ...flags]) {
    if (binding === undefined || binding.operation !== operation) continue;
    const name = own.replaceAll('-', '_');
    values.set(name, { name, use: 'value', binding });
  }
  return { values, target: input?.target ?? targetNames(command), plain: input?.plain ?? [] };
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
  readonly meant: readonly string[];
  readonly problems: readonly string[];
}

/** Added to the rows of a file of failed ones. */
const ERROR = 'error';
/** In a file of rows for several commands, which have other columns too. */
const OPERATION = 'operation';

const plain = (name: string): string => name.trim().toLowerCase().replaceAll('-', '_');

const columnOf = (
  name: string,
  { values, target, plain }: InputFileColumns,
  named: boolean,
): InputColumn | undefined => {
  // A column that is a flag too, an e-mail address, names the record where nothing else does.
  if (target.includes(name) && !(values.has(name) && named)) return { name, use: 'target' };
  if (plain.includes(name)) return { name, use: 'plain' };
  return values.get(name) ?? (name === OPERATION ? { name, use: 'operation' } : undefined);
};

const namesOf = ({ values, target, plain }: InputFileColumns): readonly string[] => [
  ...new Set([...target, ...plain, ...values.keys()]),
];

const suggestColumn = (name: string, columns: InputFileColumns): string | undefined => {
  const sameField = [...columns.values.values()].find(
    (column) => column.use === 'value' && column.binding.name === name,
  );
  return sameField?.name ?? findNearest(name, namesOf(columns));
};

const unknown = (name: string, columns: InputFileColumns): string => {
  const meant = suggestColumn(name, columns);
  const advice =
    meant === undefined ? `the known columns are ${namesOf(columns).join(', ')}` : `did you mean ${meant}?`;
  return `unknown column "${name}": ${advice}`;
};

/** What is wrong with the headings as a whole. */
const clashes = (used: readonly InputColumn[], { target }: InputFileColumns): string[] => {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of used) (seen.has(name) ? twice : seen).add(name);
  const naming = [...new Set(used.filter(({ use }) => use === 'target').map(({ name }) => name))];
  return [
    ...[...twice].map((name) => `the column ${name} appears twice`),
    ...(naming.length > 1 ? [`the columns ${naming.join(' and ')} both identify the record; keep one`] : []),
    ...(naming.length === 0 && target.length > 0
      ? [`no column identifies the record: ${target.join(' or ')}`]
      : []),
  ];
};

/** Unknown headings that are reported one by one; a file with more is probably another file. */
const MAX_REPORTED = 50;

export const matchHeadings = (headings: readonly string[], columns: InputFileColumns): InputLayout => {
  const names = headings.map(plain);
  const named = names.some((name) => columns.target.includes(name) && !columns.values.has(name));
  const found = names.map((name) =>
    name === '' || name === ERROR ? undefined : columnOf(name, columns, named),
  );
  const used = found.filter((column) => column !== undefined);
  const mixed = used.some(({ use }) => use === 'operation');
  const unknownNames = names.filter(
    (name, index) => found[index] === undefined && name !== '' && name !== ERROR && !mixed,
  );
  const reported = unknownNames.slice(0, MAX_REPORTED);
  const more = unknownNames.length - reported.length;
  return {
    columns: found,
    meant: reported.flatMap((name) => suggestColumn(name, columns) ?? []),
    problems: [
      ...reported.map((name) => unknown(name, columns)),
      ...(more > 0 ? [`${more} more columns are unknown`] : []),
      ...clashes(used, columns),
    ],
  };
};
