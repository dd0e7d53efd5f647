import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import { makeFolder, removeFolder } from '../support/folder.ts';
import { BIN, cleanHome } from '../support/process.ts';

const folder = makeFolder();
const home = cleanHome();
afterAll(() => {
  removeFolder(folder);
  home.remove();
});

/** Calls until the other side of the pipe has to move first; how many bytes went. */
const untilItWaits = (move: () => number): number => {
  let count = 0;
  try {
    for (let bytes = move(); bytes > 0; bytes = move()) count += bytes;
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' });
  }
  return count;
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The processor's time that a process has had, in ticks. */
const getTicks = (pid: number | undefined): string => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return `${fields[11]} ${fields[12]}`;
};

/** Until it has ended, or has had no time of the processor for a while, but has had some. */
const untilIdle = async (child: ChildProcess): Promise<void> => {
  for (let [quiet, before] = [0, '0 0']; quiet < 20 && child.exitCode === null; await pause(20)) {
    const ticks = getTicks(child.pid);
    quiet = ticks === before && ticks !== '0 0' ? quiet + 1 : 0;
    before = ticks;
  }
};

// Of a pipe that blocks the kernel lets the process wait; of one that does not, Node has to.
it.each([
  ['--version', /^ttctl \d/],
  ['members list --help', /^List the members of the workspace/i],
  ['__complete fish mem', /^members\t/m],
])('%s waits for the reader of a full pipe that does not block', async (line, begin) => {
  const pipe = join(folder, line.replaceAll(' ', '-'));
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  const filled = untilItWaits(() => writeSync(writer, Buffer.alloc(512, 'x')));
  const child = spawn(process.execPath, [BIN, ...line.split(' ')], {
    env: home.env,
    stdio: ['ignore', writer, 'pipe'] as const,
  });
  // A process begins with pipes that block: this end is the same open file.
  const socket = new Socket({ fd: writer, readable: false });
  const said = (child.stderr as Readable).toArray();
  const exit = new Promise((resolve) => child.once('close', resolve));
  await untilIdle(child);
  socket.destroy();
  const bytes = Buffer.alloc(64 * 1024);
  let text = '';
  for (let ended = false; !ended; ) {
    try {
      const count = readSync(reader, bytes);
      text += bytes.toString('utf8', 0, count);
      ended = count === 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
      await pause(5);
    }
  }
  closeSync(reader);
  expect([await exit, Buffer.concat(await said).toString('utf8')]).toEqual([0, '']);
  expect(text.slice(0, filled)).toBe('x'.repeat(filled));
  expect(text.slice(filled)).toMatch(begin);
});
