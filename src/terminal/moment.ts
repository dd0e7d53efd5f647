/** Points in time for people: absolute in a named zone with its offset, and how long ago. */

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/;

/** Milliseconds since the epoch of an ISO 8601 date-time with an offset; anything else is `undefined`. */
export const instantOf = (value: unknown): number | undefined => {
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined;
  const iso = value
    .replace(' ', 'T')
    .replace(/([+-]\d\d)$/, '$1:00')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  const instant = Date.parse(iso);
  return Number.isNaN(instant) ? undefined : instant;
};

const formatters = new Map<string, Intl.DateTimeFormat>();

const formatterOf = (zone: string): Intl.DateTimeFormat => {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
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
  formatters.set(zone, made);
  return made;
};

/** `2026-11-20 09:00+01`, `…+05:30`, `…Z`: the offset says which zone it is read in. */
export const absolute = (instant: number, zone: string): string => {
  const part = new Map(
    formatterOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const zoned = (part.get('timeZoneName') ?? '').replace('GMT', '').replace(/:00$/, '');
  const offset = zoned === '' || zoned === '+00' ? 'Z' : zoned;
  const day = `${part.get('year')?.padStart(4, '0')}-${part.get('month')}-${part.get('day')}`;
  return `${day} ${part.get('hour')}:${part.get('minute')}${offset}`;
};

/** `09:00:07`: for what is happening now. */
export const clockTime = (instant: number, zone: string): string =>
  new Date(instant).toLocaleTimeString('en-GB', { timeZone: zone, hourCycle: 'h23' });

const MINUTE = 60_000;
const STEPS: readonly (readonly [limit: number, size: number, unit: string])[] = [
  [60 * MINUTE, MINUTE, 'min'],
  [24 * 60 * MINUTE, 60 * MINUTE, 'h'],
  [60 * 1440 * MINUTE, 1440 * MINUTE, 'd'],
  [730 * 1440 * MINUTE, 30.44 * 1440 * MINUTE, 'mo'],
  [Number.POSITIVE_INFINITY, 365.25 * 1440 * MINUTE, 'y'],
];

/** `3 d ago`, `in 2 h`, `now` within a minute. */
export const relative = (instant: number, now: number): string => {
  const distance = Math.abs(instant - now);
  if (distance < MINUTE) return 'now';
  const [, size, unit] = STEPS.find(([limit]) => distance < limit) ?? [0, MINUTE, 'min'];
  const amount = `${Math.floor(distance / size)} ${unit}`;
  return instant < now ? `${amount} ago` : `in ${amount}`;
};
