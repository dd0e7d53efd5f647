import { quoteText, UsageError } from '../errors.ts';
import { findNearest } from './names.ts';

/**
 * Days as text, `YYYY-MM-DD`, checked by the calendar; times in a named time zone.
 */

export const DAY_MS = 86_400_000;
export const DAY_WORDS = ['today', 'yesterday', 'tomorrow'] as const;

export const toUtcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** Midnight in UTC; months from 0, and a day 0 is the last of the month before. */
export const toUtcMidnight = (year: number, month: number, day: number): number => Date.UTC(year, month, day);
const pad = (value: number): string => String(value).padStart(2, '0');
export const addDays = (day: string, days: number): string =>
  toUtcDay(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);

/** Whether the text is a day that exists: `2026-02-30` is not. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && toUtcDay(ms) === text;
};

/** By zone: making one takes much longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError when there is no such zone */
const getFormat = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const [hourCycle, year, digits] = ['h23', 'numeric', '2-digit'] as const;
  const time = { hour: digits, minute: digits, second: digits };
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle, year, month: digits, day: digits, ...time },
  });
  formats.set(timeZone, format);
  return format;
};

/** `+05:30` */
export const formatOffset = (minutes: number): string => {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
};

/**
 * Minutes by which the zone is ahead of UTC at that moment.
 * @param timeZone an IANA name, or an offset: `+05:30`
 * @throws UsageError when there is no such zone
 */
export const getOffsetMinutes = (ms: number, timeZone: string): number => {
  const [, sign, hours, minutes] = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(timeZone) ?? [];
  if (sign !== undefined) return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = getFormat(timeZone).formatToParts(ms);
  } catch {
    throw new UsageError(`${quoteText(timeZone)} is not a time zone`, {
      hint: 'Use an IANA name such as Europe/Berlin or UTC.',
    });
  }
  const part = (type: string) => Number(parts.find((entry) => entry.type === type)?.value);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return Math.round((local - Math.floor(ms / 1000) * 1000) / 60_000);
};

/** The day it is in the zone at that moment. */
export const getToday = (now: number, timeZone: string): string =>
  toUtcDay(now + getOffsetMinutes(now, timeZone) * 60_000);

/**
 * `YYYY-MM-DD`, `today`, `yesterday`, `-7d` or `+7d` to a day.
 * @throws UsageError for a day that does not exist, and for other words
 */
export const parseDay = (text: string, now: () => string): string => {
  if (isDay(text)) return text;
  if (text === 'today') return now();
  if (text === 'yesterday') return addDays(now(), -1);
  if (text === 'tomorrow') return addDays(now(), 1);
  const relative = /^([+-]\d{1,4})d$/.exec(text);
  if (relative !== null) return addDays(now(), Number(relative[1]));
  const hasDateFormat = /^\d{4}-\d{2}-\d{2}$/.test(text);
  throw new UsageError(hasDateFormat ? `${text} is not a valid date` : `${quoteText(text)} is not a date`, {
    hint: 'Use YYYY-MM-DD, today, yesterday or -7d.',
  });
};

/** The same day so many months on; the last of the month where there is no such day. */
export const addMonthsToDay = (day: string, months: number): string => {
  const [y, m, d] = day.split('-').map(Number) as [number, number, number];
  const last = toUtcDay(toUtcMidnight(y, m - 1 + months + 1, 0));
  return `${last.slice(0, 8)}${pad(Math.min(d, Number(last.slice(8))))}`;
};

/**
 * `2026-11-20T09:00` in the zone, or with an offset of its own, to ISO 8601 with an offset. A wall-clock time that
 * the zone skips (summer time begins) is refused; one that it has twice means the first, which is told.
 * @throws UsageError
 */
export const parseDateTime = (
  text: string,
  timeZone: () => string,
  tell: (note: string) => void = () => {},
): string => {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/.exec(
    text,
  );
  const [, day = '', hour = '', minute = '', second = '00', offset] = match ?? [];
  if (match === null || !isDay(day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new UsageError(`${quoteText(text)} is not a time`, {
      hint: 'Use 2026-11-20T09:00, or add an offset: 2026-11-20T09:00+01:00.',
    });
  }
  const wallClock = `${day}T${hour}:${minute}:${second}`;
  if (offset !== undefined)
    return wallClock + (offset === 'Z' ? '+00:00' : offset.replace(/^(...)(\d\d)$/, '$1:$2'));
  const zone = timeZone();
  const utc = Date.parse(`${wallClock}Z`);
  const offsets = [utc - DAY_MS, utc + DAY_MS].map((ms) => getOffsetMinutes(ms, zone));
  const [first, other] = new Set(
    offsets.filter((minutes) => getOffsetMinutes(utc - minutes * 60_000, zone) === minutes),
  );
  if (first === undefined)
    throw new UsageError(`${text} does not exist in ${zone}`, { reason: 'The clocks skip it.' });
  if (other !== undefined)
    tell(
      `${text} comes twice in ${zone}: the first is meant, ${formatOffset(first)}. For the second, add ${formatOffset(other)}.`,
    );
  return wallClock + formatOffset(first);
};

/** Days for people, as short as can be, the same everywhere. Days are `YYYY-MM-DD`. Pure. */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const WRITTEN_DAY = new RegExp(`^(${MONTHS.join('|')}) (\\d{1,2}),? (\\d{4})(?:[ ,T]|$)`);

/** `2024-01-15` from `Jan 15, 2024`, as expenses have days (docs/service.md, Expenses); undefined for any other form. */
export const parseWrittenDay = (text: string): string | undefined => {
  const [, month = '', day = '', year = ''] = WRITTEN_DAY.exec(text) ?? [];
  if (month === '') return undefined;
  const iso = `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(iso) ? iso : undefined;
};

const formatYear = (now: number): string => String(new Date(now).getUTCFullYear());
const formatMonthDay = (day: string): string =>
  `${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8, 10))}`;

/** `Nov 9`; `Nov 9 2025` where it is not this year's. @param now milliseconds since the epoch */
export const formatBriefDay = (day: string, now: number): string =>
  formatMonthDay(day) + (day.startsWith(formatYear(now)) ? '' : ` ${day.slice(0, 4)}`);

/** `Nov 9–15`, `Oct 26–Nov 1`, `Nov 9`, with the year where it is not this year's. */
export const formatBriefDays = (
  [from, to]: readonly [from: string, to: string],
  now: number,
  dash: string,
): string => {
  if (from === to) return formatBriefDay(from, now);
  if (from.slice(0, 4) !== to.slice(0, 4)) {
    return [from, to].map((day) => `${formatMonthDay(day)} ${day.slice(0, 4)}`).join(dash);
  }
  const last = from.slice(0, 7) === to.slice(0, 7) ? String(Number(to.slice(8, 10))) : formatMonthDay(to);
  const year = to.startsWith(formatYear(now)) ? '' : ` ${to.slice(0, 4)}`;
  return `${formatMonthDay(from)}${dash}${last}${year}`;
};

/** Periods in words to their first and last day. */

const STEPS: Readonly<Record<string, number>> = { this: 0, last: -1, next: 1 };
const UNITS = ['week', 'month', 'quarter', 'year'];
/** Periods that have a word. */
export const PERIOD_WORDS: readonly string[] = [
  ...DAY_WORDS,
  ...UNITS.flatMap((unit) => Object.keys(STEPS).map((step) => `${step}-${unit}`)),
];
/** How a period is written. */
export const PERIODS = `${PERIOD_WORDS.join(', ')}, 2026-11-20, 2026-W32, 2026-08, 2026-Q3 or 2026`;

export interface DayPeriod {
  /** First day. */
  readonly from: string;
  /** Last day, inclusive. */
  readonly to: string;
}

const getMonth = (year: number, index: number): DayPeriod => ({
  from: toUtcDay(toUtcMidnight(year, index, 1)),
  to: toUtcDay(toUtcMidnight(year, index + 1, 0)),
});
const getQuarter = (year: number, index: number): DayPeriod => ({
  from: toUtcDay(toUtcMidnight(year, index * 3, 1)),
  to: toUtcDay(toUtcMidnight(year, index * 3 + 3, 0)),
});
const getYear = (number: number): DayPeriod => ({ from: `${number}-01-01`, to: `${number}-12-31` });
/** Monday to Sunday. */
const getWeek = (day: string): DayPeriod => {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return { from: addDays(day, -weekday), to: addDays(day, 6 - weekday) };
};

const getIsoWeek = (number: number, week: number): DayPeriod | undefined => {
  const first = getWeek(`${number}-01-04`).from; // ISO 8601: week 1 holds 4 January
  const range = getWeek(addDays(first, (week - 1) * 7));
  const thursday = addDays(range.from, 3);
  return week >= 1 && thursday.startsWith(`${number}-`) ? range : undefined;
};

const RELATIVE = new RegExp(`^(${Object.keys(STEPS).join('|')})-(${UNITS.join('|')})$`);

const parseRelativePeriod = (text: string, now: () => string): DayPeriod | undefined => {
  const match = RELATIVE.exec(text);
  if (match === null) return undefined;
  const step = STEPS[match[1] ?? ''] ?? 0;
  const day = now();
  const [y, m] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1];
  if (match[2] === 'week') return getWeek(addDays(day, 7 * step));
  if (match[2] === 'month') return getMonth(y, m + step);
  if (match[2] === 'quarter') return getQuarter(y, Math.floor(m / 3) + step);
  return getYear(y + step);
};

const parseAbsolutePeriod = (text: string): DayPeriod | undefined => {
  const match = /^(\d{4})(?:-(?:W(\d{2})|Q([1-4])|(0[1-9]|1[0-2])))?$/.exec(text);
  if (match === null) return undefined;
  const y = Number(match[1]);
  if (match[2] !== undefined) return getIsoWeek(y, Number(match[2]));
  if (match[3] !== undefined) return getQuarter(y, Number(match[3]) - 1);
  if (match[4] !== undefined) return getMonth(y, Number(match[4]) - 1);
  return getYear(y);
};

/**
 * `last-week`, `this-month`, `2026-W32`, `2026-08`, `2026-Q3` … to its first and last day.
 * @throws UsageError for anything else
 */
export const parsePeriod = (text: string, now: () => string): DayPeriod => {
  if (DAY_WORDS.some((word) => word === text) || isDay(text)) {
    const day = parseDay(text, now);
    return { from: day, to: day };
  }
  const range = parseAbsolutePeriod(text) ?? parseRelativePeriod(text, now);
  if (range === undefined) {
    const meant = findNearest(text.toLowerCase(), PERIOD_WORDS);
    const hint = meant === undefined ? `Periods are ${PERIODS}.` : `Did you mean ${meant}?`;
    throw new UsageError(`${quoteText(text)} is not a period`, { hint });
  }
  return range;
};
