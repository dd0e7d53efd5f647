import { expect, it } from 'vitest';
import { loadedWith } from '../support/tree.ts';

/** Nothing of the review screen is loaded before it is shown. */

it('is no part of an ordinary command, nor of the inbox in a pipe', () => {
  const loaded = ['main.ts', 'run.ts', 'commands/inbox/index.ts'].flatMap((file) => [...loadedWith(file)]);
  expect(loaded).toContain('decide/warnings.ts');
  expect(loaded.filter((file) => /screen\//.test(file))).toEqual([]);
});
