import type { Rate } from '../http/pacing.ts';
import type { RemainingAllowance } from './windows.ts';

const span = (seconds: number): string => {
  if (seconds === 60) return 'this minute';
  return seconds === 1 ? 'this second' : `in ${seconds} s`;
};

/** `132 of 150 this minute, 18 of 20 writes this second` */
export const formatRemaining = (rate: Rate, left: RemainingAllowance): string =>
  `${left.requests} of ${rate.requests} ${span(rate.perSeconds)}, ` +
  `${left.writes} of ${rate.writes} writes ${span(rate.writesPerSeconds)}`;
