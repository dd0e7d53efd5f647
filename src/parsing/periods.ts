import { UsageError } from '../outcome.ts';
import { addDays, DAY_WORDS, isDay, parseDay, toUtcDay, toUtcMidnight } from './calendar.ts';
import { findNearest } from './nearest.ts';

/** Periods in words to their first and last day (docs/requirements.md, CLI-4). */

/** Periods that have a word. */
export const PERIOD_WORDS = [
  'today',
  'yesterday',
  'tomorrow',
  'this-week',
  'last-week',
  'next-week',
  'this-month',
  'last-month',
  'next-month',
  'this-quarter',
  'last-quarter',
  'next-quarter',
  'this-year',
  'last-year',
  'next-year',
] as const;
/** How a period is written. */
export const PERIODS = `${PERIOD_WORDS.join(', ')}, 2026-11-20, 2026-W32, 2026-08, 2026-Q3 or 2026`;

export interface DayPeriod {
  /** First day. */
  readonly from: string;
  /** Last day, inclusive. */
  readonly to: string;
}

const month = (year: number, index: number): DayPeriod => ({
  from: toUtcDay(toUtcMidnight(year, index, 1)),
  to: toUtcDay(toUtcMidnight(year, index + 1, 0)),
});
const quarter = (year: number, index: number): DayPeriod => ({
  from: toUtcDay(toUtcMidnight(year, index * 3, 1)),
  to: toUtcDay(toUtcMidnight(year, index * 3 + 3, 0)),
});
const year = (number: number): DayPeriod => ({ from: `${number}-01-01`, to: `${number}-12-31` });
/** Monday to Sunday. */
const weekOf = (day: string): DayPeriod => {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return { from: addDays(day, -weekday), to: addDays(day, 6 - weekday) };
};

const isoWeek = (number: number, week: number): DayPeriod | undefined => {
  const first = weekOf(`${number}-01-04`).from; // ISO 8601: week 1 holds 4 January
  const range = weekOf(addDays(first, (week - 1) * 7));
  const thursday = addDays(range.from, 3);
  return week >= 1 && thursday.startsWith(`${number}-`) ? range : undefined;
};

const STEPS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };

const RELATIVE = /^(this|last|next)-(week|month|quarter|year)$/;

const relativePeriod = (text: string, now: () => string): DayPeriod | undefined => {
  const match = RELATIVE.exec(text);
  if (match === null) return undefined;
  const step = STEPS[match[1] ?? ''] ?? 0;
  const day = now();
  const [y, m] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1];
  if (match[2] === 'week') return weekOf(addDays(day, 7 * step));
  if (match[2] === 'month') return month(y, m + step);
  if (match[2] === 'quarter') return quarter(y, Math.floor(m / 3) + step);
  return year(y + step);
};

const absolutePeriod = (text: string): DayPeriod | undefined => {
  const match = /^(\d{4})(?:-(?:W(\d{2})|Q([1-4])|(0[1-9]|1[0-2])))?$/.exec(text);
  if (match === null) return undefined;
  const y = Number(match[1]);
  if (match[2] !== undefined) return isoWeek(y, Number(match[2]));
  if (match[3] !== undefined) return quarter(y, Number(match[3]) - 1);
  if (match[4] !== undefined) return month(y, Number(match[4]) - 1);
  return year(y);
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
  const range = absolutePeriod(text) ?? relativePeriod(text, now);
  if (range === undefined) {
    const meant = findNearest(text.toLowerCase(), PERIOD_WORDS);
    const hint = meant === undefined ? `Periods are ${PERIODS}.` : `Did you mean ${meant}?`;
    throw new UsageError(`"${text}" is not a period`, { hint });
  }
  return range;
};
