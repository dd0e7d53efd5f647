import type * as Fs from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { envelope, onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/**
 * A row is on the disk before its request goes out. A process that is killed cannot show
 * it, for the system keeps what it has written: so the journal's calls of the disk are watched.
 */

/** So long a flush is held up, unless a request goes out before it has ended. */
const HELD_MS = 300;

let state: string;
let recorder: Recorder;
/** In their order: `written t1`, `flushed t1`, `request t1`. */
let events: string[];
let departed: () => void;

const held = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, HELD_MS);
    departed = () => {
      clearTimeout(timer);
      resolve();
    };
  });

/** The rows of `sending` lines by their targets. */
const rowsIn = (text: string): string[] =>
  [...text.matchAll(/"n":(\d+),"step":"sending"/g)].map(([, n]) => `t${Number(n) - 1}`);

vi.mock('node:fs', async (load) => {
  const fs = await load<typeof Fs>();
  const [writeTo, flush] = [promisify(fs.write), promisify(fs.fsync)];
  let unflushed: string[] = [];
  const write = async (fd: number, data: Uint8Array, offset: number, length: number) => {
    const rows = rowsIn(Buffer.from(data.subarray(offset, offset + length)).toString('utf8'));
    const written = await writeTo(fd, data, offset, length);
    events.push(...rows.map((row) => `written ${row}`));
    unflushed.push(...rows);
    return written;
  };
  const fsync = async (fd: number) => {
    const rows = unflushed;
    unflushed = [];
    if (rows.length > 0) await held();
    await flush(fd);
    events.push(...rows.map((row) => `flushed ${row}`));
  };
  const promised = (call: unknown) => Object.assign(() => {}, { [promisify.custom]: call });
  return { ...fs, write: promised(write), fsync: promised(fsync) };
});

beforeEach(async () => {
  state = makeFolder();
  events = [];
  departed = () => {};
  recorder = await startRecorder(({ line }) => {
    const [, id] = /^PUT \/timesheets\/(\w+)\/approve/.exec(line) ?? [];
    if (id === undefined) return { body: onePage([]) };
    events.push(`request ${id}`);
    departed();
    return { body: envelope(null) };
  });
});
afterEach(() => recorder.close());

it('each row is written, then flushed, then sent', async () => {
  const { runInProcess } = await import('../support/in-process.ts');
  const rows = Array.from({ length: 6 }, (_, n) => `t${n}`);
  const { exit, stderr } = await runInProcess(['timesheets', 'approve', ...rows, '--yes'], {
    env: serviceEnv(recorder, { TTCTL_STATE_DIR: state }),
  });
  expect(exit, stderr).toBe(0);
  for (const row of rows) {
    const own = events.filter((event) => event.endsWith(` ${row}`));
    expect(own).toEqual([`written ${row}`, `flushed ${row}`, `request ${row}`]);
  }
});
