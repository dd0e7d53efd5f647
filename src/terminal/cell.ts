import type { Row } from '../api/page.ts';
import { isNumber, isRecord } from '../json/number.ts';
import { briefDay } from '../notation/brief-days.ts';
import { reach } from './fields.ts';
import type { Column } from './list-view.ts';
import { absolute, brief, briefPeriod, clockTime, dayOf, instantOf, period, relative } from './moment.ts';
import type { Palette } from './palette.ts';
import { hours, money } from './quantity.ts';
import { safeCell, safeJson } from './safe-text.ts';

/** How values are shown to people, in tables, in markdown and as `field  value` lines. */
export interface PeopleStyle {
  /** Whether `…`, `✓`, `•` may be used; else their ASCII forms. */
  readonly unicode: boolean;
  readonly timeZone: string;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly showSecrets: boolean;
  readonly palette: Palette;
  /** Columns of the terminal; `undefined`: no terminal, nothing is cut. */
  readonly width: number | undefined;
}

export type Kind = NonNullable<Column['kind']>;

/** What stands where there is no value. */
export const NOTHING = '-';

/**
 * How much days and times say: `full` also how long ago, `brief` the shortest that is clear (`Nov 9–15`), for a
 * terminal that has no room for more.
 */
export type Detail = 'full' | 'plain' | 'brief';

const words = (name: string): string => name.replace(/[._-]+/g, ' ').trim();

/** The heading in words: `total.days` is `total days`. */
export const titleOf = (column: Column): string => column.title ?? words(column.field);

/** What a cell is made from: the command's own text for it, else the field. */
export const shownValue = (column: Column, row: Row): unknown =>
  column.show === undefined ? reach(row, column.field) : column.show(row);

/** The kind of a column that names none, by its value. */
export const kindOf = (column: Column, value: unknown): Kind => {
  if (column.kind !== undefined) return column.kind;
  if (isNumber(value)) return 'number';
  if (Array.isArray(value)) return 'list';
  return instantOf(value) === undefined ? 'text' : 'time';
};

/** A column that names no kind has that of its values, when they agree. */
export const kindOfAll = (column: Column, rows: readonly Row[]): Kind => {
  if (column.kind !== undefined) return column.kind;
  const values = rows
    .map((row) => shownValue(column, row))
    .filter((value) => value !== null && value !== undefined);
  const kinds = new Set(values.map((value) => kindOf(column, value)));
  const [only] = kinds;
  return kinds.size === 1 && only !== undefined ? only : 'text';
};

const day = (value: unknown, style: PeopleStyle, detail: Detail): string | undefined => {
  const found = dayOf(value);
  return found === undefined || detail !== 'brief' ? found : briefDay(found, style.now());
};

const interval = (value: unknown, style: PeopleStyle, detail: Detail): string | undefined =>
  detail === 'brief' ? briefPeriod(value, style.now(), style.unicode ? '–' : '-') : period(value);

const time = (value: unknown, style: PeopleStyle, detail: Detail): string | undefined => {
  const instant = instantOf(value);
  if (instant === undefined) return undefined;
  if (detail === 'brief') return brief(instant, style.timeZone, style.now());
  const text = absolute(instant, style.timeZone);
  const ago = detail === 'full' ? relative(instant, style.now()) : 'now';
  return ago === 'now' ? text : `${text} (${ago})`;
};

/** How long ago, on a terminal; elsewhere the time itself, which stays true. */
const age = (value: unknown, style: PeopleStyle): string | undefined => {
  const instant = instantOf(value);
  if (instant === undefined || style.width === undefined) return time(value, style, 'plain');
  return relative(instant, style.now());
};

const clock = (value: unknown, style: PeopleStyle): string | undefined => {
  const instant = instantOf(value);
  return instant === undefined ? undefined : clockTime(instant, style.timeZone);
};

const NAMES = ['name', 'title', 'label', 'project_name', 'leave_type', 'email', 'id'];

const inWords = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' && value !== null && !isNumber(value) ? safeJson(value) : String(value);
};

const isFlat = (value: object): boolean =>
  Object.values(value).every((member) => !isRecord(member) && !Array.isArray(member));

/** One item of a list: its name where it has one. */
const item = (value: unknown): string => {
  if (!isRecord(value)) return inWords(value);
  const name = NAMES.find((field) => Object.hasOwn(value, field));
  if (name === undefined) return inWords(value);
  const balance = reach(value, 'balance');
  return inWords(reach(value, name)) + (balance === undefined ? '' : ` ${inWords(balance)}`);
};

const text = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(item).join(', ');
  if (!isRecord(value) || !isFlat(value)) return inWords(value);
  return Object.entries(value)
    .map(([name, member]) => `${words(name)} ${inWords(member)}`)
    .join(', ');
};

const raw = (value: unknown, kind: Kind, style: PeopleStyle, detail: Detail): string => {
  switch (kind) {
    case 'hours':
      return hours(value) ?? text(value);
    case 'money':
      return money(value) ?? text(value);
    case 'date':
      return day(value, style, detail) ?? text(value);
    case 'period':
      return interval(value, style, detail) ?? text(value);
    case 'time':
      return time(value, style, detail) ?? text(value);
    case 'clock':
      return clock(value, style) ?? text(value);
    case 'age':
      return age(value, style) ?? text(value);
    case 'state':
      return text(value).replace(/_/g, ' ');
    default:
      return text(value);
  }
};

/** The text of a value, not yet sanitised; `-` where there is none. */
export const plainText = (value: unknown, kind: Kind, style: PeopleStyle, detail: Detail): string => {
  if (value === null || value === undefined || value === '') return NOTHING;
  if (kind === 'secret' && !style.showSecrets) return style.unicode ? '••••' : '****';
  return raw(value, kind, style, detail) || NOTHING;
};

/** The text of a cell on one line, sanitised. */
export const cellText = (value: unknown, kind: Kind, style: PeopleStyle, detail: Detail): string =>
  safeCell(plainText(value, kind, style, detail));

const RIGHT = new Set<Kind>(['number', 'hours', 'money']);

/** Whether cells of the kind end at the right, so that their digits stand below each other. */
export const isRight = (kind: Kind): boolean => RIGHT.has(kind);
