import type * as Fs from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatLine, openJournal, parseLine } from '../../src/storage/journal.ts';
import { makeFolder } from '../support/folder.ts';

/** What a journal asks of the disk, and in which order: a line that is added is on the disk. */

/** What the disk was asked for; how many bytes it takes at a time; what fails. */
const disk = vi.hoisted(() => ({
  events: [] as string[],
  take: (length: number) => length,
  fail: (_call: 'write' | 'flush'): void => {},
}));
vi.mock('node:fs', async (load) => {
  const { promisify } = await import('node:util');
  const fs = await load<typeof Fs>();
  const [write, fsync] = [promisify(fs.write), promisify(fs.fsync)];
  const calls = {
    async write(fd: number, data: Uint8Array, offset: number, length: number) {
      disk.fail('write');
      const written = await write(fd, data, offset, disk.take(length));
      disk.events.push('written');
      return written;
    },
    async fsync(fd: number) {
      disk.fail('flush');
      await fsync(fd);
      disk.events.push('flushed');
    },
  };
  const promised = (call: unknown) => Object.assign(() => {}, { [promisify.custom]: call });
  return { ...fs, write: promised(calls.write), fsync: promised(calls.fsync) };
});
afterEach(() => void Object.assign(disk, { events: [], take: (length: number) => length, fail: () => {} }));

const errno = (code: string): Error => Object.assign(new Error(code), { code });

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeFolder();
  path = join(folder, 'j.jsonl');
  writeFileSync(path, formatLine({ first: true }), { mode: 0o600 });
});

/** The values of whole lines; undefined for one that is not. */
const read = () => readFileSync(path, 'utf8').split('\n').slice(0, -1).map(parseLine);

describe('a line', () => {
  it('that is added is written, then flushed, then promised', async () => {
    const { events } = disk;
    const journal = openJournal(path);
    await journal.add({ n: 1 }).then(() => events.push('promised'));
    await journal.add({ n: 2 }).then(() => events.push('promised'));
    expect(events).toEqual(['written', 'flushed', 'promised', 'written', 'flushed', 'promised']);
    await journal.close();
    expect(read()).toEqual([{ first: true }, { n: 1 }, { n: 2 }]);
  });

  it('that is noted is written, and flushed with the next that is added, or at the end', async () => {
    const { events } = disk;
    const journal = openJournal(path);
    await journal.note({ n: 1 }).then(() => events.push('promised'));
    expect(events).toEqual(['written', 'promised']);
    await journal.close();
    expect(events).toEqual(['written', 'promised', 'flushed']);
  });

  it('is written whole where the disk takes a few bytes at a time', async () => {
    disk.take = (length) => Math.min(length, 5);
    const journal = openJournal(path);
    await journal.add({ n: 1, words: 'Zieliński' });
    await journal.close();
    expect(read()).toEqual([{ first: true }, { n: 1, words: 'Zieliński' }]);
  });

  it('is not promised where it could not be flushed', async () => {
    disk.fail = (call) => {
      if (call === 'flush') throw errno('EIO');
    };
    const journal = openJournal(path);
    await expect(journal.add({ n: 1 })).rejects.toMatchObject({ exit: 1 });
    await journal.close();
  });
});

describe('after a write that failed in the middle', () => {
  /** The disk is full after 12 bytes, and then has space again. */
  beforeEach(() => {
    let calls = 0;
    disk.take = (length) => (calls === 1 ? 12 : length);
    disk.fail = () => {
      calls += 1;
      if (calls === 2) throw errno('ENOSPC');
    };
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
