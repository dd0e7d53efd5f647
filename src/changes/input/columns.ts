import type { RecordFacts } from '../../api/fields.ts';
import { nounOf } from '../../api/operation.ts';
import { findRecordFacts, KINDS, PEOPLE, type RecordKind } from '../../api/records.ts';
import type { Binding, CommandRecord } from '../../cli/flag.ts';
import { toKebabCase } from '../../commands/flags.ts';
import { UsageError } from '../../errors.ts';
import { isRecord, parseJson, toText } from '../../json.ts';
import { toIsoDay } from '../../parsing/names.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { findNearest, quoteText } from '../../parsing/text.ts';

/**
 * The columns of a command's input file: its flags under their own names and those of the API, what names the record,
 * and, of a file that is to change records, whatever else a list of them has.
 */

export interface ValueColumn {
  readonly name: string;
  readonly use: 'value';
  readonly binding: Binding;
  /** The field of the record that shows it. */
  readonly field: string;
}

/**
 * `target` names the record, `plain` is handed to the command as it is written, `operation` says which command the row
 * is for: a run of several operations leaves its failed rows in one file. `shown` is a field that the command does not
 * set, and `passed` a column that it does not need.
 */
export type InputColumn =
  | ValueColumn
  | { readonly name: string; readonly use: 'target' | 'plain' | 'operation' | 'shown' | 'passed' };

export interface FileColumns {
  /** By their names. */
  readonly values: ReadonlyMap<string, ValueColumn>;
  /** What is changed by the command; undefined where it makes a record. */
  readonly changes: RecordFacts | undefined;
  /** Names of the column that names the record, the usual one first; none where the command makes one. */
  readonly target: readonly string[];
  readonly plain: readonly string[];
}

/** What a file for this command may say. Filters of `--all` are not among it. */
export function listFileColumns(command: CommandRecord): FileColumns {
  const { operation, input, positionals, flags } = command;
  const resource = operation && findRecordFacts(nounOf(operation));
  const values = new Map<string, ValueColumn>();
  for (const { binding, name: flagName } of [...positionals, ...flags]) {
    if (binding === undefined || binding.operation !== operation) continue;
    const name = flagName.replaceAll('-', '_');
    const field = resource?.shownAs?.[binding.name] ?? binding.name;
    values.set(name, { name, use: 'value', binding, field });
  }
  const record = positionals.find(({ binding }) => binding === undefined)?.name;
  const names = record === undefined ? [] : ['id', record, ...(PEOPLE.has(record) ? ['email'] : [])];
  return {
    values,
    changes: operation?.undo?.kind === 'values' ? resource : undefined,
    target: input?.target ?? [...new Set(names)],
    plain: input?.plain ?? [],
  };
}

/** The heading of a file for this command. */
export function formatTemplate(command: CommandRecord): string {
  const { values, target, plain } = listFileColumns(command);
  return [...target.slice(0, 1), ...plain, ...values.keys()].join(',');
}

/** The headings of one file, each with its column; `undefined`: passed over. */
export interface InputLayout {
  readonly columns: readonly (InputColumn | undefined)[];
  readonly problems: readonly { readonly text: string; readonly hint?: string }[];
}

/** How the headings of a file are read. */
export interface HeadingOptions {
  /** Our names by the names in the file (`--map`). */
  readonly renamed: ReadonlyMap<string, string>;
  /** Whether unknown ones are passed over. */
  readonly ignoreUnknown: boolean;
}

/** @throws UsageError for what is not `name=column`, and a column that the command does not have */
export function parseHeadingOptions(
  { map, ignoreColumns }: Readonly<Record<string, unknown>>,
  columns: FileColumns,
): HeadingOptions {
  const renamed = new Map<string, string>();
  for (const text of Array.isArray(map) ? map.map(String) : []) {
    const at = text.lastIndexOf('=');
    if (at < 1) throw new UsageError(`--map: ${quoteText(text)} is not name=column`);
    const name = toColumnName(text.slice(at + 1), columns);
    if (findColumn(name, columns, true) === undefined)
      throw new UsageError(`--map: ${describeUnknownColumn(name, columns)}`);
    renamed.set(text.slice(0, at).trim(), name);
  }
  return { renamed, ignoreUnknown: ignoreColumns === true };
}

/** Unknown headings that are reported one by one; a file with more is probably another file. */
const MAX_REPORTED = 50;

export function matchHeadings(
  headings: readonly string[],
  columns: FileColumns,
  { renamed, ignoreUnknown }: HeadingOptions,
): InputLayout {
  const folded = headings.map(foldHeading);
  const renames = new Map([...renamed].map(([name, column]) => [foldHeading(name), column]));
  const names = headings.map((name, i) => renames.get(folded[i] ?? '') ?? toColumnName(name, columns));
  const hasTargetColumn = names.some((name) => columns.target.includes(name) && !columns.values.has(name));
  const isPassed = (name: string): boolean => name === '' || name === ERROR;
  const matched = names.map((name) =>
    isPassed(name) ? undefined : findColumn(name, columns, hasTargetColumn),
  );
  const used = matched.filter((column) => column !== undefined);
  const problems: { text: string; hint?: string }[] = [];
  for (const name of renamed.keys())
    if (!folded.includes(foldHeading(name)))
      problems.push({ text: `--map: there is no column ${quoteText(name)}` });
  const passesOver = ignoreUnknown || used.some(({ use }) => use === 'operation');
  const unknown = names.filter((name, i) => !passesOver && matched[i] === undefined && !isPassed(name));
  const pair = `${unknown[0]}=${suggestColumn(unknown[0] ?? '', columns) ?? '<column>'}`;
  const hint = `Say what a column is with ${commandLine`--map ${pair}`}, or add --ignore-columns.`;
  for (const name of unknown.slice(0, MAX_REPORTED))
    problems.push({ text: describeUnknownColumn(name, columns), hint });
  const more = unknown.length - MAX_REPORTED;
  if (more > 0) problems.push({ text: `${more} more columns are unknown` });
  const usedNames = used.map(({ name }) => name);
  for (const name of new Set(usedNames.filter((name, i) => usedNames.indexOf(name) < i)))
    problems.push({ text: `the column ${name} appears twice` });
  const targets = [...new Set(used.filter(({ use }) => use === 'target').map(({ name }) => name))];
  if (targets.length > 1)
    problems.push({ text: `the columns ${targets.join(' and ')} both identify the record; keep one` });
  if (targets.length === 0 && columns.target.length > 0)
    problems.push({ text: `no column identifies the record: add ${columns.target.join(' or ')}` });
  return { columns: matched, problems };
}

/**
 * A cell of a column as text; `''` means not given. The values of a list are joined with commas.
 * @throws UsageError for a list where one value is meant: `[17]` is no id
 */
export function formatInputCell(cell: unknown, column?: InputColumn): string {
  if (cell === null || cell === undefined) return '';
  // What a command does not set may be whatever a record has.
  const isList =
    column?.use === 'value'
      ? column.binding.parameter.type.endsWith('[]')
      : column?.use === 'shown' || column?.use === 'passed';
  if (Array.isArray(cell) && isList) return cell.map((item) => formatInputCell(item)).join(',');
  if (Array.isArray(cell)) throw new UsageError('must be a single value, not a list');
  if (isRecord(cell)) throw new UsageError('must be a single value, not an object');
  return String(cell);
}

/**
 * What a flag would have got for the cell; `undefined` where it would not have been given.
 * @param words of a record for the values of the field
 */
export function parseCell(
  cell: unknown,
  column: ValueColumn,
  words: Readonly<Record<string, unknown>> = {},
): unknown {
  const { parameter } = column.binding;
  const text = formatInputCell(cell, column);
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (Object.hasOwn(words, trimmed)) return words[trimmed];
  if (parameter.type === 'date') return toIsoDay(trimmed);
  if (parameter.type === 'boolean' || parameter.on !== undefined)
    return parseSwitch(trimmed) || (parameter.on === undefined ? false : undefined);
  if (parameter.type.endsWith('[]'))
    return parseJsonList(trimmed) ?? trimmed.split(',').flatMap((part) => part.trim() || []);
  // As some services and spreadsheets write whole numbers: `40.00`.
  if (parameter.type === 'integer') return trimmed.replace(/^(-?\d+)\.0+$/, '$1');
  // Spaces are part of a text, and of nothing else.
  return parameter.type === 'string' && parameter.choices === undefined ? text : trimmed;
}

/** Whether the service has this word for a field that nobody can set to it: the role of the owner. */
export function isFixed(resource: RecordFacts | undefined, column: ValueColumn, cell: unknown): boolean {
  const { parameter } = column.binding;
  const word = toKebabCase(formatInputCell(cell, column).trim());
  const isWord = (one: string) => toKebabCase(one) === word;
  const values = resource?.fields[column.field]?.values ?? [];
  return values.some(isWord) && !(parameter.choices ?? []).some(isWord);
}

/** Added to the rows of a file of failed ones. */
const ERROR = 'error';
/** In a file of rows for several commands, which have other columns too. */
const OPERATION = 'operation';

/** Headings are the same without case, spaces, hyphens and underscores: `First Name`, `E-Mail`. */
function foldHeading(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** The name of the column that a heading means; a heading that means none as it is written. */
function toColumnName(heading: string, { values, target, plain, changes }: FileColumns): string {
  const names = [
    ...[...target, ...plain, ...values.keys()],
    ...[...values.values()].flatMap(({ field, binding }) => [field, binding.name]),
    ...[OPERATION, ERROR, ...Object.keys(changes?.fields ?? {})],
  ];
  const folded = foldHeading(heading);
  const name = names.find((one) => foldHeading(one) === folded) ?? heading.trim();
  return name.includes('.') ? name.toLowerCase().replaceAll('-', '_') : name;
}

function findColumn(name: string, columns: FileColumns, hasTargetColumn: boolean): InputColumn | undefined {
  const { values, target, plain, changes } = columns;
  // A column that is a flag too, an e-mail address, names the record where nothing else does.
  if (target.includes(name) && !(values.has(name) && hasTargetColumn)) return { name, use: 'target' };
  if (plain.includes(name)) return { name, use: 'plain' };
  // As the API calls it: `expense_name`, `current_role`. A switch shows nothing.
  const all = [...values.values()];
  const known =
    values.get(name) ??
    all.find(
      ({ binding, field }) => binding.parameter.on === undefined && (field === name || binding.name === name),
    );
  if (known !== undefined) return known;
  // `member.email`, `project.name`: what names a record that the row is about, or only tells more of it.
  const [, kind, part] = /^(member|viewer|project|policy|category)\.(\w+)$/.exec(name) ?? [];
  if (kind !== undefined) {
    const isName = KINDS[kind as RecordKind]?.namedBy === part;
    const named = all.find(({ binding }) => isName && binding.lookup === kind);
    return named ?? (changes === undefined ? undefined : { name, use: 'passed' });
  }
  if (name === OPERATION) return { name, use: 'operation' };
  if (changes === undefined) return undefined;
  if (Object.hasOwn(changes.fields, name)) return { name, use: 'shown' };
  // A list as CSV has it beside a day in words.
  return Object.hasOwn(changes.fields, name.replace(/_iso$/, '')) ? { name, use: 'passed' } : undefined;
}

function listColumnNames({ values, target, plain }: FileColumns): readonly string[] {
  return [...new Set([...target, ...plain, ...values.keys()])];
}

function suggestColumn(name: string, columns: FileColumns): string | undefined {
  return findNearest(name.toLowerCase().replace(/[\s-]/g, '_'), listColumnNames(columns));
}

function describeUnknownColumn(name: string, columns: FileColumns): string {
  const suggestion = suggestColumn(name, columns);
  const known = `the known columns are ${listColumnNames(columns).join(', ')}`;
  return `unknown column ${quoteText(name)}: ${suggestion === undefined ? known : `did you mean ${suggestion}?`}`;
}

const YES = new Set(['yes', 'true', '1', 'y', 'on']);
const NO = new Set(['no', 'false', '0', 'n', 'off']);

function parseSwitch(text: string): boolean {
  const normalized = text.toLowerCase();
  if (!YES.has(normalized) && !NO.has(normalized))
    throw new UsageError(`${quoteText(text)} is not yes or no`);
  return YES.has(normalized);
}

/** The items of a list that a list of records has as JSON: ids, or records with one; undefined for another text. */
function parseJsonList(text: string): readonly string[] | undefined {
  const parsed = text.startsWith('[') ? parseJson(text) : undefined;
  if (parsed === undefined || !('value' in parsed) || !Array.isArray(parsed.value)) return undefined;
  return parsed.value.map((item) =>
    isRecord(item) ? toText(item.user_id ?? item.id) : formatInputCell(item),
  );
}
