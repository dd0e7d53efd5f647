import { spawnSync } from 'node:child_process';
import type * as Fs from 'node:fs';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { formatLine, openJournal, parseLine } from '../../src/storage/journal.ts';
import { makePrivateDirectory, reserveWrite, writeDurably } from '../../src/storage/write.ts';
import { useCli } from '../support/use-cli.ts';

/** What writes and journals ask of the disk, and in which order; and what becomes of a file where it fails. */

type Call = (...given: never[]) => unknown;
/** The calls that a disk can fail in the middle of a write, as they are, and what stands for them in a test. */
const disk = vi.hoisted(() => ({ real: {} as Record<string, Call>, calls: {} as Record<string, Call> }));
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof Fs>();
  const { promisify } = await import('node:util');
  const replaceable = (name: string, real: unknown): Call => {
    disk.real[name] = real as Call;
    return (...given) => (disk.calls[name] ?? disk.real[name])?.(...given);
  };
  const promised = (name: 'write' | 'fsync') =>
    Object.assign(() => {}, { [promisify.custom]: replaceable(name, promisify(fs[name] as never)) });
  const sync = (['writeSync', 'fsyncSync', 'renameSync'] as const).map((name) => [
    name,
    replaceable(name, fs[name]),
  ]);
  return { ...fs, ...Object.fromEntries(sync), write: promised('write'), fsync: promised('fsync') };
});
afterEach(() => {
  disk.calls = {};
});

const t = useCli();
let folder: string;
let path: string;
beforeEach(() => {
  folder = join(t.folder, 'disk');
  mkdirSync(folder);
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
    const around =
      (name: string): Call =>
      (...given) => {
        look();
        const result = disk.real[name]?.(...given);
        look();
        return result;
      };
    disk.calls = { writeSync: around('writeSync'), renameSync: around('renameSync'), fsyncSync: look };
    writeDurably(path, 'new', { backup: true });
    expect(seen).toEqual(['old', 'old', 'old', 'old', 'new', 'new']);
  });

  it('goes on after a write that took only a part', () => {
    const byOne: Call = (fd, data, at, _, to) => disk.real['writeSync']?.(fd, data, at, 1 as never, to);
    disk.calls = { writeSync: byOne };
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
  it('keeps the old file whole at every size', ({ skip }) => {
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status !== 0)
      skip('no tmpfs can be mounted here (not root): the injected faults above stand for it');
    try {
      const filler = join(folder, 'filler');
      for (const free of [0, 4, 8, 16]) {
        rmSync(filler, { force: true });
        writeDurably(path, 'o'.repeat(20_000));
        spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k', `count=${44 - free}`]);
        expect(failureOf(() => writeDurably(path, 'n'.repeat(20_480), { backup: true })).code).toBe(
          'disk_full',
        );
        expect(readFileSync(path, 'utf8')).toBe('o'.repeat(20_000));
        expect(readdirSync(folder).sort()).toEqual(['file.json', 'filler']);
        expect(failureOf(() => reserveWrite(path, 20_480)).code).toBe('disk_full');
      }
      rmSync(filler, { force: true });
      const space = reserveWrite(path, 20_480);
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k', 'count=64']);
      space.commit('n'.repeat(20_480));
      expect(readFileSync(path, 'utf8')).toBe('n'.repeat(20_480));
    } finally {
      spawnSync('umount', [folder]);
    }
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

/** A disk that takes so many bytes at a time. */
const taking =
  (take: (length: number) => number): Call =>
  (fd, data, offset, length) =>
    disk.real['write']?.(fd, data, offset, take(length) as never);

/** What the disk has done, call by call. */
const watch = (): string[] => {
  const events: string[] = [];
  const telling =
    (name: string, event: string): Call =>
    async (...given) => {
      const result = await disk.real[name]?.(...given);
      events.push(event);
      return result;
    };
  disk.calls = { write: telling('write', 'written'), fsync: telling('fsync', 'flushed') };
  return events;
};

describe('a journal', () => {
  beforeEach(() => writeFileSync(path, formatLine({ first: true }), { mode: 0o600 }));

  /** The values of whole lines; undefined for one that is not. */
  const read = () => readFileSync(path, 'utf8').split('\n').slice(0, -1).map(parseLine);

  describe('a line', () => {
    it('that is added is written, then flushed, then promised', async () => {
      const events = watch();
      const journal = openJournal(path);
      await journal.add({ n: 1 }).then(() => events.push('promised'));
      await journal.add({ n: 2 }).then(() => events.push('promised'));
      expect(events).toEqual(['written', 'flushed', 'promised', 'written', 'flushed', 'promised']);
      await journal.close();
      expect(read()).toEqual([{ first: true }, { n: 1 }, { n: 2 }]);
    });

    it('that is noted is written, and flushed with the next that is added, or at the end', async () => {
      const events = watch();
      const journal = openJournal(path);
      await journal.note({ n: 1 }).then(() => events.push('promised'));
      expect(events).toEqual(['written', 'promised']);
      await journal.close();
      expect(events).toEqual(['written', 'promised', 'flushed']);
    });

    it('is written whole where the disk takes a few bytes at a time', async () => {
      disk.calls = { write: taking((length) => Math.min(length, 5)) };
      const journal = openJournal(path);
      await journal.add({ n: 1, words: 'Zieliński' });
      await journal.close();
      expect(read()).toEqual([{ first: true }, { n: 1, words: 'Zieliński' }]);
    });

    it('is not promised where it could not be flushed', async () => {
      disk.calls = { fsync: () => Promise.reject(errno('EIO')) };
      const journal = openJournal(path);
      await expect(journal.add({ n: 1 })).rejects.toMatchObject({ exit: 1 });
      await journal.close();
    });
  });

  describe('after a write that failed in the middle', () => {
    /** The disk is full after 12 bytes, and then has space again. */
    beforeEach(() => {
      let calls = 0;
      const once = taking((length) => (calls === 1 ? 12 : length));
      const write: Call = (...given) => {
        calls += 1;
        return calls === 2 ? Promise.reject(errno('ENOSPC')) : once(...given);
      };
      disk.calls = { write };
    });

    it('nothing goes behind half a line, and every later line is refused', async () => {
      const journal = openJournal(path);
      await expect(journal.add({ n: 1 })).rejects.toMatchObject({ code: 'disk_full', exit: 1 });
      const half = readFileSync(path, 'utf8');
      expect(half.endsWith('\n')).toBe(false);
      await expect(journal.add({ n: 2 })).rejects.toMatchObject({ code: 'disk_full' });
      await expect(journal.note({ n: 3 })).rejects.toMatchObject({ code: 'disk_full' });
      await journal.close();
      expect(readFileSync(path, 'utf8')).toBe(half);
      expect(read()).toEqual([{ first: true }]);
    });

    it('the next process cuts the half line off and goes on', async () => {
      const journal = openJournal(path);
      await journal.add({ n: 1 }).catch(() => {});
      await journal.close();
      const next = openJournal(path);
      await next.add({ n: 2 });
      await next.close();
      expect(read()).toEqual([{ first: true }, { n: 2 }]);
    });
  });
});
