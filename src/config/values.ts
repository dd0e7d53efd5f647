import { FORMAT_NAMES, type Format, findFormat } from '../output/formats/formats.ts';
import {
  findAddressProblem,
  findLoopbackRedirectProblem,
  normalizeAddress,
  REDIRECT_HINT,
} from '../parsing/address.ts';
import { findNearest } from '../parsing/nearest.ts';
import { findScopeProblem, parseScopes } from '../parsing/scope-list.ts';
import { createBadValueError, type Sourced } from './sourced.ts';

/** How the values of settings are written. Each reader throws a `UsageError` that names the source. */

export interface RateLimit {
  readonly requests: number;
  readonly perSeconds: number;
  readonly writes: number;
  readonly writesPerSeconds: number;
}

export interface SortOrder {
  readonly field: string;
  readonly descending: boolean;
}

/** The root of a service, without trailing slashes. The value is not repeated in errors: it may hold a password. */
export const readUrl = (source: Sourced<string>): string => {
  const problem = findAddressProblem(source.value);
  if (problem === undefined) return normalizeAddress(source.value);
  throw createBadValueError(
    source,
    problem,
    'Use an address such as https://host/api/v2 (http:// only for this machine).',
  );
};

/** A redirect address that a browser can come back to. The value is not repeated: it may hold a password. */
export const readRedirect = (source: Sourced<string>): string => {
  const problem = findLoopbackRedirectProblem(source.value);
  if (problem === undefined) return source.value;
  throw createBadValueError(source, problem, REDIRECT_HINT);
};

/** Beyond it the timers of Node overflow and end at once. */
const MOST_SECONDS = 2_000_000;

export const readSeconds = (source: Sourced<string | number>, least: 'zero' | 'more than zero'): number => {
  const text = String(source.value).trim();
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= 0 && seconds <= MOST_SECONDS && (seconds > 0 || least === 'zero')) return seconds;
  const lowest = least === 'zero' ? '0 or more' : 'more than 0';
  const range = seconds > MOST_SECONDS ? `at most ${MOST_SECONDS}` : lowest;
  throw createBadValueError(
    source,
    `must be a number of seconds, ${range}, not "${text}"`,
    'For example: 30, or 0.5.',
  );
};

export const readFormat = (source: Sourced<string>): Format => {
  const format = findFormat(source.value);
  if (format !== undefined) return format;
  const meant = findNearest(source.value, FORMAT_NAMES);
  const hint = meant === undefined ? `Formats: ${FORMAT_NAMES.join(', ')}.` : `Did you mean ${meant}?`;
  throw createBadValueError(source, `must be an output format, not "${source.value}"`, hint);
};

const RATE = /^(\d+)\/(\d+(?:\.\d+)?),(\d+)\/(\d+(?:\.\d+)?)$/;

export const readRateLimit = (source: Sourced<string>): RateLimit | 'off' => {
  const text = source.value.replaceAll(' ', '');
  if (text === 'off') return 'off';
  const [requests, perSeconds, writes, writesPerSeconds] = (RATE.exec(text) ?? []).slice(1).map(Number);
  if (requests && perSeconds && writes && writesPerSeconds) {
    return { requests, perSeconds, writes, writesPerSeconds };
  }
  const hint = 'Use requests/seconds,writes/seconds, such as 150/60,20/1, or off.';
  throw createBadValueError(source, `is not a rate limit: "${source.value}"`, hint);
};

/** A comma list, or several, or both. */
export const readColumns = (source: Sourced<readonly string[]>): readonly string[] => {
  const columns = source.value.flatMap((text) => text.split(',')).map((name) => name.trim());
  if (columns.length > 0 && !columns.includes('')) return columns;
  throw createBadValueError(source, 'has an empty name', 'Separate field names with commas: id,email');
};

/** A comma list of scopes, or several. */
export const readScopes = (source: Sourced<string | readonly string[]>): string => {
  const text = [source.value].flat().join(',');
  const problem = findScopeProblem(text);
  if (problem === undefined) return parseScopes(text).join(',');
  throw createBadValueError(source, problem, 'Separate scopes with commas: read,write.');
};

export const readSort = (source: Sourced<string>): SortOrder => {
  const found = /^([^:]+)(?::(asc|desc))?$/.exec(source.value.trim());
  if (found?.[1] !== undefined) return { field: found[1], descending: found[2] === 'desc' };
  throw createBadValueError(
    source,
    `is not a sort order: "${source.value}"`,
    'Use a field name, or field:desc.',
  );
};

/** A text that must not be empty: an unset shell variable in a script must not select something else. */
export const readNonEmptyText = (source: Sourced<string>): string => {
  const text = source.value.trim();
  if (text !== '') return text;
  throw createBadValueError(source, 'has no value', 'Pass a value, or omit it.');
};
