import { expect, it } from 'vitest';
import { createWaitNotifier } from '../src/chain.ts';

it('a wait is told once, however many requests wait for the same; a later one, and another kind, again', () => {
  const said: string[] = [];
  let now = 0;
  const tell = createWaitNotifier(
    (text) => said.push(text) > 0,
    () => {},
    () => now,
  );
  for (const ms of [60_000, 59_000, 63_000]) tell({ ms, why: 'budget', attempt: 1 });
  now = 3_000;
  tell({ ms: 60_000, why: 'rate_limit', attempt: 1 });
  expect(said).toEqual(['waiting 60 s for the rate limit']);
  tell({ ms: 1_000, why: 'fault', attempt: 1 });
  tell({ ms: 90_000, why: 'budget', attempt: 1 });
  now = 94_000;
  tell({ ms: 5_000, why: 'budget', attempt: 1 });
  expect(said.slice(1)).toEqual([
    'retrying in 1 s',
    'waiting 90 s for the rate limit',
    'waiting 5 s for the rate limit',
  ]);
});

it('short waits for a fault to pass are not told as the same second twice', () => {
  const said: string[] = [];
  let now = 0;
  const tell = createWaitNotifier(
    (text) => said.push(text) > 0,
    () => {},
    () => now,
  );
  tell({ ms: 300, why: 'fault', attempt: 1 });
  now = 700;
  tell({ ms: 900, why: 'fault', attempt: 2 });
  now = 2_000;
  tell({ ms: 1_800, why: 'fault', attempt: 3 });
  expect(said).toEqual(['retrying', 'retrying, attempt 3', 'retrying in 2 s, attempt 4']);
});

it('R15: where no line can change, waits are told once a minute', () => {
  const said: string[] = [];
  let now = 0;
  const tell = createWaitNotifier(
    () => false,
    (text) => void said.push(`${now / 1000}: ${text}`),
    () => now,
  );
  for (; now < 300_000; now += 5_000) {
    tell({ ms: 4_000, why: 'budget', attempt: 1 });
    if (now < 10_000) tell({ ms: 2_000, why: 'fault', attempt: 1 });
  }
  expect(said).toEqual([
    '0: waiting 4 s for the rate limit',
    '0: retrying in 2 s',
    ...[60, 120, 180, 240].map((second) => `${second}: waiting 4 s for the rate limit`),
  ]);
});
