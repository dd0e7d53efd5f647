import type { Row } from '../api/page.ts';
import { maskAddress } from '../http/redact.ts';
import { isDecimal, isRecord } from '../json.ts';
import {
  formatBriefDay,
  formatBriefDays,
  formatHours,
  formatMoney,
  getOffsetMinutes,
  toDay,
} from '../parsing/calendar.ts';
import type { Column } from './list-view.ts';
import { safeJson, safeName } from './safe-text.ts';
import type { Palette } from './terminal.ts';

/** Fields of records by name (`status`, or `total.days` inside an object), and how people read what is in them. */

export function getField(row: Row, name: string): unknown {
  if (hasMembers(row) && Object.hasOwn(row, name)) return row[name];
  let value: unknown = row;
  for (const part of name.split('.')) {
    if (!hasMembers(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

function hasMembers(value: unknown): value is Row {
  return typeof value === 'object' && value !== null;
}

/** The record with these fields only, in this order; one it does not have is `null`. */
export function pickFields(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, getField(row, name) ?? null]));
}

/**
 * The same as JSON has it: a joined field (`member.email`) is inside an object, which wins over a field of its name.
 * @param names absent: every field of the record
 * @param joined which of them are joined
 */
export function pickNested(row: Row, names: readonly string[] | undefined, joined: readonly string[]): Row {
  if (joined.length === 0) return names === undefined ? row : pickFields(row, names);
  const picked = new Map<string, unknown>();
  for (const name of names ?? Object.keys(row)) {
    const head = joined.includes(name) ? (name.split('.')[0] ?? name) : name;
    const before = picked.get(head);
    const value =
      head === name ? (getField(row, name) ?? null) : { [name.slice(head.length + 1)]: row[name] };
    if (isRecord(before) && isRecord(value)) picked.set(head, { ...before, ...value });
    else if (!isRecord(before)) picked.set(head, value);
  }
  return Object.fromEntries(picked);
}

export function collectFields(rows: readonly Row[]): string[] {
  const fields = new Set<string>();
  for (const row of rows) if (hasMembers(row)) for (const field of Object.keys(row)) fields.add(field);
  return [...fields];
}

export function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

export interface WordStyle {
  /** Whether `…`, `✓`, `•` may be used; else their ASCII forms. */
  readonly unicode: boolean;
  readonly timeZone: string;
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

export const EMPTY_CELL = '-';

/** How much days and times say: `brief` the shortest that is clear (`Nov 9–15`), where there is no room for more. */
export type Detail = 'plain' | 'brief';

function spellOut(name: string): string {
  return name.replace(/[._-]+/g, ' ').trim();
}

export function formatTitle(column: Column): string {
  return column.title ?? spellOut(column.field);
}

export function getShownValue(column: Column, row: Row): unknown {
  return column.show === undefined ? getField(row, column.field) : column.show(row);
}

function inferKind(column: Column, value: unknown): ColumnKind {
  if (column.kind !== undefined) return column.kind;
  if (typeof value === 'number') return 'number';
  if (Array.isArray(value)) return 'list';
  return toInstant(value) === undefined ? 'text' : 'time';
}

/** A column that names no kind has that of its values, when they agree. */
export function inferColumnKind(column: Column, rows: readonly Row[]): ColumnKind {
  if (column.kind !== undefined) return column.kind;
  const kinds = new Set<ColumnKind>();
  for (const row of rows) {
    const value = getShownValue(column, row);
    if (!isNothing(value)) kinds.add(inferKind(column, value));
  }
  const [kind] = kinds;
  return kinds.size === 1 && kind !== undefined ? kind : 'text';
}

export function isRightAligned(kind: ColumnKind): boolean {
  return kind === 'number' || kind === 'hours' || kind === 'money';
}

export function formatValue(value: unknown, kind: ColumnKind, style: PeopleStyle, detail: Detail): string {
  if (isNothing(value) || value === '') return EMPTY_CELL;
  if (kind === 'secret' && !style.showSecrets) return style.unicode ? '••••' : '****';
  return (formatByKind(value, kind, style, detail) ?? formatText(value)) || EMPTY_CELL;
}

export function formatCell(value: unknown, kind: ColumnKind, style: PeopleStyle, detail: Detail): string {
  return safeName(formatValue(value, kind, style, detail));
}

export function formatRowCell(column: Column, row: Row, style: PeopleStyle, detail: Detail): string {
  const value = getShownValue(column, row);
  return formatCell(value, inferKind(column, value), style, detail);
}

/**
 * Records in a few words, for questions and for what became of them: as the cells of a narrow table, `''` for nothing.
 * Fetches the names that the columns need.
 */
export async function describeRows(
  rows: readonly Row[],
  columns: readonly Column[],
  style: PeopleStyle,
): Promise<readonly (readonly string[])[]> {
  await Promise.all(columns.map(({ load }) => load?.(rows)));
  const describe = (text: string): string => (text === EMPTY_CELL ? '' : text);
  return rows.map((row) => columns.map((column) => describe(formatRowCell(column, row, style, 'brief'))));
}

function formatByKind(
  value: unknown,
  kind: ColumnKind,
  style: PeopleStyle,
  detail: Detail,
): string | undefined {
  const isBrief = detail === 'brief';
  switch (kind) {
    case 'hours': {
      const isAmount = typeof value === 'string' ? isDecimal(value) : typeof value === 'number';
      return isAmount ? formatHours(Number(value)) : undefined;
    }
    case 'money':
      return formatMoney(value);
    case 'date': {
      const day = toDay(value);
      return day === undefined || !isBrief ? day : formatBriefDay(day, style.now());
    }
    case 'period':
      return formatPeriod(value, style, isBrief);
    case 'time':
    case 'clock':
    case 'age':
      return formatInstant(value, kind, style, isBrief);
    case 'address':
      return style.showSecrets ? undefined : maskAddress(formatText(value));
    case 'state':
      return formatText(value).replace(/_/g, ' ');
    default:
      return undefined;
  }
}

/** `2026-11-09 to 2026-11-15`, `2026-11-09` alone, `Nov 9–15`. */
function formatPeriod(value: unknown, { now, unicode }: PeopleStyle, isBrief: boolean): string | undefined {
  const [from, to] = typeof value === 'string' ? value.split('/').map(toDay) : [];
  if (from === undefined || to === undefined) return undefined;
  if (isBrief) return formatBriefDays([from, to], now(), unicode ? '–' : '-');
  return from === to ? from : `${from} to ${to}`;
}

/** `2026-11-20 09:00+01`, `…+05:30`, `…Z`, `Nov 20 09:00+01`; of what is happening now `09:00:07`. */
function formatInstant(
  value: unknown,
  kind: ColumnKind,
  { timeZone, width, now }: PeopleStyle,
  isBrief: boolean,
): string | undefined {
  const instant = toInstant(value);
  if (instant === undefined) return undefined;
  // How long ago, on a terminal; elsewhere the time itself, which stays true.
  if (kind === 'age' && width !== undefined) return formatRelative(instant, now());
  const offset = getOffsetMinutes(instant, timeZone);
  const local = new Date(instant + offset * 60_000).toISOString();
  if (kind === 'clock') return local.slice(11, 19);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const ahead = [hours, ...(minutes === 0 ? [] : [minutes])].map((n) => `${n}`.padStart(2, '0')).join(':');
  const zone = offset === 0 ? 'Z' : (offset < 0 ? '-' : '+') + ahead;
  const day = local.slice(0, 10);
  return `${isBrief ? formatBriefDay(day, now()) : day} ${local.slice(11, 16)}${zone}`;
}

const NAME_FIELDS = ['name', 'title', 'label', 'project_name', 'leave_type', 'email', 'id'];

function formatText(value: unknown): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const name = isRecord(item) ? NAME_FIELDS.find((field) => Object.hasOwn(item, field)) : undefined;
      return formatScalar(isRecord(item) && name !== undefined ? item[name] : item);
    });
    return items.join(', ');
  }
  if (!isRecord(value) || Object.values(value).some(hasMembers)) return formatScalar(value);
  const members = Object.entries(value).map(([name, member]) => `${spellOut(name)} ${formatScalar(member)}`);
  return members.join(', ');
}

function formatScalar(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return hasMembers(value) ? safeJson(value) : String(value);
}

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/;

/** Milliseconds since the epoch of an ISO 8601 date-time with an offset; anything else is `undefined`. */
export function toInstant(value: unknown): number | undefined {
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined;
  const iso = value
    .replace(' ', 'T')
    .replace(/([+-]\d\d)$/, '$1:00')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  const instant = Date.parse(iso);
  return Number.isNaN(instant) ? undefined : instant;
}

const DAY = 1440;
const STEPS: readonly (readonly [limit: number, size: number, unit: string])[] = [
  [60, 1, 'min'],
  [DAY, 60, 'h'],
  [60 * DAY, DAY, 'd'],
  [730 * DAY, 30 * DAY, 'mo'],
  [Number.POSITIVE_INFINITY, 365 * DAY, 'y'],
];

/** `5 d`, `3 h`, `12 min`; `now` within a minute. */
export function formatAge(seconds: number): string {
  const minutes = seconds / 60;
  const [, size, unit] = STEPS.find(([limit]) => minutes < limit) ?? [0, 1, 'min'];
  return minutes < 1 ? 'now' : `${Math.floor(minutes / size)} ${unit}`;
}

/** `3 d ago`, `in 2 h`, `now`. */
function formatRelative(instant: number, now: number): string {
  const age = formatAge(Math.abs(instant - now) / 1000);
  if (age === 'now') return age;
  return instant < now ? `${age} ago` : `in ${age}`;
}
