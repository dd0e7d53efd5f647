import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { cleanHome } from '../support/process.ts';

/** What `sandbox start` is told to begin with, and where it is to keep its state. */

const home = cleanHome();
const folder = makeFolder();
afterAll(() => home.remove());

it('a seed without an end is no seed', async () => {
  const args = ['sandbox', 'start', '--seed', '/dev/zero'];
  const { exit, stderr } = await runInProcess(args, { env: home.env });
  expect([exit, stderr]).toEqual([2, expect.stringContaining('cannot read the seed file /dev/zero')]);
});

it('a seed that is not there is said in words', async () => {
  const args = ['sandbox', 'start', '--seed', './no-such-file.json'];
  const { exit, stderr } = await runInProcess(args, { env: home.env });
  expect(exit).toBe(2);
  expect(stderr).toContain('cannot read the seed file ./no-such-file.json\n  There is no such file.\n');
});

it.skipIf(process.platform === 'win32').each(['/dev/null', join(folder, 'state')])(
  'a state that is no file, %s, is refused',
  async (path) => {
    mkdirSync(join(folder, 'state'), { recursive: true });
    const ended = await runInProcess(['sandbox', 'start', '--state', path], { env: home.env });
    expect(ended.exit).toBe(2);
    expect(ended.stderr).toContain(`refusing to read ${path}: it is not a regular file`);
  },
);
