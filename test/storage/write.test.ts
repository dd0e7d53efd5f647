import { spawnSync } from 'node:child_process';
import type * as Fs from 'node:fs';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { makePrivateDirectory, reserveWrite, writeDurably } from '../../src/storage/write.ts';
import { makeFolder } from '../support/folder.ts';

/** The calls that a disk can fail in the middle of a write, and what stands for them in a test. */
type Calls = Pick<typeof Fs, 'writeSync' | 'fsyncSync' | 'renameSync'>;
const disk = vi.hoisted(() => ({ real: {} as Calls, calls: {} as Partial<Calls> }));
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof Fs>();
  disk.real = fs;
  const replaceable =
    (name: keyof Calls) =>
    (...given: unknown[]) =>
      ((disk.calls[name] ?? fs[name]) as (...values: unknown[]) => unknown)(...given);
  const [writeSync, fsyncSync, renameSync] = (['writeSync', 'fsyncSync', 'renameSync'] as const).map(
    replaceable,
  );
  return { ...fs, writeSync, fsyncSync, renameSync };
});
afterEach(() => {
  disk.calls = {};
});

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeFolder();
  path = join(folder, 'file.json');
});

const mode = (file: string): string => (statSync(file).mode & 0o7777).toString(8);

const failureOf = (action: () => unknown): Failure => {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return error as Failure;
  }
  throw new Error('it did not fail');
};

const errno = (code: string): Error => Object.assign(new Error(code), { code });

describe('writeDurably', () => {
  it('replaces the whole content and leaves nothing else behind', () => {
    writeDurably(path, 'a longer first text');
    writeDurably(path, 'zweiter Täxt');
    expect(readFileSync(path, 'utf8')).toBe('zweiter Täxt');
    expect(readdirSync(folder)).toEqual(['file.json']);
  });

  it.each([0, 0o22, 0o77, 0o277])('forces 0600 under umask %i', (umask) => {
    const before = process.umask(umask);
    try {
      writeDurably(path, 'x');
      writeDurably(path, 'y', { backup: true });
    } finally {
      process.umask(before);
    }
    expect(mode(path)).toBe('600');
    expect(mode(`${path}.bak`)).toBe('600');
  });

  it('keeps the previous generation, closed to others', () => {
    writeFileSync(path, 'one', { mode: 0o644 });
    writeDurably(path, 'two', { backup: true });
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe('one');
    expect(mode(`${path}.bak`)).toBe('600');
    writeDurably(path, 'three', { backup: true });
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe('two');
    expect(readdirSync(folder).sort()).toEqual(['file.json', 'file.json.bak']);
  });

  it('copes with a backup that is the same file, as a kill in between leaves it', () => {
    writeFileSync(path, 'one');
    linkSync(path, `${path}.bak`);
    writeDurably(path, 'two', { backup: true });
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe('one');
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('has a whole file in place at every step', () => {
    writeFileSync(path, 'old');
    const seen: string[] = [];
    const look = () => seen.push(readFileSync(path, 'utf8'));
    const { writeSync, renameSync } = disk.real as unknown as Record<string, (...given: unknown[]) => void>;
    const around =
      (call: typeof writeSync) =>
      (...given: unknown[]) => {
        look();
        const result = call?.(...given);
        look();
        return result;
      };
    disk.calls = {
      writeSync: around(writeSync),
      renameSync: around(renameSync),
      fsyncSync: look,
    } as unknown as Calls;
    writeDurably(path, 'new', { backup: true });
    expect(seen).toEqual(['old', 'old', 'old', 'old', 'new', 'new']);
  });

  it('goes on after a write that took only a part', () => {
    const { writeSync } = disk.real;
    const one = (fd: number, data: Uint8Array, at: number, _: number, to: number) =>
      writeSync(fd, data, at, 1, to);
    disk.calls = { writeSync: one as typeof writeSync };
    writeDurably(path, 'many bytes');
    expect(readFileSync(path, 'utf8')).toBe('many bytes');
  });

  it.each([
    ['ENOSPC', 'disk_full', 'no space'],
    ['EDQUOT', 'disk_full', 'no space'],
    ['EROFS', 'read_only_disk', 'read-only'],
    ['EACCES', 'no_permission', 'permission denied'],
    ['EIO', 'disk_error', 'EIO'],
  ])('%s leaves the old file whole and says so', (code, name, reason) => {
    writeFileSync(path, 'old');
    for (const call of ['writeSync', 'fsyncSync', 'renameSync'] as const) {
      disk.calls = {
        [call]: () => {
          throw errno(code);
        },
      };
      const failure = failureOf(() => writeDurably(path, 'new'));
      expect(failure).toMatchObject({ exit: 1, code: name });
      expect(failure.message).toContain(path);
      expect(failure.reason).toContain(reason);
      expect(failure.hint).toMatch(/\w/);
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(readdirSync(folder)).toEqual(['file.json']);
    }
  });
});

describe('reserveWrite', () => {
  it('holds the space, then gives what is not needed back', () => {
    const space = reserveWrite(path, 10_000);
    expect(statSync(join(folder, String(readdirSync(folder)[0]))).size).toBe(10_000);
    space.commit('short');
    space.release();
    expect(readFileSync(path, 'utf8')).toBe('short');
    expect(readdirSync(folder)).toEqual(['file.json']);
  });

  it("is nobody else's, though his process has the same number", () => {
    const space = reserveWrite(path, 100);
    const another = reserveWrite(path, 200);
    space.commit('first');
    expect(readFileSync(path, 'utf8')).toBe('first');
    another.commit('second');
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(readdirSync(folder)).toEqual(['file.json']);
  });

  it('can be given back, and fails before anything is lost', () => {
    writeFileSync(path, 'old');
    reserveWrite(path, 100).release();
    disk.calls = { writeSync: () => 0 };
    expect(failureOf(() => reserveWrite(path, 100)).code).toBe('disk_full');
    expect(readdirSync(folder)).toEqual(['file.json']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });
});

describe('a full disk of 64 KiB', () => {
  const mount = join(tmpdir(), `ttctl-full-${process.pid}`);
  let mounted = false;
  beforeAll(() => {
    mkdirSync(mount, { recursive: true });
    mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', mount]).status === 0;
  });
  afterAll(() => {
    if (mounted) spawnSync('umount', [mount]);
    rmSync(mount, { recursive: true, force: true });
  });

  it('keeps the old file whole at every size', ({ skip }) => {
    if (!mounted) skip('no tmpfs can be mounted here (not root): the injected faults above stand for it');
    const file = join(mount, 'file.json');
    const filler = join(mount, 'filler');
    for (const free of [0, 4, 8, 16]) {
      rmSync(filler, { force: true });
      writeDurably(file, 'o'.repeat(20_000));
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k', `count=${44 - free}`]);
      expect(failureOf(() => writeDurably(file, 'n'.repeat(20_480), { backup: true })).code).toBe(
        'disk_full',
      );
      expect(readFileSync(file, 'utf8')).toBe('o'.repeat(20_000));
      expect(readdirSync(mount).sort()).toEqual(['file.json', 'filler']);
      expect(failureOf(() => reserveWrite(file, 20_480)).code).toBe('disk_full');
    }
    rmSync(filler, { force: true });
    const space = reserveWrite(file, 20_480);
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k', 'count=64']);
    space.commit('n'.repeat(20_480));
    expect(readFileSync(file, 'utf8')).toBe('n'.repeat(20_480));
  });
});

describe('makePrivateDirectory', () => {
  it.each([0, 0o22, 0o77, 0o277])('makes all of it 0700 under umask %i', (umask) => {
    const before = process.umask(umask);
    try {
      makePrivateDirectory(join(folder, 'a', 'b', 'c'));
    } finally {
      process.umask(before);
    }
    for (const made of ['a', 'a/b', 'a/b/c']) expect(mode(join(folder, made))).toBe('700');
  });

  it.runIf(process.platform === 'linux')('ends where the disk makes nothing, and says so', () => {
    // Node's own recursive mkdir never ends there.
    const failure = failureOf(() => makePrivateDirectory('/proc/1/a/b'));
    expect(failure).toMatchObject({ exit: 1, code: 'disk_error' });
  });

  it('says that a file stands in the way', () => {
    writeFileSync(path, '');
    for (const wanted of [path, join(path, 'a', 'b')]) {
      const failure = failureOf(() => makePrivateDirectory(wanted));
      expect(failure).toMatchObject({ exit: 1, code: 'disk_error' });
      expect(failure.reason).toContain('a file is in place of a directory');
      expect(failure.hint).not.toMatch(/move/i);
    }
  });
});
