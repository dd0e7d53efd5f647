import type { Resource } from '../api/fields.ts';
import { getNameField, PEOPLE, type RecordKind } from '../api/kinds.ts';
import { nounOf } from '../api/operation.ts';
import { findResource } from '../api/records.ts';
import type { Command } from '../cli/command.ts';
import type { Binding } from '../cli/flag.ts';
import { UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { findNearest, quoteText } from '../parsing/text.ts';

/**
 * The columns of a command's input file: its flags under their own names and those of the API, what names the record,
 * and, of a file that is to change records, whatever else a list of them has.
 */

/**
 * `target` names the record, `plain` is handed to the command as it is written, `operation` says which command the row
 * is for: a run of several operations leaves its failed rows in one file. `shown` is a field that the command does not
 * set, and `passed` a column that it does not need.
 */
export type InputColumn =
  | {
      readonly name: string;
      readonly use: 'value';
      readonly binding: Binding;
      /** The field of the record that shows it. */
      readonly field: string;
    }
  | { readonly name: string; readonly use: 'target' | 'plain' | 'operation' | 'shown' | 'passed' };

export interface InputFileColumns {
  readonly values: ReadonlyMap<string, InputColumn>;
  /** What is changed by the command; undefined where it makes a record. */
  readonly changes: Resource | undefined;
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
  const resource = operation && findResource(nounOf(operation));
  for (const { binding, name: flagName } of [...positionals, ...flags]) {
    if (binding === undefined || binding.operation !== operation) continue;
    const name = flagName.replaceAll('-', '_');
    const field = resource?.shownAs?.[binding.name] ?? binding.name;
    values.set(name, { name, use: 'value', binding, field });
  }
  return {
    values,
    changes: command.name === 'update' ? resource : undefined,
    target: input?.target ?? listTargetNames(command),
    plain: input?.plain ?? [],
  };
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
  readonly problems: readonly { readonly text: string; readonly hint?: string }[];
}

/** Added to the rows of a file of failed ones. */
const ERROR = 'error';
/** In a file of rows for several commands, which have other columns too. */
const OPERATION = 'operation';

/** Headings are the same without case, spaces, hyphens and underscores: `First Name`, `E-Mail`. */
export const foldHeading = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

/** The name of the column that a heading means; a heading that means none as it is written. */
const toColumnName = (heading: string, columns: InputFileColumns): string => {
  const { values, target, plain, changes } = columns;
  const fields = [...values.values()].flatMap((column) =>
    column.use === 'value' ? [column.field, column.binding.name] : [],
  );
  const names = [...target, ...plain, ...values.keys(), ...fields, OPERATION, ERROR];
  const folded = foldHeading(heading);
  const isMeant = (name: string): boolean => foldHeading(name) === folded;
  const name = names.find(isMeant) ?? Object.keys(changes?.fields ?? {}).find(isMeant) ?? heading.trim();
  return name.includes('.') ? name.toLowerCase().replaceAll('-', '_') : name;
};

const findColumn = (
  name: string,
  columns: InputFileColumns,
  hasTargetColumn: boolean,
): InputColumn | undefined => {
  const { values, target, plain, changes } = columns;
  // A column that is a flag too, an e-mail address, names the record where nothing else does.
  if (target.includes(name) && !(values.has(name) && hasTargetColumn)) return { name, use: 'target' };
  if (plain.includes(name)) return { name, use: 'plain' };
  const known = values.get(name) ?? findByField(name, columns) ?? findJoined(name, columns);
  if (known !== undefined) return known;
  if (name === OPERATION) return { name, use: 'operation' };
  if (changes === undefined) return undefined;
  if (Object.hasOwn(changes.fields, name)) return { name, use: 'shown' };
  // A list as CSV has it beside a day in words.
  return Object.hasOwn(changes.fields, name.replace(/_iso$/, '')) ? { name, use: 'passed' } : undefined;
};

/** A column that is called as the API calls it: `expense_name`, `current_role`. A switch shows nothing. */
const findByField = (name: string, { values }: InputFileColumns): InputColumn | undefined =>
  [...values.values()].find(
    (column) =>
      column.use === 'value' &&
      column.binding.parameter.on === undefined &&
      (column.field === name || column.binding.name === name),
  );

/** `member.email`, `project.name`: what names a record that the row is about, or only tells more of it. */
const findJoined = (name: string, { values, changes }: InputFileColumns): InputColumn | undefined => {
  const [, kind = ''] = /^(member|viewer|project|policy|category)\.\w+$/.exec(name) ?? [];
  const named = [...values.values()].find(
    (column) =>
      column.use === 'value' &&
      column.binding.lookup === kind &&
      getNameField(kind as RecordKind) === name.split('.')[1],
  );
  if (kind === '') return undefined;
  return named ?? (changes === undefined ? undefined : { name, use: 'passed' });
};

const listColumnNames = ({ values, target, plain }: InputFileColumns): readonly string[] => [
  ...new Set([...target, ...plain, ...values.keys()]),
];

const suggestColumn = (name: string, columns: InputFileColumns): string | undefined =>
  findNearest(name.toLowerCase().replace(/[\s-]/g, '_'), listColumnNames(columns));

const describeUnknownColumn = (name: string, columns: InputFileColumns): string => {
  const suggestion = suggestColumn(name, columns);
  const advice =
    suggestion === undefined
      ? `the known columns are ${listColumnNames(columns).join(', ')}`
      : `did you mean ${suggestion}?`;
  return `unknown column ${quoteText(name)}: ${advice}`;
};

/** How a file from elsewhere is read all the same. */
const describeMap = (heading: string, columns: InputFileColumns): string => {
  const pair = `${heading}=${suggestColumn(heading, columns) ?? '<column>'}`;
  return `Say what a column is with ${commandLine`--map ${pair}`}, or add --ignore-columns.`;
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
      ? [`no column identifies the record: add ${target.join(' or ')}`]
      : []),
  ];
};

/** Unknown headings that are reported one by one; a file with more is probably another file. */
const MAX_REPORTED = 50;

/** How the headings of a file are read. */
export interface HeadingOptions {
  /** Our names by the names in the file (`--map`). */
  readonly renamed: ReadonlyMap<string, string>;
  /** Whether unknown ones are passed over. */
  readonly ignoreUnknown: boolean;
}

/** @throws UsageError for what is not `name=column`, and a column that the command does not have */
export const parseHeadingOptions = (
  { map, ignoreColumns }: Readonly<Record<string, unknown>>,
  columns: InputFileColumns,
): HeadingOptions => {
  const pairs = (Array.isArray(map) ? map.map(String) : []).map((text): [string, string] => {
    const at = text.lastIndexOf('=');
    if (at < 1) throw new UsageError(`--map: ${quoteText(text)} is not name=column`);
    const name = toColumnName(text.slice(at + 1), columns);
    if (findColumn(name, columns, true) === undefined)
      throw new UsageError(`--map: ${describeUnknownColumn(name, columns)}`);
    return [text.slice(0, at).trim(), name];
  });
  return { renamed: new Map(pairs), ignoreUnknown: ignoreColumns === true };
};

export const matchHeadings = (
  headings: readonly string[],
  columns: InputFileColumns,
  { renamed, ignoreUnknown }: HeadingOptions,
): InputLayout => {
  const folded = headings.map(foldHeading);
  const renames = new Map([...renamed].map(([name, column]) => [foldHeading(name), column]));
  const names = headings.map((name) => renames.get(foldHeading(name)) ?? toColumnName(name, columns));
  const hasTargetColumn = names.some((name) => columns.target.includes(name) && !columns.values.has(name));
  const matchedColumns = names.map((name) =>
    name === '' || name === ERROR ? undefined : findColumn(name, columns, hasTargetColumn),
  );
  const usedColumns = matchedColumns.filter((column) => column !== undefined);
  const isMixedFile = usedColumns.some(({ use }) => use === 'operation');
  const unknownNames = names.filter(
    (name, index) =>
      matchedColumns[index] === undefined && name !== '' && name !== ERROR && !isMixedFile && !ignoreUnknown,
  );
  const reported = unknownNames.slice(0, MAX_REPORTED);
  const more = unknownNames.length - reported.length;
  const [example] = reported;
  const hint = example === undefined ? {} : { hint: describeMap(example, columns) };
  return {
    columns: matchedColumns,
    suggestedColumns: reported.flatMap((name) => suggestColumn(name, columns) ?? []),
    problems: [
      ...[...renamed.keys()]
        .filter((name) => !folded.includes(foldHeading(name)))
        .map((name) => ({ text: `--map: there is no column ${quoteText(name)}` })),
      ...reported.map((name) => ({ text: describeUnknownColumn(name, columns), ...hint })),
      ...(more > 0 ? [{ text: `${more} more columns are unknown` }] : []),
      ...findClashes(usedColumns, columns).map((text) => ({ text })),
    ],
  };
};
