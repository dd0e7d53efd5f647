import { quoteText, UsageError } from '../errors.ts';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * `90s`, `15d`, `2h30m`, `500ms` to milliseconds.
 * @param what the flag or argument, for the error
 * @throws UsageError for anything else: a bare number does not say of what
 */
export const parseDuration = (text: string, what?: string): number => {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)];
  const whole = parts.map(([part]) => part).join('');
  if (text === '' || whole !== text) {
    throw new UsageError(`${what === undefined ? '' : `${what}: `}${quoteText(text)} is not a duration`, {
      hint: 'Use a number with ms, s, m (minutes), h, d or w: 90s, 2h30m, 15d.',
    });
  }
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
};

/** How long something takes, for people: `45 s`, `2 min 5 s`, `1 h 3 min`. @param seconds below zero counts as zero */
export const formatDuration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
};

/** Hours that have minutes: larger or finer ones are no length of time that anybody sends on purpose. */
const DECIMAL_HOURS = /^(-?)(\d{1,20})(?:\.(\d{1,20}))?$/;
/** Hours that are less than half a minute, however they are written. */
const NO_TIME = 0.001;

/**
 * A number of hours for people, the same everywhere: `41:30`, `0:05`, `-1:00`; below half a minute `0:00`. Counted in
 * decimal digits, so that no digit is made up; a number that is too large or too fine for that is written as it is.
 */
export const formatHours = (hours: number): string => {
  const text = Math.abs(Number(hours)) < NO_TIME ? '0' : String(hours);
  const [, minus, whole, fraction = ''] = DECIMAL_HOURS.exec(text) ?? [];
  if (whole === undefined) return String(hours);
  const unit = 10n ** BigInt(fraction.length);
  const minutes = (BigInt(whole + fraction) * 120n + unit) / (2n * unit);
  const sign = minutes > 0n ? minus : '';
  return `${sign}${minutes / 60n}:${String(minutes % 60n).padStart(2, '0')}`;
};
