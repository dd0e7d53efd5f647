import type { Resource } from '../api/fields.ts';
import type { Parameter } from '../api/operation.ts';
import { UsageError } from '../errors.ts';
import { isRecord, parseJson, toText } from '../json.ts';
import { toIsoDay } from '../parsing/names.ts';
import { quoteText } from '../parsing/text.ts';
import { isListParameter, toKebabCase } from './convert.ts';
import type { InputColumn } from './input-columns.ts';

/** What a cell of a file says: as a flag would be given it, and as a list of records has it. */

type ValueColumn = Extract<InputColumn, { readonly use: 'value' }>;

const YES = new Set(['yes', 'true', '1', 'y', 'on']);
const NO = new Set(['no', 'false', '0', 'n', 'off']);

/**
 * A cell of a column as text; `''` means not given. The values of a list are joined with commas.
 * @throws UsageError for a list where one value is meant: `[17]` is no id
 */
export const formatCell = (cell: unknown, column?: InputColumn): string => {
  if (cell === null || cell === undefined) return '';
  if (Array.isArray(cell) && holdsList(column)) return cell.map((item) => formatCell(item)).join(',');
  if (Array.isArray(cell)) throw new UsageError('must be a single value, not a list');
  if (isRecord(cell)) throw new UsageError('must be a single value, not an object');
  return String(cell);
};

/** What a command does not set may be whatever a record has. */
const holdsList = (column: InputColumn | undefined): boolean =>
  column?.use === 'value'
    ? isListParameter(column.binding.parameter)
    : column?.use === 'shown' || column?.use === 'passed';

/** A cell of a switch: `yes` or `no`. */
const parseSwitch = (text: string, { on }: Parameter): boolean | undefined => {
  const normalized = text.toLowerCase();
  if (YES.has(normalized)) return true;
  if (!NO.has(normalized)) throw new UsageError(`${quoteText(text)} is not yes or no`);
  return on === undefined ? false : undefined;
};

/** An item of a list as a record has it: an id, or a record with one. */
const toItemText = (item: unknown): string =>
  isRecord(item) ? toText(item.user_id ?? item.id) : formatCell(item);

/** The items of a list that a list of records has as JSON; undefined for another text. */
const parseJsonList = (text: string): readonly string[] | undefined => {
  if (!text.startsWith('[')) return undefined;
  const parsed = parseJson(text);
  return 'value' in parsed && Array.isArray(parsed.value) ? parsed.value.map(toItemText) : undefined;
};

/** The words of a record for the values of a field. */
type Words = Readonly<Record<string, unknown>>;

/** What a flag would have got for the cell; `undefined` where it would not have been given. */
export const parseCell = (cell: unknown, column: ValueColumn, words: Words = {}): unknown => {
  const { parameter } = column.binding;
  const text = formatCell(cell, column);
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (Object.hasOwn(words, trimmed)) return words[trimmed];
  if (parameter.type === 'date') return toIsoDay(trimmed);
  if (parameter.type === 'boolean' || parameter.on !== undefined) return parseSwitch(trimmed, parameter);
  if (isListParameter(parameter)) {
    const items = parseJsonList(trimmed);
    if (items !== undefined) return items;
    return trimmed.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  }
  // As some services and spreadsheets write whole numbers: `40.00`.
  if (parameter.type === 'integer') return trimmed.replace(/^(-?\d+)\.0+$/, '$1');
  // Spaces are part of a text, and of nothing else.
  return parameter.type === 'string' && parameter.choices === undefined ? text : trimmed;
};

/** Whether the service has this word for a field that nobody can set to it: the role of the owner. */
export const isFixed = (resource: Resource | undefined, column: ValueColumn, cell: unknown): boolean => {
  const { parameter } = column.binding;
  const word = toKebabCase(formatCell(cell, column).trim());
  const isWord = (one: string) => toKebabCase(one) === word;
  const values = resource?.fields[column.field]?.values ?? [];
  return values.some(isWord) && !(parameter.choices ?? []).some(isWord);
};
