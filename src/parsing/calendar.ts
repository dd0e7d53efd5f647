import { UsageError } from '../errors.ts';
import { isDecimal, toText } from '../json.ts';
import { findNearest, quoteText } from './text.ts';

/**
 * Days as text, `YYYY-MM-DD`, checked by the calendar; times in a named time zone.
 */

export const DAY_MS = 86_400_000;
const DAYS = new Map([
  ['today', 0],
  ['yesterday', -1],
  ['tomorrow', 1],
]);
export const DAY_WORDS: readonly string[] = [...DAYS.keys()];

export function toUtcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
function pad(value: number): string {
  return String(value).padStart(2, '0');
}
export function addDays(day: string, days: number): string {
  return toUtcDay(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

/** Whether the text is a day that exists: `2026-02-30` is not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && toUtcDay(ms) === text;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Minutes by which the zone is ahead of UTC at that moment.
 * @param timeZone an IANA name, or an offset: `+05:30`
 * @throws UsageError when there is no such zone
 */
export function getOffsetMinutes(ms: number, timeZone: string): number {
  const [, sign, hours, minutes] = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(timeZone) ?? [];
  if (sign !== undefined) return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  let format = formats.get(timeZone);
  try {
    const style = 'medium';
    format ??= new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', dateStyle: style, timeStyle: style },
    });
  } catch {
    throw createZoneError(timeZone);
  }
  formats.set(timeZone, format);
  // `Nov 20, 2026, 09:00:00`
  const local = Date.parse(`${format.format(ms)} UTC`);
  return Math.round((local - Math.floor(ms / 1000) * 1000) / 60_000);
}

/** Today's names of zones that the platform lists by older ones, and the one that it does not list. */
const ZONES =
  'UTC Asia/Ho_Chi_Minh Asia/Kathmandu Asia/Kolkata Asia/Yangon Europe/Kyiv America/Argentina/Buenos_Aires';

function listZones(): readonly string[] {
  return [...ZONES.split(' '), ...Intl.supportedValuesOf('timeZone')];
}

function createZoneError(text: string): UsageError {
  const cities = new Map(listZones().map((zone) => [zone.toLowerCase().replace(/.*\//, ''), zone]));
  const city = text.trim().toLowerCase().replace(/.*\//, '').replaceAll(' ', '_');
  const zone = cities.get(findNearest(city, [...cities.keys()]) ?? '');
  const hint =
    zone === undefined ? 'Use an IANA name such as Europe/Berlin or UTC.' : `Did you mean ${zone}?`;
  return new UsageError(`${quoteText(text)} is not a time zone`, { hint });
}

/** A zone as the service takes it: `europe/london` is `Europe/London`. @throws UsageError for what is no IANA name */
export function parseZone(text: string): string {
  const known = listZones().find((zone) => zone.toLowerCase() === text.trim().toLowerCase());
  if (known !== undefined) return known;
  // An offset is a zone to the platform, and has no summer time.
  if (!/^[A-Za-z]/.test(text)) throw createZoneError(text);
  getOffsetMinutes(0, text);
  return text;
}

export function getToday(now: number, timeZone: string): string {
  return toUtcDay(now + getOffsetMinutes(now, timeZone) * 60_000);
}

/**
 * `YYYY-MM-DD`, `26.11.2026`, `today`, `yesterday`, `-7d` or `+7d` to a day.
 * @throws UsageError for a day that does not exist, and for other words
 */
export function parseDay(text: string, now: () => string): string {
  const written = parseDottedDay(text) ?? text;
  if (isDay(written)) return written;
  const days = DAYS.get(text) ?? /^([+-]\d{1,4})d$/.exec(text)?.[1];
  if (days !== undefined) return addDays(now(), Number(days));
  const hint = 'Use YYYY-MM-DD, today, tomorrow, -7d or +7d.';
  throw new UsageError(`${quoteText(text)} is not a valid date`, { hint });
}

/** The last of the month where there is no such day. */
export function addMonthsToDay(day: string, months: number): string {
  const [y, m, d] = day.split('-').map(Number) as [number, number, number];
  const last = toUtcDay(Date.UTC(y, m - 1 + months + 1, 0));
  return `${last.slice(0, 8)}${pad(Math.min(d, Number(last.slice(8))))}`;
}

/**
 * `2026-11-20T09:00` in the zone, or with an offset of its own, to ISO 8601 with an offset. A wall-clock time that
 * the zone skips (summer time begins) is refused; one that it has twice means the first, which is told.
 * @throws UsageError
 */
export function parseDateTime(
  text: string,
  timeZone: () => string,
  tell: (note: string) => void = () => {},
): string {
  const [, day = '', time = '', second = ':00', offset] =
    /^([\d-]{10})[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/.exec(text) ??
    [];
  if (!isDay(day))
    throw new UsageError(`${quoteText(text)} is not a time`, {
      hint: 'Use 2026-11-20T09:00, or add an offset: 2026-11-20T09:00+01:00.',
    });
  const wallClock = `${day}T${time}${second}`;
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
  const formatOffset = (minutes: number): string =>
    `${minutes < 0 ? '-' : '+'}${formatHours(Math.abs(minutes) / 60).padStart(5, '0')}`;
  if (other !== undefined)
    tell(
      `${text} comes twice in ${zone}: the first is meant, ${formatOffset(first)}. For the second, add ${formatOffset(other)}.`,
    );
  return wallClock + formatOffset(first);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const WRITTEN_DAY = new RegExp(`^(${MONTHS.join('|')}) (\\d{1,2}),? (\\d{4})(?:[ ,T]|$)`);

/** `2024-01-15` from `Jan 15, 2024`, as expenses have days (docs/service.md, Expenses); undefined for any other form. */
export function parseWrittenDay(text: string): string | undefined {
  const [, month = '', day = '', year = ''] = WRITTEN_DAY.exec(text) ?? [];
  if (month === '') return undefined;
  const iso = `${year}-${pad(MONTHS.indexOf(month) + 1)}-${day.padStart(2, '0')}`;
  return isDay(iso) ? iso : undefined;
}

/** `2026-11-09` from `9.11.2026`, as people and spreadsheets write it; undefined for any other form. */
export function parseDottedDay(text: string): string | undefined {
  const [, day, month, year] = /^(\d\d?)\.(\d\d?)\.(\d{4})$/.exec(text) ?? [];
  return day && month && `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/**
 * The day of a value of the service, `Jan 15, 2024` or ISO 8601; undefined for anything else. It is taken as it is written:
 * no zone is applied, so that it cannot become the day before.
 */
export function toDay(value: unknown): string | undefined {
  const text = toText(value);
  const day = text.slice(0, 10);
  return isDay(day) ? day : parseWrittenDay(text);
}

function formatMonthDay(day: string): string {
  return `${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8, 10))}`;
}

/** `Nov 9`; `Nov 9 2025` where it is not this year's. @param now milliseconds since the epoch */
export function formatBriefDay(day: string, now: number): string {
  const [year] = toUtcDay(now).split('-');
  return formatMonthDay(day) + (day.startsWith(`${year}-`) ? '' : ` ${day.slice(0, 4)}`);
}

/** `Nov 9–15`, `Oct 26–Nov 1`, `Nov 9`, with the year where it is not this year's. */
export function formatBriefDays(
  [from, to]: readonly [from: string, to: string],
  now: number,
  dash: string,
): string {
  if (from === to) return formatBriefDay(from, now);
  const last = formatBriefDay(to, now);
  if (from.slice(0, 4) !== to.slice(0, 4))
    return [from, to].map((day) => `${formatMonthDay(day)} ${day.slice(0, 4)}`).join(dash);
  return `${formatMonthDay(from)}${dash}${from.slice(0, 7) === to.slice(0, 7) ? last.slice(4) : last}`;
}

const STEPS: Readonly<Record<string, number>> = { this: 0, last: -1, next: 1 };
const UNITS: Readonly<Record<string, number>> = { week: 0, month: 1, quarter: 3, year: 12 };
export const PERIOD_WORDS: readonly string[] = [
  ...DAY_WORDS,
  ...Object.keys(UNITS).flatMap((unit) => Object.keys(STEPS).map((step) => `${step}-${unit}`)),
  'next-2-weeks',
];
const PERIODS = `${PERIOD_WORDS.join(', ')}, 2026-11-20, 2026-W32, 2026-08, 2026-Q3 or 2026`;

export interface DayPeriod {
  readonly from: string;
  /** Last day, inclusive. */
  readonly to: string;
}

function getMonths(year: number, month: number, count: number): DayPeriod {
  return {
    from: toUtcDay(Date.UTC(year, month, 1)),
    to: toUtcDay(Date.UTC(year, month + count, 0)),
  };
}

function getWeek(day: string): DayPeriod {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return { from: addDays(day, -weekday), to: addDays(day, 6 - weekday) };
}

function parseRelativePeriod(text: string, now: () => string): DayPeriod | undefined {
  const weeks = Number(/^next-([1-9]\d?)-weeks$/.exec(text)?.[1] ?? 0);
  if (weeks > 0) {
    const { from } = getWeek(addDays(now(), 7));
    return { from, to: addDays(from, 7 * weeks - 1) };
  }
  if (!PERIOD_WORDS.includes(text)) return undefined;
  const [word = '', unit = ''] = text.split('-');
  const [step = 0, months = 0] = [STEPS[word], UNITS[unit]];
  const day = now();
  if (months === 0) return getWeek(addDays(day, 7 * step));
  const [year = 0, month = 0] = day.split('-').map(Number);
  return getMonths(year, (Math.floor((month - 1) / months) + step) * months, months);
}

function parseAbsolutePeriod(text: string): DayPeriod | undefined {
  const match = /^(\d{4})(?:-(?:W(\d{2})|Q([1-4])|(0[1-9]|1[0-2])))?$/.exec(text);
  if (match === null) return undefined;
  const [year, week, quarter, month] = match.slice(1).map(Number) as [number, number, number, number];
  if (quarter > 0) return getMonths(year, 3 * (quarter - 1), 3);
  if (month > 0) return getMonths(year, month - 1, 1);
  if (Number.isNaN(week)) return getMonths(year, 0, 12);
  // ISO 8601: week 1 holds 4 January, and a week is of the year of its Thursday.
  const range = getWeek(addDays(`${match[1]}-01-04`, (week - 1) * 7));
  return week >= 1 && addDays(range.from, 3).startsWith(`${match[1]}-`) ? range : undefined;
}

/**
 * `last-week`, `this-month`, `2026-W32`, `2026-08`, `2026-Q3` … to its first and last day.
 * @throws UsageError for anything else
 */
export function parsePeriod(text: string, now: () => string): DayPeriod {
  const written = parseDottedDay(text) ?? text;
  if (DAYS.has(written) || isDay(written)) {
    const day = parseDay(written, now);
    return { from: day, to: day };
  }
  const range = parseAbsolutePeriod(text) ?? parseRelativePeriod(text, now);
  if (range !== undefined) return range;
  throw new UsageError(`${quoteText(text)} is not a period`, { hint: `Periods are ${PERIODS}.` });
}

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/**
 * `90s`, `15d`, `2h30m`, `500ms` to milliseconds.
 * @param what the flag or argument, for the error
 * @throws UsageError for anything else: a bare number does not say of what
 */
export function parseDuration(text: string, what?: string): number {
  if (!/^(\d+(\.\d+)?(ms|[smhdw]))+$/.test(text))
    throw new UsageError(`${what === undefined ? '' : `${what}: `}${quoteText(text)} is not a duration`, {
      hint: 'Use a number with ms, s, m (minutes), h, d or w: 90s, 2h30m, 15d.',
    });
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (DURATION_UNITS[unit] ?? 0), 0);
}

/** How long something takes, for people: `45 s`, `2 min 5 s`, `1 h 3 min`, `4 d 2 h`. @param seconds below zero counts as zero */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const hours = Math.floor(whole / 3600);
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return `${hours} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A number of hours for people, the same everywhere: `41:30`, `0:05`, `-1:00`; below half a minute `0:00`. */
export function formatHours(hours: number): string {
  const minutes = Math.round(Math.abs(hours) * 60);
  if (!Number.isSafeInteger(minutes)) return String(hours);
  const sign = hours < 0 && minutes > 0 ? '-' : '';
  return `${sign}${Math.floor(minutes / 60)}:${pad(minutes % 60)}`;
}

/** Money as people read it: with two decimals, or as many more as there are. */
export function formatMoney(value: unknown): string | undefined {
  let text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !isDecimal(text)) return undefined;
  // More digits than a number keeps come of arithmetic.
  if (typeof value === 'number' && text.replace(/^[-0.]+|\D/g, '').length > 15) text = value.toFixed(4);
  const [integer = '', decimals = ''] = String(text).split('.');
  return `${integer}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
}
