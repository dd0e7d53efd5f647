import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { findWriteProblem, replaceNamed, streamInput, writeNamed } from '../../src/storage/named.ts';
import { BIN } from '../support/binary.ts';
import { makeFolder } from '../support/folder.ts';

/** Files that somebody named: only a file is replaced, and what is none keeps its place. */

let folder: string;
let file: string;
beforeEach(() => {
  folder = makeFolder();
  file = join(folder, 'plan');
});

const clock = { sleep: (ms: number, signal?: AbortSignal) => setTimeout(ms, undefined, { signal }) };
const never = new AbortController().signal;
const write = (path: string, text: string, interrupted = never) =>
  writeNamed(path, text, { clock, interrupted });
const makePipe = (): void => void execFileSync('mkfifo', [file]);
const readPipe = () => buffer(streamInput(file, AbortSignal.timeout(10_000)));

describe.skipIf(process.platform === 'win32')('a link', () => {
  it.each([true, false])('stays, and its target is written (there already: %s)', async (isThere) => {
    mkdirSync(join(folder, 'elsewhere'));
    const target = join(folder, 'elsewhere', 'target');
    if (isThere) writeFileSync(target, 'old');
    symlinkSync('elsewhere/target', join(folder, 'between'));
    symlinkSync('between', file);
    expect(findWriteProblem(file)).toBeUndefined();
    await write(file, 'new');
    replaceNamed(file, 'newer');
    expect([readlinkSync(file), readFileSync(target, 'utf8')]).toEqual(['between', 'newer']);
    expect(lstatSync(target).isSymbolicLink()).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  it('is written into as fast as it is read, and stays', async () => {
    makePipe();
    const text = 'x'.repeat(1_000_000);
    const [read] = await Promise.all([readPipe(), write(file, text)]);
    expect([read.toString() === text, lstatSync(file).isFIFO()]).toEqual([true, true]);
  });

  it.each(['that nobody opens', 'that nobody reads'])('%s is waited for until the signal', async (which) => {
    makePipe();
    const reader = which.endsWith('opens')
      ? undefined
      : openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stop = new AbortController();
    const writing = write(file, 'x'.repeat(1_000_000), stop.signal);
    await setTimeout(50);
    stop.abort();
    await expect(writing).rejects.toThrow(/abort/);
    if (reader !== undefined) closeSync(reader);
    expect(lstatSync(file).isFIFO()).toBe(true);
  });
});

describe.skipIf(process.platform === 'win32')('a file that is open already', () => {
  it('is written where it stands', async () => {
    const fd = openSync(file, 'w');
    writeFileSync(fd, 'before ');
    await write(`/dev/fd/${fd}`, 'plan');
    writeFileSync(fd, ' after');
    closeSync(fd);
    expect(readFileSync(file, 'utf8')).toBe('before plan after');
  });
});

const stat = () => {
  const { mode, uid, gid, ino } = statSync(file);
  return { mode: mode & 0o7777, uid, gid, ino };
};

describe.skipIf(process.platform === 'win32')('a file that is there', () => {
  it('keeps its mode; a new one is private', async () => {
    await write(file, 'first');
    expect(stat()).toMatchObject({ mode: 0o600 });
    chmodSync(file, 0o640);
    await write(file, 'new');
    expect([stat(), readFileSync(file, 'utf8')]).toEqual([expect.objectContaining({ mode: 0o640 }), 'new']);
    replaceNamed(file, 'newer', { mode: 0o600 });
    expect(stat()).toMatchObject({ mode: 0o600 });
  });

  it('keeps its other names', async () => {
    writeFileSync(file, 'a long old text');
    linkSync(file, join(folder, 'other'));
    await write(file, 'new');
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('new');
    expect(readdirSync(folder).sort()).toEqual(['other', 'plan']);
  });

  it.runIf(process.geteuid?.() === 0)('keeps its owner', async () => {
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    chownSync(file, 65534, 65534);
    const before = stat();
    await write(file, 'new');
    expect([stat(), readFileSync(file, 'utf8')]).toEqual([before, 'new']);
    chownSync(file, 0, 65534);
    await write(file, 'newer');
    expect([stat().gid, readFileSync(file, 'utf8')]).toEqual([65534, 'newer']);
  });

  it.runIf(process.platform === 'linux' || process.geteuid?.() !== 0)(
    'is refused where it may not be written',
    () => {
      writeFileSync(file, 'old');
      chmodSync(file, 0o444);
      // Root may write everything, unless that is taken from him.
      const mortal = process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
      const own = { TTCTL_STATE_DIR: join(folder, 'state'), TTCTL_CONFIG_DIR: join(folder, 'config') };
      const [program = '', ...args] = [...mortal, process.execPath, BIN, '--profile', 'sandbox', '--json'];
      const run = (...line: readonly string[]) => {
        const env = { ...process.env, ...own };
        const { status, stderr } = spawnSync(program, [...args, ...line], { env, encoding: 'utf8' });
        return [status, JSON.parse(stderr).error.message];
      };
      const refusal = `cannot write to ${file}: no permission to write there`;
      const update = ['members', 'update', '1', '--weekly-hours-limit', '1'];
      expect(run(...update, '--plan', file)).toEqual([2, `--plan: ${refusal}`]);
      expect(readFileSync(file, 'utf8')).toBe('old');
    },
  );
});
