import { formatBriefDay, formatBriefDays } from '../parsing/calendar.ts';

/** Lengths and days in as few letters as people need. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAY_MS = DAY * 1000;

/** `1 day`, `2.5 days`. */
export function formatCount(count: number, unit: string): string {
  return `${rounded(count)} ${unit}${rounded(count) === 1 ? '' : 's'}`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** `5 d`, `3 h`, `12 min`; `now` within a minute. */
export function formatAge(seconds: number): string {
  if (seconds < MINUTE) return 'now';
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  return seconds < DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} d`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `Nov 9`, with the year where it is not that of today. */
export function formatDay(day: string, today: string): string {
  return formatBriefDay(day, Date.parse(today));
}

/** `Nov 9–15`, `Dec 28 2026–Jan 2 2027`: as tables have it. */
export function formatDays(from: string, to: string, today: string): string {
  return formatBriefDays([from, to], Date.parse(today), '–');
}

export function formatWeekday(day: string, today: string): string {
  return `${WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? ''} ${formatDay(day, today)}`;
}

/** Days from the first to the second. */
export function countDaysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}
