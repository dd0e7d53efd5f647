import { expect, it } from 'vitest';
import { runOrderedPool } from '../src/clock.ts';

it('leaves signals a turn where nothing waits, as in a dry run', async () => {
  const items = Array.from({ length: 10_000 }, (_, n) => n);
  let isStopped = false;
  setImmediate(() => {
    isStopped = true;
  });
  const results: number[] = [];
  const options = { width: 4, stopped: () => isStopped };
  for await (const result of runOrderedPool(items, async (n) => n, options)) results.push(result);
  expect(results.length).toBeLessThan(1_000);
  expect(results).toEqual(items.slice(0, results.length));
});

it('begins others while what was released is still to come', async () => {
  const release: (() => void)[] = [];
  const start = async (n: number, free: () => void): Promise<number> => {
    if (n > 1) return n;
    free();
    await new Promise<void>((resolve) => release.push(resolve));
    return n;
  };
  const items = Array.from({ length: 500 }, (_, n) => n);
  let begun = 0;
  const count = (n: number, free: () => void) => {
    begun += 1;
    if (begun === items.length) for (const go of release) go();
    return start(n, free);
  };
  const results: number[] = [];
  for await (const n of runOrderedPool(items, count, { width: 1, stopped: () => false })) results.push(n);
  expect(results).toEqual(items);
});
