import { describe, expect, it } from 'vitest';
import { createWaitNotifier } from '../../src/chain.ts';
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

/** @param isAtTerminal whether a line can change there */
const notifier = (isAtTerminal = true) => {
  const said: string[] = [];
  let now = 0;
  const show = (text: string) => isAtTerminal && said.push(text) > 0;
  const note = (text: string) => void (isAtTerminal || said.push(`${now / 1000}: ${text}`));
  const at = (ms: number) => {
    now = ms;
  };
  return { said, at, tell: createWaitNotifier(show, note, () => now) };
};

it('a wait is told once, however many requests wait for the same; a later one, and another kind, again', () => {
  const { said, tell, at } = notifier();
  for (const ms of [60_000, 59_000, 63_000]) tell({ ms, why: 'budget', attempt: 1 });
  at(3_000);
  tell({ ms: 60_000, why: 'rate_limit', attempt: 1 });
  expect(said).toEqual(['waiting 60 s for the rate limit']);
  tell({ ms: 1_000, why: 'fault', attempt: 1 });
  tell({ ms: 90_000, why: 'budget', attempt: 1 });
  at(94_000);
  tell({ ms: 5_000, why: 'budget', attempt: 1 });
  expect(said.slice(1)).toEqual([
    'retrying in 1 s',
    'waiting 90 s for the rate limit',
    'waiting 5 s for the rate limit',
  ]);
});

it('short waits for a fault to pass are not told as the same second twice', () => {
  const { said, tell, at } = notifier();
  tell({ ms: 300, why: 'fault', attempt: 1 });
  at(700);
  tell({ ms: 900, why: 'fault', attempt: 2 });
  at(2_000);
  tell({ ms: 1_800, why: 'fault', attempt: 3 });
  expect(said).toEqual(['retrying', 'retrying, attempt 3', 'retrying in 2 s, attempt 4']);
});

it('R15: where no line can change, waits are told once a minute', () => {
  const { said, tell, at } = notifier(false);
  for (let now = 0; now < 300_000; now += 5_000) {
    at(now);
    tell({ ms: 4_000, why: 'budget', attempt: 1 });
    if (now < 10_000) tell({ ms: 2_000, why: 'fault', attempt: 1 });
  }
  expect(said).toEqual([
    '0: waiting 4 s for the rate limit',
    '0: retrying in 2 s',
    ...[60, 120, 180, 240].map((second) => `${second}: waiting 4 s for the rate limit`),
  ]);
});
