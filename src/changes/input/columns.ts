import { PEOPLE, type RecordFacts } from '../../api/fields.ts';
import { checkRequired, type Extra } from '../../api/plan.ts';
import { findRecordFacts, KINDS, type RecordKind } from '../../api/records.ts';
import type { Binding, CommandRecord, Invocation } from '../../cli/flag.ts';
import { toKebabCase } from '../../commands/flags.ts';
import {
  type Calendar,
  type CheckedValue,
  checkGiven,
  type GivenValue,
  listGivenValues,
} from '../../commands/values.ts';
import { collectProblems, UsageError } from '../../errors.ts';
import { isRecord, parseJson, toText } from '../../json.ts';
import { parseZone } from '../../parsing/calendar.ts';
import { toIsoDay } from '../../parsing/names.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { checkVisible, quoteText } from '../../parsing/text.ts';

/**
 * The columns of a command's input file: its flags under their own names and those of the API, what names the record,
 * and, of a file that is to change records, whatever else a list of them has. A cell is checked as the flag would be.
 */

interface ValueColumn {
  readonly name: string;
  readonly use: 'value';
  readonly binding: Binding;
  readonly field: string;
}

/**
 * `target` names the record, `plain` is handed to the command as it is written, `operation` says which command the row
 * is for: a run of several operations leaves its failed rows in one file. `shown` is a field that the command does not
 * set, and `passed` a column that it does not need.
 */
type InputColumn =
  | ValueColumn
  | { readonly name: string; readonly use: 'target' | 'plain' | 'operation' | 'shown' | 'passed' };

interface FileColumns {
  /** What each heading means, without case, spaces, hyphens and underscores; undefined: nothing. */
  readonly known: ReadonlyMap<string, InputColumn | undefined>;
  readonly values: ReadonlyMap<string, ValueColumn>;
  /** What is changed by the command; undefined where it makes a record. */
  readonly changes: RecordFacts | undefined;
  /** Names of the column that names the record, the usual one first; none where the command makes one. */
  readonly target: readonly string[];
  readonly plain: readonly string[];
}

function listFileColumns(command: CommandRecord): FileColumns {
  const { operation, input, positionals, flags } = command;
  const resource = operation && findRecordFacts(operation.noun);
  const values = new Map<string, ValueColumn>();
  for (const { binding, name: flagName } of [...positionals, ...flags]) {
    if (binding === undefined || binding.operation !== operation) continue;
    const name = flagName.replaceAll('-', '_');
    const field = resource?.shownAs?.[binding.name] ?? binding.name;
    values.set(name, { name, use: 'value', binding, field });
  }
  const record = positionals.find(({ binding }) => binding === undefined)?.name;
  const own = record === undefined ? [] : ['id', record, ...(PEOPLE.has(record) ? ['email'] : [])];
  const target = input?.target ?? [...new Set(own)];
  const plain = input?.plain ?? [];
  const changes = operation?.undo?.kind === 'values' ? resource : undefined;
  const fields = Object.keys(changes?.fields ?? {});
  // As the API calls it: `expense_name`, `current_role`. A switch shows nothing.
  const shown = [...values.values()].filter(({ binding }) => binding.parameter.on === undefined);
  const all: readonly (readonly [heading: string, InputColumn | undefined])[] = [
    ...target.map((name) => [name, { name, use: 'target' }] as const),
    ...plain.map((name) => [name, { name, use: 'plain' }] as const),
    ...values,
    ...shown.flatMap((column) => [column.field, column.binding.name].map((name) => [name, column] as const)),
    // In a file of rows for several commands, which have other columns too.
    [OPERATION, { name: OPERATION, use: 'operation' }],
    // Added to the rows of a file of failed ones.
    ['error', undefined],
    ...fields.map((name) => [name, { name, use: 'shown' }] as const),
    // A list as CSV has it beside a day in words.
    ...fields.map((name) => [`${name}_iso`, { name: `${name}_iso`, use: 'passed' }] as const),
  ];
  // The first of those with the same heading.
  const known = new Map(all.map(([heading, column]) => [foldHeading(heading), column] as const).reverse());
  return { known, values, changes, target, plain };
}

export function formatTemplate(command: CommandRecord): string {
  const { values, target, plain } = listFileColumns(command);
  return [...target.slice(0, 1), ...plain, ...values.keys()].join(',');
}

/** A cell of a file that is to change a record, beside the field that shows it. */
export interface InputCell {
  readonly column: string;
  readonly field: string;
  /** The parameter that it sets; undefined where it only may say what the record says. */
  readonly parameter?: string;
  readonly text: string;
  /** Of what the record does not say: why it is refused. */
  readonly misread?: UsageError;
}

const OPERATION = 'operation';
/** Unknown headings that are named; a file with more is probably another file. */
const MAX_NAMED = 10;

/**
 * What the rows of a file mean to a command.
 * @param extra raw values beside those of the rows; undefined: nothing is required of a row
 * @throws UsageError for a wrong `--map`, and for a positional that the rows would have
 */
export function openRowSchema(invocation: Invocation, calendar: Calendar, extra: Extra | undefined) {
  const { command, options } = invocation;
  const { operation } = command;
  const columns = listFileColumns(command);
  const { values, changes } = columns;
  const all = [...values.values()];
  /** Our names by the names in the file. */
  const renamed = new Map<string, string>();
  for (const text of Array.isArray(options.map) ? options.map.map(String) : []) {
    const at = text.lastIndexOf('=');
    if (at < 1) throw new UsageError(`--map: ${quoteText(text)} is not name=column`);
    const name = text.slice(at + 1);
    if (findColumn(name, columns, true) === undefined)
      throw new UsageError(`--map: ${describeUnknown([name], columns)}`);
    renamed.set(text.slice(0, at).trim(), name);
  }
  const flagValues = listGivenValues(invocation).filter(({ binding }) =>
    all.some((column) => column.binding === binding),
  );
  const operand = flagValues.find(({ where }) => where.startsWith('<'));
  if (operand !== undefined) throw new UsageError(`--from-file cannot be used with ${operand.where}`);
  const flagOf = (parameter: string) =>
    all.find(({ binding }) => binding.name === parameter)?.name ?? parameter;
  const layouts = new Map<string, ReturnType<typeof matchHeadings>>();
  const getLayout = (names: readonly string[]) => {
    const key = names.join('\n');
    const layout = layouts.get(key) ?? matchHeadings(names, columns, renamed, options.ignoreColumns === true);
    layouts.set(key, layout);
    return layout;
  };
  const check = (names: readonly string[], cells: readonly unknown[], separator: string | undefined) => {
    const layout = getLayout(names);
    const row: RowCells = { given: [], plain: [], cells: [], columns: {}, separator };
    const problems: string[] = [];
    let hint: string | undefined;
    const attempt = (work: () => void, place = ''): void => {
      const wrong: UsageError[] = [];
      collectProblems(wrong, work);
      for (const { message } of wrong) problems.push(`${place}${message}`);
      hint ??= wrong[0]?.hint;
    };
    for (const [i, column] of layout.columns.entries()) {
      const add = () => addCell(row, column, names[i]?.trim() ?? '', cells[i], changes);
      attempt(add, column && `${column.name}: `);
    }
    const isRead = problems.length === 0;
    const isExported = isRead && row.cells.some(({ parameter }) => parameter === undefined);
    const own = new Set(row.given.map(({ binding }) => binding.name));
    const given = [...flagValues.filter(({ binding }) => !own.has(binding.name)), ...row.given];
    const checked = checkGiven(given, calendar);
    for (const { message } of checked.problems) problems.push(message);
    hint ??= checked.problems.find((one) => one.hint !== undefined)?.hint;
    // A target that cannot be read is not missing as well.
    const target = layout.columns.find((column) => column?.use === 'target')?.name;
    if (target && row.target === undefined && !problems.some((one) => one.startsWith(`${target}: `)))
      problems.push(`missing ${target}`);
    if (operation && extra && isRead && layout.problems.length === 0 && !isExported) {
      const known = Object.fromEntries(given.map(({ binding }) => [binding.name, true]));
      attempt(() => checkRequired(operation, known, { extra, flagOf }));
    }
    return {
      /** `isExported`: it says more of its record than the command sets, and is checked beside that. */
      ...{ target: row.target, isExported, columns: row.columns, problems, hint },
      /** It is for another command, and passed over. */
      isOther: row.operation !== undefined && row.operation !== operation?.id,
      checked: [...row.plain, ...checked.values],
      cells: changes && row.cells,
    };
  };
  return { getLayout, check };
}

export type RowSchema = ReturnType<typeof openRowSchema>;
export type CheckedRow = ReturnType<RowSchema['check']>;

/** Where there are problems, every row with these headings is read for the other columns only. */
function matchHeadings(
  headings: readonly string[],
  columns: FileColumns,
  renamed: ReadonlyMap<string, string>,
  ignoresUnknown: boolean,
) {
  const folded = headings.map(foldHeading);
  const renames = new Map([...renamed].map(([name, column]) => [foldHeading(name), column]));
  const names = headings.map((name, i) => renames.get(folded[i] ?? '') ?? name.trim());
  const hasTarget = names.some((name) => findColumn(name, columns, true)?.use === 'target');
  const matched = names.map((name) => findColumn(name, columns, hasTarget));
  const used = matched.filter((column) => column !== undefined);
  const problems: { text: string; hint?: string }[] = [];
  for (const name of renamed.keys())
    if (!folded.includes(foldHeading(name)))
      problems.push({ text: `--map: there is no column ${quoteText(name)}` });
  const passesOver = ignoresUnknown || used.some(({ use }) => use === 'operation');
  const isUnknown = (name: string, i: number) =>
    !passesOver && matched[i] === undefined && !['', 'error'].includes(foldHeading(name));
  const unknown = names.filter(isUnknown);
  if (unknown.length > 0) {
    const hint = `Say what a column is with ${commandLine`--map ${`${unknown[0]}=<column>`}`}, or add --ignore-columns.`;
    problems.push({ text: describeUnknown(unknown, columns), hint });
  }
  const seen = new Set<string>();
  for (const { name } of used) {
    if (seen.has(name)) problems.push({ text: `the column ${name} appears twice` });
    seen.add(name);
  }
  const targets = [...seen].filter((name) => used.some((one) => one.name === name && one.use === 'target'));
  if (targets.length > 1)
    problems.push({ text: `the columns ${targets.join(' and ')} both identify the record; keep one` });
  if (targets.length === 0 && columns.target.length > 0)
    problems.push({ text: `no column identifies the record: add ${columns.target.join(' or ')}` });
  return { columns: matched, problems };
}

interface RowCells {
  target?: string;
  /** The id of the operation that the row is for, where it says one. */
  operation?: string;
  readonly given: GivenValue[];
  readonly plain: CheckedValue[];
  readonly cells: InputCell[];
  readonly columns: Record<string, string>;
  /** Of CSV: what stands between the cells. */
  readonly separator: string | undefined;
}

function addCell(
  row: RowCells,
  column: InputColumn | undefined,
  heading: string,
  cell: unknown,
  changes: RecordFacts | undefined,
): void {
  if (column === undefined) {
    if (heading === '' && formatCell(cell).trim() !== '')
      throw new UsageError(`${quoteText(formatCell(cell))} is in a column without a name`);
    return;
  }
  const { name, use } = column;
  // What a command does not set may be whatever a record has.
  const isList =
    use === 'value' ? column.binding.parameter.type.endsWith('[]') : use === 'shown' || use === 'passed';
  const plain = formatCell(cell, isList);
  const written = row.separator === ';' ? readLocalText(plain, column, changes) : plain;
  const text = written.trim();
  row.columns[name] = written;
  if (text === '') return;
  if (use === 'shown') row.cells.push({ column: heading, field: name, text });
  else if (use === 'plain') row.plain.push({ name, known: text });
  else if (use === 'operation') row.operation = text;
  else if (use === 'target') {
    checkVisible(text);
    row.target = text;
  } else if (use === 'value') addValue(row, column, heading, written, changes);
}

function addValue(
  row: RowCells,
  { name, binding, field }: ValueColumn,
  heading: string,
  written: string,
  changes: RecordFacts | undefined,
): void {
  const { parameter, lookup } = binding;
  const text = written.trim();
  // A word that nobody can set the field to, but the service has: the role of the owner.
  const isWord = (one: string) => toKebabCase(one) === toKebabCase(text);
  const isFixed =
    changes?.fields[field]?.values?.some(isWord) === true && !(parameter.choices ?? []).some(isWord);
  // A record may have a zone that this platform does not know yet.
  const wrong: UsageError[] = [];
  if (parameter.type === 'zone') collectProblems(wrong, () => parseZone(text));
  const misread = row.separator === undefined ? wrong[0] : (findMisread(text) ?? wrong[0]);
  if (changes === undefined && misread !== undefined) throw misread;
  if (changes !== undefined)
    row.cells.push({ column: heading, field, text, misread, ...(!isFixed && { parameter: binding.name }) });
  if (isFixed) return;
  const words = changes?.written?.[field] ?? {};
  // Spaces are part of a text, and of nothing else.
  const isText = parameter.type === 'string' && parameter.choices === undefined;
  const raw = Object.hasOwn(words, text) ? words[text] : parseCell(text, parameter, isText ? written : text);
  if (raw === undefined) return;
  // A record that is changed may have one already, which its row then says as it is.
  const isName = parameter.type === 'email' || lookup !== undefined || /name$/.test(binding.name);
  if (changes === undefined && isName) checkVisible(written);
  const asText = { ...binding, parameter: { ...parameter, type: 'string' } } as const;
  row.given.push({ binding: wrong.length > 0 ? asText : binding, raw, where: name });
}

/** `1.234,50`, and `1.234`, which may be either. */
const THOUSANDS = /^-?\d{1,3}(?:[.'’\s]\d{3})+(?:,\d+)?$/;

/** `41,5`, as spreadsheets save it where the comma is decimal. @throws UsageError for a thousands mark */
function readLocalText(written: string, column: InputColumn, changes: RecordFacts | undefined): string {
  const text = written.trim();
  const { binding } = column.use === 'value' ? column : {};
  const about: { readonly type?: string } | undefined =
    column.use === 'shown' ? changes?.fields[column.name] : binding?.parameter;
  const type = (binding?.lookup === undefined && about?.type) || '';
  if (type !== 'integer' && type !== 'number') return written;
  const hint = 'In a file with ; between cells, the comma is decimal: write 1234,50.';
  if (THOUSANDS.test(text)) throw new UsageError(`${quoteText(text)} has a thousands separator`, { hint });
  return /^-?\d+,\d+$/.test(text) ? text.replace(',', '.') : written;
}

/** What Windows-1252 has for the bytes from 0x80 to 0x9f; those without a character stay as they are. */
const WINDOWS = [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'];

/** Letters that names are not written with: what comes of `CAFÉ’S` or `MENÜ™`, if it is taken for UTF-8. */
const UNLIKELY = /[\u0180-\u0217\u021c-\u036f\u04c0-\u05cf\u0700-\u07ff\ufffd]/;

/** Text whose UTF-8 was read as Latin-1 (`AmÃ©lie`), as programs do that open such a file without being told. */
export function findMisread(text: string): UsageError | undefined {
  if (!/[\xc2-\xf4]/.test(text)) return undefined;
  const codes = [...text].map((character) => {
    const at = WINDOWS.indexOf(character);
    return at < 0 ? (character.codePointAt(0) ?? 0) : 0x80 + at;
  });
  const meant = Buffer.from(codes).toString();
  // Text that has other characters as well was read as it is.
  if (codes.some((code) => code > 0xff) || UNLIKELY.test(meant)) return undefined;
  const message = `${quoteText(text)} was probably ${quoteText(meant)}: UTF-8 that was read as Latin-1`;
  const hint = `Export it again with --excel, which spreadsheets read right, and save it as "CSV UTF-8".`;
  return new UsageError(message, { hint });
}

/** `''`: not given. The values of a list are joined with commas. @throws UsageError for a list where one value is meant */
function formatCell(cell: unknown, isList = false): string {
  if (cell === null || cell === undefined) return '';
  if (Array.isArray(cell) && isList) return cell.map((item) => formatCell(item)).join(',');
  if (typeof cell === 'object')
    throw new UsageError(`must be a single value, not ${Array.isArray(cell) ? 'a list' : 'an object'}`);
  return String(cell);
}

const YES = ['yes', 'true', '1', 'y', 'on'];
const NO = ['no', 'false', '0', 'n', 'off'];

/** What a flag would have got for a text; `undefined` where it would not have been given. */
function parseCell(text: string, { type, on }: Binding['parameter'], plain: string): unknown {
  if (type === 'date') return toIsoDay(text);
  if (type === 'boolean' || on !== undefined) {
    const word = text.toLowerCase();
    if (!YES.includes(word) && !NO.includes(word))
      throw new UsageError(`${quoteText(text)} is not yes or no`);
    return YES.includes(word) || (on === undefined ? false : undefined);
  }
  if (type.endsWith('[]')) {
    // As a list of records has it: ids, or records with one.
    const parsed = text.startsWith('[') ? parseJson(text) : undefined;
    if (parsed && 'value' in parsed && Array.isArray(parsed.value))
      return parsed.value.map((item) =>
        isRecord(item) ? toText(item.user_id ?? item.id) : formatCell(item),
      );
    return text.split(',').flatMap((part) => part.trim() || []);
  }
  // As some services and spreadsheets write whole numbers: `40.00`.
  return type === 'integer' ? text.replace(/^(-?\d+)\.0+$/, '$1') : plain;
}

/** Headings are the same without case, spaces, hyphens and underscores: `First Name`, `E-Mail`. */
function foldHeading(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** @param hasTarget whether another column names the record: then one that is a flag too, an e-mail address, is that flag */
function findColumn(heading: string, columns: FileColumns, hasTarget: boolean): InputColumn | undefined {
  const { known, values, changes } = columns;
  const column = known.get(foldHeading(heading));
  if (column?.use === 'target' && hasTarget) return values.get(column.name) ?? column;
  if (column !== undefined) return column;
  // `member.email`, `project.name`: what names a record that the row is about, or only tells more of it.
  const name = heading.trim().toLowerCase().replaceAll('-', '_');
  const [, kind, part] = /^(member|viewer|project|policy|category)\.(\w+)$/.exec(name) ?? [];
  if (kind === undefined) return undefined;
  const isName = KINDS[kind as RecordKind]?.namedBy === part;
  const named = [...values.values()].find(({ binding }) => isName && binding.lookup === kind);
  return named ?? (changes === undefined ? undefined : { name, use: 'passed' });
}

function describeUnknown(unknown: readonly string[], { target, plain, values }: FileColumns): string {
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : '';
  const shown = unknown.slice(0, MAX_NAMED).map(quoteText).join(', ');
  const known = [...new Set([...target, ...plain, ...values.keys()])].join(', ');
  return `unknown column${unknown.length > 1 ? 's' : ''} ${shown}${more}: the known columns are ${known}`;
}
