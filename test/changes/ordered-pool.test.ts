import { expect, it } from 'vitest';
import { runOrderedPool } from '../../src/changes/ordered-pool.ts';

it('leaves signals a turn where nothing waits, as in a dry run', async () => {
  const items = Array.from({ length: 10_000 }, (_, n) => n);
  let isStopped = false;
  setImmediate(() => {
    isStopped = true;
  });
  const results: number[] = [];
  const options = { width: 4, ahead: 8, stopped: () => isStopped };
  for await (const result of runOrderedPool(items, async (n) => n, options)) results.push(result);
  expect(results.length).toBeLessThan(1_000);
  expect(results).toEqual(items.slice(0, results.length));
});
