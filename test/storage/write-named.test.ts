import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { streamInput } from '../../src/storage/read.ts';
import { findWriteProblem, replaceNamed, writeNamed } from '../../src/storage/write-named.ts';

/** Files that somebody named: only a file is replaced, and what is none keeps its place. */

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-named-'));
  file = join(folder, 'plan');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  it('that leads nowhere is an error', async () => {
    symlinkSync('gone/target', file);
    expect(findWriteProblem(file)).toBe(`${file}: there is no folder of that name`);
    await expect(write(file, 'new')).rejects.toThrow(`cannot write ${file}`);
    rmSync(file);
    symlinkSync('plan', file);
    await expect(write(file, 'new')).rejects.toThrow(`cannot write ${file}`);
    expect(readlinkSync(file)).toBe('plan');
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

  it('is not replaced where only a file will do', () => {
    makePipe();
    expect(() => replaceNamed(file, 'new')).toThrow(`cannot write to ${file}: it is not a file`);
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

describe.runIf(process.geteuid?.() === 0 && process.platform === 'linux')('a device', () => {
  it.each(['c 1 3', 'b 7 0'])('mknod %s stays', async (device) => {
    execFileSync('mknod', [file, ...device.split(' ')]);
    const { rdev, ino } = lstatSync(file);
    const words = 'it is a block device';
    if (device.startsWith('c')) await write(file, 'new');
    else await expect(write(file, 'new')).rejects.toThrow(`cannot write to ${file}: ${words}`);
    expect(findWriteProblem(file)).toBe(device.startsWith('c') ? undefined : `${file}: ${words}`);
    expect(lstatSync(file)).toMatchObject({ rdev, ino });
  });
});

it('a folder and a socket are refused', async () => {
  await expect(write(folder, 'new')).rejects.toMatchObject({
    message: `cannot write to ${folder}: it is a folder`,
    exit: 2,
  });
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(file, resolve));
  await expect(write(file, 'new')).rejects.toThrow(`cannot write to ${file}: it is a socket`);
  expect(lstatSync(file).isSocket()).toBe(true);
  server.close();
});
