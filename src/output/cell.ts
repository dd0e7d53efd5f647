import type { Row } from '../api/page.ts';
import { maskAddress } from '../http/redact.ts';
import { isNumber, isRecord } from '../json.ts';
import { formatBriefDay, formatMoney } from '../parsing/calendar.ts';
import type { Column } from './list-view.ts';
import type { Palette } from './palette.ts';
import { safeJson, safeName } from './safe-text.ts';
import {
  formatAbsolute,
  formatBrief,
  formatBriefPeriod,
  formatClockTime,
  formatHoursMinutes,
  formatPeriod,
  formatRelative,
  toDay,
  toInstant,
} from './scalars.ts';

/** Fields of records by name: `status`, or `total.days` inside an object. */

const hasMembers = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !isNumber(value);

/** The value of a field, or `undefined`. A field whose own name has the dot wins. */
export const getField = (row: Row, name: string): unknown => {
  if (hasMembers(row) && Object.hasOwn(row, name)) return row[name];
  let value: unknown = row;
  for (const part of name.split('.')) {
    if (!hasMembers(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
};

/** The record with these fields only, in this order; one it does not have is `null`. */
export const pickFields = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, getField(row, name) ?? null]));

/**
 * The same as JSON has it: a joined field (`member.email`) is inside an object, which wins over a field of its name.
 * @param names absent: every field of the record
 * @param joined which of them are joined
 */
export const pickNested = (
  row: Row,
  names: readonly string[] | undefined,
  joined: readonly string[],
): Row => {
  if (joined.length === 0) return names === undefined ? row : pickFields(row, names);
  const getHead = (name: string): string => (joined.includes(name) ? (name.split('.')[0] ?? name) : name);
  const heads = new Set(joined.map(getHead));
  const nest = (head: string): Row => ({
    // The row's own object is as whole as it was asked for.
    ...((names ?? Object.keys(row)).includes(head) && isRecord(row[head]) ? row[head] : {}),
    ...Object.fromEntries(
      joined.filter((name) => getHead(name) === head).map((name) => [name.slice(head.length + 1), row[name]]),
    ),
  });
  return Object.fromEntries(
    (names ?? Object.keys(row)).map((name) => {
      const head = getHead(name);
      return [head, heads.has(head) ? nest(head) : (getField(row, name) ?? null)];
    }),
  );
};

/** The fields of all rows in the order in which they appear. */
export const collectFields = (rows: readonly Row[]): string[] => {
  const fields = new Set<string>();
  for (const row of rows) if (hasMembers(row)) for (const field of Object.keys(row)) fields.add(field);
  return [...fields];
};

/** What the words of days and times depend on. */
export interface WordStyle {
  /** Whether `…`, `✓`, `•` may be used; else their ASCII forms. */
  readonly unicode: boolean;
  /** IANA name. */
  readonly timeZone: string;
  /** Milliseconds since the epoch: days of its year have none. */
  now(): number;
}

/** How values are shown to people, in tables, in markdown and as `field  value` lines. */
export interface PeopleStyle extends WordStyle {
  readonly showSecrets: boolean;
  readonly palette: Palette;
  /** Columns of the terminal; `undefined`: no terminal, nothing is cut. */
  readonly width: number | undefined;
}

export type ColumnKind = NonNullable<Column['kind']>;

/** What stands where there is no value. */
export const EMPTY_CELL = '-';

/**
 * How much days and times say: `full` also how long ago, `formatBrief` the shortest that is clear (`Nov 9–15`), for a
 * terminal that has no room for more.
 */
export type Detail = 'full' | 'plain' | 'brief';

const spellOut = (name: string): string => name.replace(/[._-]+/g, ' ').trim();

/** The heading in words: `total.days` is `total days`. */
export const formatTitle = (column: Column): string => column.title ?? spellOut(column.field);

/** What a cell is made from: the command's own text for it, else the field. */
export const getShownValue = (column: Column, row: Row): unknown =>
  column.show === undefined ? getField(row, column.field) : column.show(row);

export const inferKind = (column: Column, value: unknown): ColumnKind => {
  if (column.kind !== undefined) return column.kind;
  if (isNumber(value)) return 'number';
  if (Array.isArray(value)) return 'list';
  return toInstant(value) === undefined ? 'text' : 'time';
};

/** A column that names no kind has that of its values, when they agree. */
export const inferColumnKind = (column: Column, rows: readonly Row[]): ColumnKind => {
  if (column.kind !== undefined) return column.kind;
  const kinds = new Set<ColumnKind>();
  for (const row of rows) {
    const value = getShownValue(column, row);
    if (value !== null && value !== undefined) kinds.add(inferKind(column, value));
  }
  const [kind] = kinds;
  return kinds.size === 1 && kind !== undefined ? kind : 'text';
};

const formatDay = (value: unknown, style: PeopleStyle, detail: Detail): string | undefined => {
  const isoDay = toDay(value);
  return isoDay === undefined || detail !== 'brief' ? isoDay : formatBriefDay(isoDay, style.now());
};

const formatInterval = (value: unknown, style: PeopleStyle, detail: Detail): string | undefined =>
  detail === 'brief' ? formatBriefPeriod(value, style.now(), style.unicode ? '–' : '-') : formatPeriod(value);

const formatTime = (value: unknown, style: PeopleStyle, detail: Detail): string | undefined => {
  const instant = toInstant(value);
  if (instant === undefined) return undefined;
  if (detail === 'brief') return formatBrief(instant, style.timeZone, style.now());
  const text = formatAbsolute(instant, style.timeZone);
  const ago = detail === 'full' ? formatRelative(instant, style.now()) : 'now';
  return ago === 'now' ? text : `${text} (${ago})`;
};

/** How long ago, on a terminal; elsewhere the time itself, which stays true. */
const formatAge = (value: unknown, style: PeopleStyle): string | undefined => {
  const instant = toInstant(value);
  if (instant === undefined || style.width === undefined) return formatTime(value, style, 'plain');
  return formatRelative(instant, style.now());
};

const formatClock = (value: unknown, style: PeopleStyle): string | undefined => {
  const instant = toInstant(value);
  return instant === undefined ? undefined : formatClockTime(instant, style.timeZone);
};

const NAME_FIELDS = ['name', 'title', 'label', 'project_name', 'leave_type', 'email', 'id'];

const formatScalar = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' && value !== null && !isNumber(value) ? safeJson(value) : String(value);
};

const isFlat = (value: object): boolean =>
  Object.values(value).every((member) => !isRecord(member) && !Array.isArray(member));

const formatItem = (value: unknown): string => {
  if (!isRecord(value)) return formatScalar(value);
  const name = NAME_FIELDS.find((field) => Object.hasOwn(value, field));
  if (name === undefined) return formatScalar(value);
  const balance = getField(value, 'balance');
  return formatScalar(getField(value, name)) + (balance === undefined ? '' : ` ${formatScalar(balance)}`);
};

const formatText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(formatItem).join(', ');
  if (!isRecord(value) || !isFlat(value)) return formatScalar(value);
  return Object.entries(value)
    .map(([name, member]) => `${spellOut(name)} ${formatScalar(member)}`)
    .join(', ');
};

const formatByKind = (value: unknown, kind: ColumnKind, style: PeopleStyle, detail: Detail): string => {
  switch (kind) {
    case 'hours':
      return formatHoursMinutes(value) ?? formatText(value);
    case 'money':
      return formatMoney(value) ?? formatText(value);
    case 'date':
      return formatDay(value, style, detail) ?? formatText(value);
    case 'period':
      return formatInterval(value, style, detail) ?? formatText(value);
    case 'time':
      return formatTime(value, style, detail) ?? formatText(value);
    case 'clock':
      return formatClock(value, style) ?? formatText(value);
    case 'age':
      return formatAge(value, style) ?? formatText(value);
    case 'address':
      return style.showSecrets ? formatText(value) : maskAddress(formatText(value));
    case 'state':
      return formatText(value).replace(/_/g, ' ');
    default:
      return formatText(value);
  }
};

/** The text of a value, not yet sanitised; `-` where there is none. */
export const formatValue = (value: unknown, kind: ColumnKind, style: PeopleStyle, detail: Detail): string => {
  if (value === null || value === undefined || value === '') return EMPTY_CELL;
  if (kind === 'secret' && !style.showSecrets) return style.unicode ? '••••' : '****';
  return formatByKind(value, kind, style, detail) || EMPTY_CELL;
};

/** The text of a cell on one line, sanitised. */
export const formatCell = (value: unknown, kind: ColumnKind, style: PeopleStyle, detail: Detail): string =>
  safeName(formatValue(value, kind, style, detail));

const RIGHT_ALIGNED = new Set<ColumnKind>(['number', 'hours', 'money']);

/** Whether cells of the kind end at the right, so that their digits stand below each other. */
export const isRightAligned = (kind: ColumnKind): boolean => RIGHT_ALIGNED.has(kind);
