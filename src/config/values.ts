import { UsageError } from '../errors.ts';
import type { Rate } from '../http/links.ts';
import { FORMAT_NAMES, type Format, findFormat } from '../output/formats/formats.ts';
import { isDay } from '../parsing/calendar.ts';
import { findScopeProblem, parseScopes } from '../parsing/names.ts';
import { commandLine } from '../parsing/shell-word.ts';
import {
  findAddressProblem,
  findLoopbackRedirectProblem,
  normalizeAddress,
  REDIRECT_HINT,
} from '../parsing/text.ts';

/** A value and where it came from, so that `profile show` and every error can say it. */
export interface Sourced<T> {
  readonly value: T;
  readonly from: 'flag' | 'environment' | 'profile' | 'default';
  /** The flag (`--workspace`), the variable (`TTCTL_WORKSPACE`), the profile's member (`workspace`), or the setting. */
  readonly name: string;
  /** Where a profile's value stands, for errors. */
  readonly place?: { readonly profile: string; readonly file: string | undefined };
}

/** Names the source in an error: `--timeout`, `TTCTL_TIMEOUT`, `"rate_limit" of profile work`. */
export function describeSource({ from, name, place }: Sourced<unknown>): string {
  return from === 'profile' ? `"${name}" of profile ${place?.profile ?? ''}`.trim() : name;
}

/** `problem` is a clause about the value: `must be greater than 0`. `hint` is a sentence. */
export function createBadValueError(source: Sourced<unknown>, problem: string, hint: string): UsageError {
  const { from, name, place } = source;
  const profile = place && { profile: place.profile };
  let change = '';
  // The other sources are in front of the user.
  if (name === 'current_profile') change = ' Choose one with: ttctl profile use <profile>';
  else if (from === 'profile')
    change = ` Change it with: ${commandLine`ttctl profile set --profile ${place?.profile}`} --${name.replaceAll('_', '-')} <value>`;
  return new UsageError(`${describeSource(source)} ${problem}`, {
    code: 'bad_value',
    ...(place?.file !== undefined && { reason: `It is set in ${place.file}` }),
    hint: `${hint}${change}`,
    details: { source: from, name, ...profile },
  });
}

/** How the values of settings are written. Each reader throws a `UsageError` that names the source. */

/** The root of a service, without trailing slashes. The value is not repeated in errors: it may hold a password. */
export function readUrl(source: Sourced<string>): string {
  const problem = findAddressProblem(source.value);
  if (problem === undefined) return normalizeAddress(source.value);
  const hint = 'Use an address such as https://host/api/v2 (http:// only for this machine).';
  throw createBadValueError(source, problem, hint);
}

/** A redirect address that a browser can come back to. The value is not repeated: it may hold a password. */
export function readRedirect(source: Sourced<string>): string {
  const problem = findLoopbackRedirectProblem(source.value);
  if (problem === undefined) return source.value;
  throw createBadValueError(source, problem, REDIRECT_HINT);
}

/** @param least what the value must be: `0`, or more than it */
export function readSeconds(source: Sourced<string | number>, least: '0' | 'more' = '0'): number {
  const text = String(source.value).trim();
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  // Beyond that the timers of Node overflow and end at once.
  if (seconds <= 2_000_000 && (seconds > 0 || least === '0')) return seconds;
  const bound = least === '0' ? '0 or more' : 'more than 0';
  const problem = `must be a number of seconds, ${bound} and at most 2000000, not "${text}"`;
  throw createBadValueError(source, problem, 'For example: 30, or 0.5.');
}

export function readFormat(source: Sourced<string>): Format {
  const format = findFormat(source.value);
  if (format !== undefined) return format;
  const problem = `must be an output format, not "${source.value}"`;
  throw createBadValueError(source, problem, `Formats: ${FORMAT_NAMES.join(', ')}.`);
}

const RATE_PATTERN = /^(\d+)\/(\d+(?:\.\d+)?),(\d+)\/(\d+(?:\.\d+)?)$/;

export function readRateLimit(source: Sourced<string>): Rate | 'off' {
  const text = source.value.replaceAll(' ', '');
  if (text === 'off') return 'off';
  const [requests, perSeconds, writes, writesPerSeconds] = (RATE_PATTERN.exec(text) ?? [])
    .slice(1)
    .map(Number);
  if (requests && perSeconds && writes && writesPerSeconds) {
    return { requests, perSeconds, writes, writesPerSeconds };
  }
  const hint = 'Use requests/seconds,writes/seconds, such as 150/60,20/1, or off.';
  throw createBadValueError(source, `has an invalid rate limit: "${source.value}"`, hint);
}

/** A comma list, or several, or both; with `+` and `-` a change of the default columns. */
export function readColumns(source: Sourced<readonly string[]>): readonly string[] {
  const columns = source.value.flatMap((text) => text.split(',')).map((name) => name.trim());
  const changes = columns.filter((name) => /^[+-]/.test(name));
  if (changes.length > 0 && changes.length < columns.length)
    throw createBadValueError(source, 'mixes names with + and -', 'Put + or - before every name, or none.');
  if (columns.length > 0 && !columns.some((name) => /^[+-]?$/.test(name))) return columns;
  throw createBadValueError(source, 'has an empty name', 'Separate field names with commas: id,email');
}

/** A comma list of scopes, or several. */
export function readScopes(source: Sourced<string | readonly string[]>): string {
  const text = [source.value].flat().join(',');
  const problem = findScopeProblem(text);
  if (problem === undefined) return parseScopes(text).join(',');
  throw createBadValueError(source, problem, 'Separate scopes with commas: read,write.');
}

export function readSort(source: Sourced<string>): { readonly field: string; readonly descending: boolean } {
  const found = /^([^:]+)(?::(asc|desc))?$/.exec(source.value.trim());
  if (found?.[1] !== undefined) return { field: found[1], descending: found[2] === 'desc' };
  const problem = `has an invalid sort order: "${source.value}"`;
  throw createBadValueError(source, problem, 'Use a field name, or field:desc.');
}

/** A text that must not be empty: an unset shell variable in a script must not select something else. */
export function readNonEmptyText(source: Sourced<string>): string {
  const text = source.value.trim();
  if (text !== '') return text;
  throw createBadValueError(source, 'has no value', 'Pass a value, or omit it.');
}

export function readCalendarDay(source: Sourced<string>): string {
  const text = readNonEmptyText(source);
  if (isDay(text)) return text;
  throw createBadValueError(source, 'is not a day', 'Write it like 2026-08-01.');
}

export const DEFAULT_RATE: Rate = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };
/** Seconds: for one request, and that it may wait; after a lost answer, in which a new record may still appear. */
export const DEFAULT_TIMEOUT = 30;
export const DEFAULT_MAX_WAIT = 120;
export const DEFAULT_SETTLE = 30;
