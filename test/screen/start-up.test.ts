import { expect, it } from 'vitest';
import { loadedWith } from '../support/loaded.ts';

/** Nothing of the review screen is loaded before it is shown. */

it('is no part of an ordinary command, nor of the inbox in a pipe', () => {
  const loaded = [
    'main.ts',
    'runtime/open-context.ts',
    'commands/inbox/index.ts',
    'commands/inbox/show.ts',
  ].flatMap((file) => [...loadedWith(file)]);
  expect(loaded).toContain('decide/warnings.ts');
  expect(loaded.filter((file) => /inbox\/(screen|frame|review|rules\.)/.test(file))).toEqual([]);
});

it('is loaded with the screen', () => {
  expect([...loadedWith('runtime/review.ts')]).toContain('screen/screen.ts');
});
