/** Lengths and days in as few letters as people need. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAY_MS = DAY * 1000;

/** Hours as `h:mm`. */
export const hoursText = (hours: number): string => {
  const minutes = Math.round(Math.abs(hours) * 60);
  return `${hours < 0 && minutes > 0 ? '-' : ''}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
};

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** `1 day`, `2.5 days`. */
export const plural = (count: number, unit: string): string =>
  `${rounded(count)} ${unit}${rounded(count) === 1 ? '' : 's'}`;

/** `5 d`, `3 h`, `12 min`; `now` within a minute. */
export const spanText = (seconds: number): string => {
  if (seconds < MINUTE) return 'now';
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  return seconds < DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} d`;
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const monthOf = (day: string): string => MONTHS[Number(day.slice(5, 7)) - 1] ?? '';

/** A day that is farther away could be meant of another year. */
const NEAR_DAYS = 300;

/** `9 Nov`, with the year where it would not be clear. */
export const dayText = (day: string, today: string): string => {
  const year = Math.abs(daysBetween(day, today)) < NEAR_DAYS ? '' : ` ${day.slice(0, 4)}`;
  return `${Number(day.slice(8, 10))} ${monthOf(day)}${year}`;
};

/** `9–15 Nov`, `28 Dec–2 Jan 2027`. */
export const daysText = (from: string, to: string, today: string): string => {
  if (from === to) return dayText(from, today);
  const [first, last] = [dayText(from, today), dayText(to, today)];
  return from.slice(0, 7) === to.slice(0, 7)
    ? `${Number(from.slice(8, 10))}–${last}`
    : `${first.replace(` ${to.slice(0, 4)}`, '')}–${last}`;
};

/** `Mon 9 Nov`. */
export const weekdayText = (day: string, today: string): string =>
  `${WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? ''} ${dayText(day, today)}`;

/** Days from the first to the second. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
