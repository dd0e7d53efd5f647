import { isDecimal, isNumber } from '../json.ts';
import { formatBriefDay, formatBriefDays, formatHours, parseWrittenDay } from '../parsing/calendar.ts';

/** Hours and sums. What is decimal stays so: 0.1 and 0.2 are 0.3. */

/** Hours as `h:mm`; anything but a number is `undefined`. */
export const formatHoursMinutes = (value: unknown): string | undefined => {
  if (isNumber(value)) return formatHours(value);
  return typeof value === 'string' && isDecimal(value) ? formatHours(Number(value)) : undefined;
};

/** `digits / 10 ** scale`, exact. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

const DECIMAL = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
const MAX_LENGTH = 100;

/** The decimal that a number is written as, or that a text is; anything else is `undefined`. */
export const parseDecimal = (value: unknown): Decimal | undefined => {
  if (typeof value === 'string' && !isDecimal(value)) return undefined;
  if (typeof value !== 'string' && !isNumber(value)) return undefined;
  const text = String(value);
  const [, integer, decimals = '', exponent = '0'] =
    text.length > MAX_LENGTH ? [] : (DECIMAL.exec(text) ?? []);
  if (integer === undefined) return undefined;
  const scale = decimals.length - Number(exponent);
  const digits = BigInt(integer + decimals);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
};

const scaleTo = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale);

export const addDecimals = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale);
  return { digits: scaleTo(a, scale) + scaleTo(b, scale), scale };
};

export const toAmount = (decimal: Decimal): number => Number(`${decimal.digits}e-${decimal.scale}`);

/** Points in time and days for people: in a named zone with its offset, how long ago, and short. */

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/;

/** Milliseconds since the epoch of an ISO 8601 date-time with an offset; anything else is `undefined`. */
export const toInstant = (value: unknown): number | undefined => {
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined;
  const iso = value
    .replace(' ', 'T')
    .replace(/([+-]\d\d)$/, '$1:00')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  const instant = Date.parse(iso);
  return Number.isNaN(instant) ? undefined : instant;
};

/**
 * The day of a value as `YYYY-MM-DD`; anything else is `undefined`. It is taken as the service wrote it: no zone is
 * applied, so that it cannot become the day before.
 */
export const toDay = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  if (/^\d{4}-(0[1-9]|1[0-2])-\d\d([T ]|$)/.test(value)) return value.slice(0, 10);
  return parseWrittenDay(value);
};

/** The first and last day of an ISO 8601 interval. */
const parseDays = (value: unknown): readonly [string, string] | undefined => {
  const [from, to] = typeof value === 'string' ? value.split('/').map(toDay) : [];
  return from === undefined || to === undefined ? undefined : [from, to];
};

/** `2026-11-09 to 2026-11-15`, `2026-11-09` alone; anything but an interval of days is `undefined`. */
export const formatPeriod = (value: unknown): string | undefined => {
  const days = parseDays(value);
  return days === undefined ? undefined : [...new Set(days)].join(' to ');
};

/** As `formatBriefDays`; anything but an interval of days is `undefined`. */
export const formatBriefPeriod = (value: unknown, now: number, dash: string): string | undefined => {
  const days = parseDays(value);
  return days === undefined ? undefined : formatBriefDays(days, now, dash);
};

const formatters = new Map<string, Intl.DateTimeFormat>();

const getFormatter = (zone: string): Intl.DateTimeFormat => {
  const cached = formatters.get(zone);
  if (cached !== undefined) return cached;
  const created = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  });
  formatters.set(zone, created);
  return created;
};

/** `2026-11-20 09:00+01`, `…+05:30`, `…Z`: the offset says which zone it is read in. */
export const formatAbsolute = (instant: number, zone: string): string => {
  const part = new Map(
    getFormatter(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const zoned = (part.get('timeZoneName') ?? '').replace('GMT', '').replace(/:00$/, '');
  const offset = zoned === '' || zoned === '+00' ? 'Z' : zoned;
  const day = `${part.get('year')?.padStart(4, '0')}-${part.get('month')}-${part.get('day')}`;
  return `${day} ${part.get('hour')}:${part.get('minute')}${offset}`;
};

/** `09:00:07`: for what is happening now. */
export const formatClockTime = (instant: number, zone: string): string =>
  new Date(instant).toLocaleTimeString('en-GB', { timeZone: zone, hourCycle: 'h23' });

/** `Nov 20 09:00+01`, with the year where it is not this year's. */
export const formatBrief = (instant: number, zone: string, now: number): string => {
  const text = formatAbsolute(instant, zone);
  return formatBriefDay(text, now) + text.slice(10);
};

const MINUTE = 60_000;
const STEPS: readonly (readonly [limit: number, size: number, unit: string])[] = [
  [60 * MINUTE, MINUTE, 'min'],
  [24 * 60 * MINUTE, 60 * MINUTE, 'h'],
  [60 * 1440 * MINUTE, 1440 * MINUTE, 'd'],
  [730 * 1440 * MINUTE, 30.44 * 1440 * MINUTE, 'mo'],
  [Number.POSITIVE_INFINITY, 365.25 * 1440 * MINUTE, 'y'],
];

/** `3 d ago`, `in 2 h`, `now` within a minute. */
export const formatRelative = (instant: number, now: number): string => {
  const distance = Math.abs(instant - now);
  if (distance < MINUTE) return 'now';
  const [, size, unit] = STEPS.find(([limit]) => distance < limit) ?? [0, MINUTE, 'min'];
  const amount = `${Math.floor(distance / size)} ${unit}`;
  return instant < now ? `${amount} ago` : `in ${amount}`;
};
