import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { withLock } from '../../src/storage/lock.ts';
import { makeFolder } from '../support/folder.ts';

/** A disk that has no room for one more file once the lock is held. */

let full = false;
vi.mock('node:fs', async (importActual) => {
  const actual = await importActual<typeof import('node:fs')>();
  const openSync: typeof actual.openSync = (path, flags, mode) => {
    const makes = typeof flags === 'string' && /^[aw]/.test(flags) && !actual.existsSync(path);
    if (full && makes) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    return actual.openSync(path, flags, mode);
  };
  return { ...actual, openSync };
});

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => (full = false));

const clock: Clock = { now: () => Date.now(), sleep: async () => {}, random: Math.random };
const impatient: Clock = {
  ...clock,
  sleep: () => expect.unreachable('it waits for a lock that nobody holds'),
};

it('a lock is released all the same: the next one has it at once', async () => {
  const path = join(folder, 'thing');
  await withLock(path, clock, async () => {
    full = true;
  });
  expect(readdirSync(`${path}.lock`)).toEqual(['1.done']);
  full = false;
  expect(await withLock(path, impatient, async () => 'taken')).toBe('taken');
});
