import type { Window } from './api/pages.ts';
import { UsageError } from './outcome.ts';

/** The part of a list that was asked for: `--limit`, `--page`, `--per-page`. */

const whole = (
  options: Readonly<Record<string, unknown>>,
  name: string,
  flag: string,
  max?: number,
): number | undefined => {
  const raw = options[name];
  if (raw === undefined) return undefined;
  const number = Number(raw);
  if (!/^\d{1,9}$/.test(String(raw)) || number < 1 || (max !== undefined && number > max)) {
    throw new UsageError(
      `${flag}: "${raw}" is not a whole number ${max === undefined ? 'from 1' : `from 1 to ${max}`}`,
    );
  }
  return number;
};

/** @param attempt takes what is thrown: UsageError for what is no whole number in range */
export const readWindow = (
  options: Readonly<Record<string, unknown>>,
  attempt: <T>(work: () => T) => T | undefined,
): Window => {
  const limit = attempt(() => whole(options, 'limit', '--limit'));
  const page = attempt(() => whole(options, 'page', '--page'));
  const perPage = attempt(() => whole(options, 'perPage', '--per-page', 100));
  return { ...(limit && { limit }), ...(page && { page }), ...(perPage && { perPage }) };
};
