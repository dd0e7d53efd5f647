import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  formatLine,
  type JournalCalls,
  journalCalls,
  openJournal,
  parseLine,
} from '../../src/storage/journal.ts';
import { makeFolder } from '../support/folder.ts';

/** What a journal asks of the disk, and in which order: a line that is added is on the disk. */

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeFolder();
  path = join(folder, 'j.jsonl');
  writeFileSync(path, formatLine({ first: true }), { mode: 0o600 });
});

/** The values of whole lines; undefined for one that is not. */
const read = () => readFileSync(path, 'utf8').split('\n').slice(0, -1).map(parseLine);

/** The disk as it is, with each call written down when it has ended. */
const told = (events: string[]): JournalCalls => ({
  async write(...args) {
    const count = await journalCalls.write(...args);
    events.push('written');
    return count;
  },
  async flush(fd) {
    await journalCalls.flush(fd);
    events.push('flushed');
  },
});

describe('a line', () => {
  it('that is added is written, then flushed, then promised', async () => {
    const events: string[] = [];
    const journal = openJournal(path, told(events));
    await journal.add({ n: 1 }).then(() => events.push('promised'));
    await journal.add({ n: 2 }).then(() => events.push('promised'));
    expect(events).toEqual(['written', 'flushed', 'promised', 'written', 'flushed', 'promised']);
    await journal.close();
    expect(read()).toEqual([{ first: true }, { n: 1 }, { n: 2 }]);
  });

  it('that is noted is written, and flushed with the next that is added, or at the end', async () => {
    const events: string[] = [];
    const journal = openJournal(path, told(events));
    await journal.note({ n: 1 }).then(() => events.push('promised'));
    expect(events).toEqual(['written', 'promised']);
    await journal.close();
    expect(events).toEqual(['written', 'promised', 'flushed']);
  });

  it('is written whole where the disk takes a few bytes at a time', async () => {
    const few: JournalCalls = {
      ...journalCalls,
      write: (fd, data, offset, length) => journalCalls.write(fd, data, offset, Math.min(length, 5)),
    };
    const journal = openJournal(path, few);
    await journal.add({ n: 1, words: 'Zieliński' });
    await journal.close();
    expect(read()).toEqual([{ first: true }, { n: 1, words: 'Zieliński' }]);
  });

  it('is not promised where it could not be flushed', async () => {
    const flush = async () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    const journal = openJournal(path, { ...journalCalls, flush });
    await expect(journal.add({ n: 1 })).rejects.toMatchObject({ exit: 1 });
    await journal.close();
  });
});

describe('after a write that failed in the middle', () => {
  /** The disk is full after so many bytes, and then has space again. */
  const fullOnce = (bytes: number): JournalCalls => {
    let calls = 0;
    return {
      ...journalCalls,
      write: (fd, data, offset, length) => {
        calls += 1;
        if (calls === 2) return Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }));
        return journalCalls.write(fd, data, offset, calls === 1 ? bytes : length);
      },
    };
  };

  it('nothing goes behind half a line, and every later line is refused', async () => {
    const journal = openJournal(path, fullOnce(12));
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
    const journal = openJournal(path, fullOnce(12));
    await journal.add({ n: 1 }).catch(() => {});
    await journal.close();
    const next = openJournal(path);
    await next.add({ n: 2 });
    await next.close();
    expect(read()).toEqual([{ first: true }, { n: 2 }]);
  });
});
