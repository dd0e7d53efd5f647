import { UsageError } from '../outcome.ts';

/**
 * Days as text, `YYYY-MM-DD`, checked by the calendar; times in a named time zone
 * (docs/requirements.md, CLI-4).
 */

export const DAY_MS = 86_400_000;
/** Days that have a word. */
export const DAY_WORDS = ['today', 'yesterday', 'tomorrow'] as const;

/** The day of a moment in UTC. */
export const toUtcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** Midnight in UTC; months from 0, and a day 0 is the last of the month before. */
export const toUtcMidnight = (year: number, month: number, day: number): number => Date.UTC(year, month, day);
const pad = (value: number): string => String(value).padStart(2, '0');
/** So many days on. */
export const addDays = (day: string, days: number): string =>
  toUtcDay(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);

/** Whether the text is a day that exists: `2026-02-30` is not. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && toUtcDay(ms) === text;
};

/**
 * Minutes by which the zone is ahead of UTC at that moment.
 * @throws UsageError when there is no such zone
 */
export const getOffsetMinutes = (ms: number, timeZone: string): number => {
  let parts: Intl.DateTimeFormatPart[];
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    parts = format.formatToParts(ms);
  } catch {
    throw new UsageError(`"${timeZone}" is not a time zone`, {
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
 * `YYYY-MM-DD`, `getToday`, `yesterday`, `-7d` or `+7d` to a day.
 * @throws UsageError for a day that does not exist, and for other words
 */
export const parseDay = (text: string, now: () => string): string => {
  if (isDay(text)) return text;
  if (text === 'today') return now();
  if (text === 'yesterday') return addDays(now(), -1);
  if (text === 'tomorrow') return addDays(now(), 1);
  const relative = /^([+-]\d{1,4})d$/.exec(text);
  if (relative !== null) return addDays(now(), Number(relative[1]));
  const shaped = /^\d{4}-\d{2}-\d{2}$/.test(text);
  throw new UsageError(shaped ? `there is no day ${text}` : `"${text}" is not a date`, {
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
 * the zone skips (summer time begins) is refused; one that it has twice means the first.
 * @throws UsageError
 */
export const parseDateTime = (text: string, timeZone: () => string): string => {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/.exec(
    text,
  );
  const [, day = '', hour = '', minute = '', second = '00', offset] = match ?? [];
  if (match === null || !isDay(day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new UsageError(`"${text}" is not a time`, {
      hint: 'Use 2026-11-20T09:00, or add an offset: 2026-11-20T09:00+01:00.',
    });
  }
  const wall = `${day}T${hour}:${minute}:${second}`;
  if (offset !== undefined)
    return wall + (offset === 'Z' ? '+00:00' : offset.replace(/^(...)(\d\d)$/, '$1:$2'));
  const zone = timeZone();
  const utc = Date.parse(`${wall}Z`);
  const offsets = [utc - DAY_MS, utc + DAY_MS].map((ms) => getOffsetMinutes(ms, zone));
  const fitting = offsets.find((minutes) => getOffsetMinutes(utc - minutes * 60_000, zone) === minutes);
  if (fitting === undefined) {
    throw new UsageError(`${text} does not exist in ${zone}`, { reason: 'The clocks skip it.' });
  }
  const size = Math.abs(fitting);
  return `${wall}${fitting < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
};
