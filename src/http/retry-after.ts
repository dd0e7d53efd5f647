/**
 * How long a `Retry-After` header asks to wait, in milliseconds from `now`; 0 for a time gone by. Nothing when the
 * header is missing, says nothing that RFC 9110 allows, or gives a date and `now` is not known. Of several values the longest counts, so that none is
 * undercut. Source: docs/service.md, Errors (seconds); RFC 9110, 10.2.3 (seconds or a date).
 */
export const parseRetryAfter = (value: string | undefined, now: number | undefined): number | undefined => {
  const text = value?.trim() ?? '';
  if (/^\d+(\s*,\s*\d+)*$/.test(text)) {
    const seconds = Math.max(...text.split(',').map(Number));
    return Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER);
  }
  const at = httpDate(text);
  return at === undefined || now === undefined ? undefined : Math.max(0, at - now);
};

/**
 * The time in an answer's own words where it tells (`date`), so that a wrong clock here does not shorten a wait that
 * is given as a date.
 */
export const readServerTime = (headers: Readonly<Record<string, string>>): number | undefined =>
  httpDate(headers['date'] ?? '');

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';

/** The three forms of RFC 9110, 5.6.7. `Date.parse` takes far more than these, and reads the third as local time. */
const FORMS = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  `[a-z]{3}, (?<day>\\d{2}) (?<month>[a-z]{3}) (?<year>\\d{4}) ${TIME} GMT`,
  // Sunday, 06-Nov-94 08:49:37 GMT
  `[a-z]{6,9}, (?<day>\\d{2})-(?<month>[a-z]{3})-(?<year>\\d{2}) ${TIME} GMT`,
  // Sun Nov  6 08:49:37 1994
  `[a-z]{3} (?<month>[a-z]{3}) (?<day>[\\d ]\\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`, 'i'));

const httpDate = (text: string): number | undefined => {
  const groups = FORMS.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return undefined;
  const { day, month, year, hour, minute, second } = groups;
  const index = MONTHS.indexOf(month?.toLowerCase() ?? '');
  if (index < 0 || Number(day) > 31 || Number(hour) > 23 || Number(minute) > 59) return undefined;
  return Date.UTC(fullYear(year ?? ''), index, Number(day), Number(hour), Number(minute), Number(second));
};

// Two digits, from the time when they were in use: 1970 to 2069.
const fullYear = (digits: string): number =>
  digits.length === 4 ? Number(digits) : Number(digits) + (Number(digits) < 70 ? 2000 : 1900);

/** Whole seconds, never fewer than were asked for. */
export const toWaitSeconds = (ms: number): number => Math.ceil(ms / 1000);

/** What to do about a 429. @param ms how long the service asks to wait; nothing where it does not say */
export const formatRetryHint = (ms: number | undefined): string => {
  const when = ms === undefined ? 'a minute' : `${Math.max(1, toWaitSeconds(ms))} s`;
  return `The rate limit is used up. Try again in ${when}, or wait longer with --max-wait.`;
};
