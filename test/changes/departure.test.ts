import type * as Fs from 'node:fs';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { envelope, onePage } from '../support/service.ts';

it('each row is on the disk before its request goes out: written, then flushed, then sent', async () => {
  // A process that is killed cannot show it, for the system keeps what it has written: the calls of the disk are watched.
  const events: string[] = [];
  let release = () => {};
  vi.doMock('node:fs', async (load) => {
    const fs = await load<typeof Fs>();
    const [write, flush] = [promisify(fs.write), promisify(fs.fsync)];
    const unflushed: string[] = [];
    const watched = {
      async write(fd: number, data: Uint8Array, offset: number, length: number) {
        const text = Buffer.from(data.subarray(offset, offset + length)).toString();
        const rows = [...text.matchAll(/"n":(\d+),"step":"sending"/g)].map(([, n]) => `t${n}`);
        const written = await write(fd, data, offset, length);
        events.push(...rows.map((row) => `written ${row}`));
        unflushed.push(...rows);
        return written;
      },
      async fsync(fd: number) {
        const rows = unflushed.splice(0);
        // Held up for a while, unless a request goes out before it has ended.
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        if (rows.length > 0) await Promise.race([held, new Promise((resolve) => setTimeout(resolve, 300))]);
        await flush(fd);
        events.push(...rows.map((row) => `flushed ${row}`));
      },
    };
    const promised = (call: unknown) => Object.assign(() => {}, { [promisify.custom]: call });
    return { ...fs, write: promised(watched.write), fsync: promised(watched.fsync) };
  });
  const { openCli } = await import('../support/use-cli.ts');
  const t = await openCli({
    service({ line }) {
      const [, id] = /^PUT \/timesheets\/(\w+)\/approve/.exec(line) ?? [];
      if (id === undefined) return { body: onePage([]) };
      events.push(`request ${id}`);
      release();
      return { body: envelope(null) };
    },
  });
  const rows = ['t1', 't2', 't3', 't4', 't5', 't6'];
  await t.read(`timesheets approve ${rows.join(' ')} --yes`);
  for (const row of rows) {
    const own = events.filter((event) => event.endsWith(` ${row}`));
    expect(own).toEqual([`written ${row}`, `flushed ${row}`, `request ${row}`]);
  }
});
