import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BIN } from '../support/process.ts';
import { useCli } from '../support/use-cli.ts';

const t = useCli();

// Of a pipe that blocks the kernel lets the process wait; of one that does not, Node has to.
it.each([
  ['--version', /^ttctl \d/],
  ['members list --help', /^List the members of the workspace/i],
  ['__complete fish mem', /^members\t/m],
])('%s waits for the reader of a full pipe that does not block', async (line, begin) => {
  const pipe = t.file('pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  let filled = 0;
  const fill = () => {
    for (;;) filled += writeSync(writer, Buffer.alloc(512, 'x'));
  };
  expect(fill).toThrow('EAGAIN');
  const child = spawn(process.execPath, [BIN, ...line.split(' ')], {
    env: t.processEnv(),
    stdio: ['ignore', writer, 'pipe'] as const,
  });
  // A process begins with pipes that block: this end is the same open file.
  const socket = new Socket({ fd: writer, readable: false });
  const said = (child.stderr as Readable).toArray();
  const exit = new Promise((resolve) => child.once('close', resolve));
  // Until it has ended, or has had no time of the processor for a while. What needs less than a tick of it shows none.
  let before = '';
  for (let quiet = 0; quiet < (before === '0 0' ? 200 : 20) && child.exitCode === null; await pause(20)) {
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/^.*\) /, '');
    const ticks = stat.split(' ').slice(11, 13).join(' ');
    quiet = ticks === before ? quiet + 1 : 0;
    before = ticks;
  }
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
