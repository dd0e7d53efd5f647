import { describe, expect, it } from 'vitest';
import {
  createRunSummary,
  estimateSeconds,
  formatPaceNotice,
  formatProgress,
} from '../../src/changes/report.ts';
import { NetworkError } from '../../src/errors.ts';
import type { Run } from '../../src/run.ts';

/** What is said before and while a long run goes on. */

const RATE = { requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 };

const contextAt = (now: number, rate: typeof RATE | 'off' = RATE, interrupted = false) =>
  ({
    settings: { rateLimit: { value: rate } },
    clock: { now: () => now },
    requests: { numbers: { count: 0 } },
    interrupted: { aborted: interrupted },
  }) as unknown as Run;

describe('before', () => {
  it.each([
    [146, undefined],
    [147, '147 requests at a limit of 150 a minute take about 1 min 0 s'],
    [300, '300 requests at a limit of 150 a minute take about 2 min 0 s'],
    [1000, '1000 requests at a limit of 150 a minute take about 6 min 6 s'],
  ])('%i rows', (count, expected) => {
    expect(formatPaceNotice(contextAt(0), count)).toBe(expected);
  });

  it('nothing is said where there is no limit', () => {
    expect(formatPaceNotice(contextAt(0, 'off'), 100_000)).toBeUndefined();
  });

  it.each([
    [1, 0],
    [18, 0],
    [19, 1],
    [146, 8],
    [147, 60],
  ])('%i writes take %i s at least', (count, seconds) => {
    expect(estimateSeconds(count, RATE)).toBe(seconds);
  });
});

describe('while it goes on', () => {
  it('tells done, failed, left, rate, and the time that the limits still take', () => {
    const summary = createRunSummary(0);
    expect(formatProgress(contextAt(0), summary, 300)).toBe('0 done, 0 failed, 300 left');
    summary.done.push(...Array.from({ length: 98 }, (_, n) => String(n)));
    summary.failures.push(
      new NetworkError('x', false, { code: 'refused' }),
      new NetworkError('y', true, { code: 'conflict' }),
    );
    summary.unknown = 1;
    // 10 a second so far, but the minute's allowance ends it.
    expect(formatProgress(contextAt(10_000), summary, 300)).toBe(
      '98 done, 1 failed, 1 unknown, 200 left, 10.0/s, 1 min 50 s to go',
    );
    expect(formatProgress(contextAt(10_000, 'off'), summary, 300)).toContain('20 s to go');
    expect(formatProgress(contextAt(10_000, RATE, true), summary, 300)).toContain(
      'finishing requests in flight',
    );
  });
});
