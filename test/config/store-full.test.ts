import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { SettingsStore } from '../../src/config/store.ts';
import { makeFolder } from '../support/folder.ts';

/** Settings on a disk that is full in the middle of a write. */

let full = false;
vi.mock('node:fs', async (importActual) => {
  const actual = await importActual<typeof import('node:fs')>();
  const writeSync = (fd: number, data: Uint8Array, offset: number, length: number, position: number) => {
    if (!full) return actual.writeSync(fd, data, offset, length, position);
    if (offset > 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    return actual.writeSync(fd, data, offset, Math.min(length, 10), position);
  };
  return { ...actual, writeSync };
});

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => (full = false));

const clock: Clock = { now: () => Date.now(), sleep: async () => {}, random: Math.random };

it('stay as they were, and nothing is left beside them', async () => {
  const file = join(folder, 'settings.json');
  const store = new SettingsStore(file, clock);
  await store.update((old) => ({ ...old, current_profile: 'work' }));
  const [before, names] = [readFileSync(file, 'utf8'), readdirSync(folder)];
  full = true;
  const change = store.update((old) => ({ ...old, current_profile: 'other' }));
  await expect(change).rejects.toMatchObject({ exit: 1, message: expect.stringContaining(file) });
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(readdirSync(folder)).toEqual(names);
  full = false;
  await store.update((old) => ({ ...old, current_profile: 'other' }));
  expect(store.read().current_profile).toBe('other');
});

it('come back where conf has written half of them', async ({ skip }) => {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status !== 0)
    skip('no tmpfs can be mounted here (not root)');
  try {
    const file = join(folder, 'settings.json');
    const long = { current_profile: 'x'.repeat(100_000) };
    const store = new SettingsStore(file, clock);
    await expect(store.update((old) => ({ ...old, ...long }))).rejects.toMatchObject({ code: 'disk_full' });
    expect(readdirSync(folder)).not.toContain('settings.json');
    await store.update((old) => ({ ...old, current_profile: 'work' }));
    const [before, names] = [readFileSync(file, 'utf8'), readdirSync(folder)];
    await expect(store.update((old) => ({ ...old, ...long }))).rejects.toMatchObject({ code: 'disk_full' });
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual([before, names]);
  } finally {
    spawnSync('umount', [folder]);
  }
});
