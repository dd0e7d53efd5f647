import type * as Fs from 'node:fs';
import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatLine, openJournal, parseLine } from '../../src/storage/journal.ts';
import { makePrivateDirectory, reserveWrite, writeDurably } from '../../src/storage/write.ts';
import { failureOf } from '../support/in-process.ts';
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
  folder = t.folder;
  path = t.file('file.json');
});

const mode = (file: string): string => (statSync(file).mode & 0o7777).toString(8);

const errno = (code: string): Error => Object.assign(new Error(code), { code });

const UMASKS = [0, 0o22, 0o77, 0o277];
const underUmask = (umask: number, work: () => void): void => {
  const before = process.umask(umask);
  try {
    work();
  } finally {
    process.umask(before);
  }
};
/** All that is there, by name. */
const files = () =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

describe('a durable write', () => {
  it.each(UMASKS)('forces 0600 under umask %i', (umask) => {
    underUmask(umask, () => {
      writeDurably(path, 'x');
      writeDurably(path, 'y', { backup: true });
    });
    expect([path, `${path}.bak`].map(mode)).toEqual(['600', '600']);
  });

  it('keeps the previous generation, closed to others', () => {
    writeFileSync(path, 'one', { mode: 0o644 });
    writeDurably(path, 'two', { backup: true });
    expect([files(), mode(`${path}.bak`)]).toEqual([{ 'file.json': 'two', 'file.json.bak': 'one' }, '600']);
    writeDurably(path, 'three', { backup: true });
    expect(files()).toEqual({ 'file.json': 'three', 'file.json.bak': 'two' });
  });

  it('copes with a backup that is the same file, as a kill in between leaves it', () => {
    writeFileSync(path, 'one');
    linkSync(path, `${path}.bak`);
    writeDurably(path, 'two', { backup: true });
    expect(files()).toEqual({ 'file.json': 'two', 'file.json.bak': 'one' });
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
    expect(files()).toEqual({ 'file.json': 'many bytes' });
  });

  it.each([
    ['ENOSPC', 'disk_full', 'no space'],
    ['EDQUOT', 'disk_full', 'no space'],
    ['EROFS', 'read_only_disk', 'read-only'],
    ['EACCES', 'no_permission', 'permission denied'],
    ['EIO', 'disk_error', 'EIO'],
  ])('that meets %s leaves the old file whole and says so', (name, code, why) => {
    writeFileSync(path, 'old');
    const fail = () => {
      throw errno(name);
    };
    const [message, reason] = [path, why].map((text) => expect.stringContaining(text));
    for (const call of ['writeSync', 'fsyncSync', 'renameSync']) {
      disk.calls = { [call]: fail };
      const failure = failureOf(() => writeDurably(path, 'new'));
      expect(failure).toMatchObject({ exit: 1, code, message, reason, hint: expect.stringMatching(/\w/) });
      expect(files()).toEqual({ 'file.json': 'old' });
    }
  });

  it('that was reserved holds the space, then gives what is not needed back', () => {
    const space = reserveWrite(path, 10_000);
    expect(statSync(join(folder, String(readdirSync(folder)[0]))).size).toBe(10_000);
    space.commit('short');
    space.release();
    expect(files()).toEqual({ 'file.json': 'short' });
  });

  it("that was reserved is nobody else's, though his process has the same number", () => {
    const spaces = [reserveWrite(path, 100), reserveWrite(path, 200)];
    for (const [n, space] of spaces.entries()) {
      space.commit(`text ${n}`);
      expect(files()['file.json']).toBe(`text ${n}`);
    }
    expect(readdirSync(folder)).toEqual(['file.json']);
  });

  it('that was reserved can be given back, and fails before anything is lost', () => {
    writeFileSync(path, 'old');
    reserveWrite(path, 100).release();
    disk.calls = { writeSync: () => 0 };
    expect(failureOf(() => reserveWrite(path, 100)).code).toBe('disk_full');
    expect(files()).toEqual({ 'file.json': 'old' });
  });
});

describe('a folder of ours', () => {
  it.each(UMASKS)('is 0700, and so is all above it that was missing, under umask %i', (umask) => {
    underUmask(umask, () => makePrivateDirectory(join(folder, 'a', 'b', 'c')));
    expect(['a', 'a/b', 'a/b/c'].map((made) => mode(join(folder, made)))).toEqual(['700', '700', '700']);
  });

  it.runIf(process.platform === 'linux')('that the disk does not make is told, and not waited for', () => {
    // Node's own recursive mkdir never ends there.
    expect(failureOf(() => makePrivateDirectory('/proc/1/a/b'))).toMatchObject({
      exit: 1,
      code: 'disk_error',
    });
  });

  it('is not made where a file stands in the way', () => {
    writeFileSync(path, '');
    const reason = expect.stringContaining('a file is in place of a directory');
    for (const wanted of [path, join(path, 'a', 'b')]) {
      const failure = failureOf(() => makePrivateDirectory(wanted));
      expect(failure).toMatchObject({ exit: 1, code: 'disk_error', reason });
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

  it('writes a line that is added, flushes it, and then promises it', async () => {
    const events = watch();
    const journal = openJournal(path);
    await journal.add({ n: 1 }).then(() => events.push('promised'));
    await journal.add({ n: 2 }).then(() => events.push('promised'));
    expect(events).toEqual(['written', 'flushed', 'promised', 'written', 'flushed', 'promised']);
    await journal.close();
    expect(read()).toEqual([{ first: true }, { n: 1 }, { n: 2 }]);
  });

  it('writes a line that is noted, and flushes it with the next that is added, or at the end', async () => {
    const events = watch();
    const journal = openJournal(path);
    await journal.note({ n: 1 }).then(() => events.push('promised'));
    expect(events).toEqual(['written', 'promised']);
    await journal.close();
    expect(events).toEqual(['written', 'promised', 'flushed']);
  });

  it('writes a line whole where the disk takes a few bytes at a time', async () => {
    disk.calls = { write: taking((length) => Math.min(length, 5)) };
    const journal = openJournal(path);
    await journal.add({ n: 1, words: 'Zieliński' });
    await journal.close();
    expect(read()).toEqual([{ first: true }, { n: 1, words: 'Zieliński' }]);
  });

  it('does not promise a line that could not be flushed', async () => {
    disk.calls = { fsync: () => Promise.reject(errno('EIO')) };
    const journal = openJournal(path);
    await expect(journal.add({ n: 1 })).rejects.toMatchObject({ exit: 1 });
    await journal.close();
  });

  it('after a write that failed in the middle takes no line more; the next process cuts the half one off', async () => {
    let calls = 0;
    // The disk is full after 12 bytes, and then has space again.
    const once = taking((length) => (calls === 1 ? 12 : length));
    const write: Call = (...given) => {
      calls += 1;
      return calls === 2 ? Promise.reject(errno('ENOSPC')) : once(...given);
    };
    disk.calls = { write };
    const journal = openJournal(path);
    await expect(journal.add({ n: 1 })).rejects.toMatchObject({ code: 'disk_full', exit: 1 });
    const half = readFileSync(path, 'utf8');
    expect(half.endsWith('\n')).toBe(false);
    await expect(journal.add({ n: 2 })).rejects.toMatchObject({ code: 'disk_full' });
    await expect(journal.note({ n: 3 })).rejects.toMatchObject({ code: 'disk_full' });
    await journal.close();
    expect(readFileSync(path, 'utf8')).toBe(half);
    expect(read()).toEqual([{ first: true }]);
    const next = openJournal(path);
    await next.add({ n: 2 });
    await next.close();
    expect(read()).toEqual([{ first: true }, { n: 2 }]);
  });
});
