import { formatBriefDay, formatBriefDays } from '../parsing/calendar.ts';

/** Lengths and days in as few letters as people need. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAY_MS = DAY * 1000;

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** `1 day`, `2.5 days`. */
export const formatCount = (count: number, unit: string): string =>
  `${rounded(count)} ${unit}${rounded(count) === 1 ? '' : 's'}`;

/** `5 d`, `3 h`, `12 min`; `now` within a minute. */
export const formatAge = (seconds: number): string => {
  if (seconds < MINUTE) return 'now';
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  return seconds < DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} d`;
};

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `Nov 9`, with the year where it is not that of today. */
export const formatDay = (day: string, today: string): string => formatBriefDay(day, Date.parse(today));

/** `Nov 9–15`, `Dec 28 2026–Jan 2 2027`: as tables have it. */
export const formatDays = (from: string, to: string, today: string): string =>
  formatBriefDays([from, to], Date.parse(today), '–');

/** `Mon Nov 9`. */
export const formatWeekday = (day: string, today: string): string =>
  `${WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? ''} ${formatDay(day, today)}`;

/** Days from the first to the second. */
export const countDaysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
