import { UsageError } from '../../outcome.ts';
import { parseDuration } from '../../parsing/duration.ts';
import { isCalendarDay } from '../read.ts';
import type { Duration, Moment } from './types.ts';

/** Moments and durations as callers write them, in milliseconds. */

const OFFSET = /(Z|[+-]\d{2}:?\d{2})$/i;

const textToMs = (text: string): number => {
  if (isCalendarDay(text)) return Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(OFFSET.test(text) ? text : `${text}Z`) : Number.NaN;
};

/** @throws UsageError for what is no moment */
export const toMomentMs = (datetime: Moment): number => {
  // A Date of another realm, as test runners make them, is no instance of this one's.
  const value = typeof datetime === 'object' && datetime !== null ? datetime.getTime?.() : datetime;
  const ms = typeof value === 'string' ? textToMs(value) : value;
  if (typeof ms === 'number' && Number.isFinite(ms)) return ms;
  throw new UsageError(`"${String(datetime)}" is not a time`, {
    hint: 'Pass a Date, milliseconds, or ISO 8601 text such as 2026-11-20T09:00:00Z.',
  });
};

/** @throws UsageError for what is no duration */
export const toDurationMs = (duration: Duration): number => {
  if (typeof duration === 'string') return parseDuration(duration);
  if (Number.isFinite(duration)) return duration;
  throw new UsageError(`"${String(duration)}" is not a duration`, {
    hint: 'Pass milliseconds, or text such as 15d.',
  });
};
