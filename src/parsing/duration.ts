import { UsageError } from '../outcome.ts';

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
    throw new UsageError(`${what === undefined ? '' : `${what}: `}"${text}" is not a duration`, {
      hint: 'Use a number with ms, s, m (minutes), h, d or w: 90s, 2h30m, 15d.',
    });
  }
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
};
