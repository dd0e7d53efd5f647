import type { Row } from '../api/page.ts';
import type { Column } from '../context.ts';
import { reach } from './fields.ts';
import { absolute, clockTime, instantOf, relative } from './moment.ts';
import type { Palette } from './palette.ts';
import { safeCell, safeJson } from './safe-text.ts';

/** How values are shown to people, in tables, in markdown and as `field  value` lines. */
export interface PeopleStyle {
  readonly ci: boolean;
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

const NOTHING = '-';

const words = (name: string): string => name.replace(/[._-]+/g, ' ').trim();

/** The heading in words: `total.days` is `total days`. */
export const titleOf = (column: Column): string => column.title ?? words(column.field);

/** What a cell is made from: the command's own text for it, else the field. */
export const shownValue = (column: Column, row: Row): unknown =>
  column.show === undefined ? reach(row, column.field) : column.show(row);

/** The kind of a column that names none, by its value. */
export const kindOf = (column: Column, value: unknown): Kind => {
  if (column.kind !== undefined) return column.kind;
  if (typeof value === 'number') return 'number';
  if (Array.isArray(value)) return 'list';
  return instantOf(value) === undefined ? 'text' : 'time';
};

const numeric = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
};

/** Hours as `h:mm`. */
const hours = (value: unknown): string | undefined => {
  const amount = numeric(value);
  if (amount === undefined || !Number.isFinite(amount)) return undefined;
  const minutes = Math.round(Math.abs(amount) * 60);
  const sign = amount < 0 && minutes > 0 ? '-' : '';
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
};

/** The day as the service wrote it: no zone is applied, so that it cannot become the day before. */
const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d([T ]|$)/.test(value) ? value.slice(0, 10) : undefined;

const time = (value: unknown, style: PeopleStyle, ago: boolean): string | undefined => {
  const instant = instantOf(value);
  if (instant === undefined) return undefined;
  const text = absolute(instant, style.timeZone);
  return ago ? `${text} (${relative(instant, style.now())})` : text;
};

/** How long ago, on a terminal; elsewhere the time itself, which stays true. */
const age = (value: unknown, style: PeopleStyle): string | undefined => {
  const instant = instantOf(value);
  if (instant === undefined || style.width === undefined) return time(value, style, false);
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
  return typeof value === 'object' && value !== null ? safeJson(value) : String(value);
};

const isFlat = (value: object): boolean =>
  Object.values(value).every((member) => typeof member !== 'object' || member === null);

/** One item of a list: its name where it has one. */
const item = (value: unknown): string => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return inWords(value);
  const name = NAMES.find((field) => Object.hasOwn(value, field));
  if (name === undefined) return inWords(value);
  const balance = reach({ ...value }, 'balance');
  return inWords(reach({ ...value }, name)) + (balance === undefined ? '' : ` ${inWords(balance)}`);
};

const text = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(item).join(', ');
  if (typeof value !== 'object' || value === null || !isFlat(value)) return inWords(value);
  return Object.entries(value)
    .map(([name, member]) => `${words(name)} ${inWords(member)}`)
    .join(', ');
};

const raw = (value: unknown, kind: Kind, style: PeopleStyle, ago: boolean): string => {
  switch (kind) {
    case 'hours':
      return hours(value) ?? text(value);
    case 'money':
      return numeric(value)?.toFixed(2) ?? text(value);
    case 'date':
      return day(value) ?? text(value);
    case 'time':
      return time(value, style, ago) ?? text(value);
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

/**
 * The text of a value, not yet sanitised; `-` where there is none.
 * @param ago adds how long ago a time is.
 */
export const plainText = (value: unknown, kind: Kind, style: PeopleStyle, ago: boolean): string => {
  if (value === null || value === undefined || value === '') return NOTHING;
  if (kind === 'secret' && !style.showSecrets) return style.unicode ? '••••' : '****';
  return raw(value, kind, style, ago) || NOTHING;
};

/** The text of a cell on one line, sanitised. */
export const cellText = (value: unknown, kind: Kind, style: PeopleStyle, ago: boolean): string =>
  safeCell(plainText(value, kind, style, ago), style.ci);
