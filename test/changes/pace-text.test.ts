import { expect, it } from 'vitest';
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
const runAt = (now: number, rate: typeof RATE | 'off' = RATE, aborted = false) =>
  ({
    settings: { rateLimit: { value: rate } },
    clock: { now: () => now },
    requests: { count: 0 },
    interrupted: { aborted },
  }) as unknown as Run;

it.each([
  [146, RATE, undefined],
  [147, RATE, '147 requests at a limit of 150 a minute take about 1 min 0 s'],
  [300, RATE, '300 requests at a limit of 150 a minute take about 2 min 0 s'],
  [1000, RATE, '1000 requests at a limit of 150 a minute take about 6 min 6 s'],
  [100_000, 'off' as const, undefined],
])('before %i rows, with the limits %j: %s', (count, rate, expected) => {
  expect(formatPaceNotice(runAt(0, rate), count)).toBe(expected);
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

it('a run tells done, failed, left, rate, and the time that the limits still take', () => {
  const summary = createRunSummary(0);
  expect(formatProgress(runAt(0), summary, 300)).toBe('0 done, 0 failed, 300 left');
  summary.done.push(...Array.from({ length: 98 }, (_, n) => String(n)));
  summary.failures.push(
    new NetworkError('x', false, { code: 'refused' }),
    new NetworkError('y', true, { code: 'conflict' }),
  );
  summary.unknown = 1;
  // 10 a second so far, but the minute's allowance ends it.
  expect(formatProgress(runAt(10_000), summary, 300)).toBe(
    '98 done, 1 failed, 1 unknown, 200 left, 10.0/s, 1 min 50 s to go',
  );
  expect(formatProgress(runAt(10_000, 'off'), summary, 300)).toContain('20 s to go');
  expect(formatProgress(runAt(10_000, RATE, true), summary, 300)).toContain('finishing requests in flight');
});

type Wait = readonly [at: number, ms: number, why: 'budget' | 'rate_limit' | 'fault', attempt?: number];
const everyFive = Array.from({ length: 60 }, (_, n): Wait => [5 * n, 4_000, 'budget']);

it.each<[string, boolean, readonly Wait[], readonly string[]]>([
  [
    'is told once, however many requests wait for the same; a later one, and another kind, again',
    true,
    [
      ...([
        [0, 60_000, 'budget'],
        [0, 59_000, 'budget'],
        [0, 63_000, 'budget'],
        [3, 60_000, 'rate_limit'],
      ] as const),
      ...([
        [3, 1_000, 'fault'],
        [3, 90_000, 'budget'],
        [94, 5_000, 'budget'],
      ] as const),
    ],
    [
      ...['0: waiting 60 s for the rate limit', '3: retrying in 1 s', '3: waiting 90 s for the rate limit'],
      '94: waiting 5 s for the rate limit',
    ],
  ],
  [
    'that is short, for a fault to pass, is not told as the same second twice',
    true,
    [
      [0, 300, 'fault'],
      [0.7, 900, 'fault', 2],
      [2, 1_800, 'fault', 3],
    ],
    ['0: retrying', '0.7: retrying, attempt 3', '2: retrying in 2 s, attempt 4'],
  ],
  [
    'is told once a minute where no line can change (R15)',
    false,
    [
      [0, 4_000, 'budget'],
      [0, 2_000, 'fault'],
      ...everyFive.slice(1, 2),
      [5, 2_000, 'fault'],
      ...everyFive.slice(2),
    ],
    [
      ...['0: waiting 4 s for the rate limit', '0: retrying in 2 s'],
      ...[60, 120, 180, 240].map((second) => `${second}: waiting 4 s for the rate limit`),
    ],
  ],
])('a wait %s', (_name, isAtTerminal, waits, told) => {
  let now = 0;
  const said: string[] = [];
  const say = (text: string) => said.push(`${now}: ${text}`) > 0;
  const show = (text: string) => isAtTerminal && say(text);
  const note = (text: string) => void (isAtTerminal || say(text));
  const tell = createWaitNotifier(show, note, () => now * 1000);
  for (const [at, ms, why, attempt = 1] of waits) {
    now = at;
    tell({ ms, why, attempt });
  }
  expect(said).toEqual(told);
});
