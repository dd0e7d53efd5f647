import { expect, it } from 'vitest';
import type { Progress } from '../../src/terminal/progress.ts';
import { createWatch } from '../../src/terminal/watch.ts';

/** Long work as a line on a terminal. */

const setUp = (visible: boolean) => {
  const shown: string[] = [];
  let cleared = 0;
  let now = 0;
  const progress: Progress = {
    visible,
    update: (text) => void shown.push(text),
    clear: () => {
      cleared += 1;
    },
  };
  const clock = {
    now: () => now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      now += ms;
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    },
  };
  return {
    watch: createWatch(progress, clock),
    shown,
    cleared: () => cleared,
    pass: (ms: number) => (now += ms),
  };
};

it('draws what has come of it until it ends, and what is waited for, counted down', async () => {
  const { watch, shown, cleared, pass } = setUp(true);
  let done = 0;
  const answer = await watch.during(
    () => `${done} done`,
    async () => {
      await new Promise(setImmediate);
      done = 1;
      expect(watch.waits('waiting 12 s for the rate limit')).toBe(true);
      pass(2000);
      await new Promise((resolve) => setTimeout(resolve, 5));
      pass(20_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return 'it';
    },
  );
  expect(answer).toBe('it');
  expect(shown[0]).toBe('0 done');
  expect(shown).toContainEqual(expect.stringMatching(/^1 done; waiting (9|10) s for the rate limit$/));
  expect(shown.at(-1)).toBe('1 done');
  expect(cleared()).toBe(1);
  expect(watch.waits('waiting 12 s for the rate limit')).toBe(false);
});

it('in a pipe says nothing, and lets a wait be said elsewhere', async () => {
  const { watch, shown } = setUp(false);
  await watch.during(
    () => 'x',
    async () => expect(watch.waits('waiting 3 s')).toBe(false),
  );
  expect(shown).toEqual([]);
});

it('ends with its work when that fails', async () => {
  const { watch, cleared } = setUp(true);
  const failing = watch.during(
    () => 'x',
    () => Promise.reject(new Error('no')),
  );
  await expect(failing).rejects.toThrow('no');
  expect(cleared()).toBe(1);
});

it('of something within something longer is part of that', async () => {
  const { watch, shown, cleared } = setUp(true);
  await watch.during(
    () => 'outer',
    async () => {
      await watch.during(
        () => 'inner',
        () => new Promise(setImmediate),
      );
      expect(watch.waits('waiting 3 s')).toBe(true);
    },
  );
  expect(shown).not.toContain('inner');
  expect(cleared()).toBe(1);
});
