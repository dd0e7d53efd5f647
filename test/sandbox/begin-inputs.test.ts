import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanHome, runBinary } from '../support/binary.ts';
import { runInProcess } from '../support/in-process.ts';

/** What `sandbox start` is told to begin with, and where it is to keep its state. */

const home = cleanHome();
const folder = mkdtempSync(join(tmpdir(), 'ttctl-begin-'));
afterAll(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform === 'win32')('a seed', () => {
  it('comes through a pipe too', async () => {
    const pipe = join(folder, 'seed.json');
    execFileSync('mkfifo', [pipe]);
    const [ended] = await Promise.all([
      runBinary(['sandbox', 'start', '--seed', pipe, '--json'], { env: home.env }),
      writeFile(pipe, '{"members": 7}'),
    ]);
    // What came through was read: it says what is wrong in it.
    expect(ended.exit, ended.stderr).toBe(2);
    expect(ended.stderr).toContain('members');
    expect(ended.stderr).not.toContain('regular file');
  });

  it('without an end is bounded', async () => {
    const { exit, stderr } = await runInProcess(['sandbox', 'start', '--seed', '/dev/zero'], {
      env: home.env,
    });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('cannot read the seed file /dev/zero')]);
  });
});

it.skipIf(process.platform === 'win32').each(['/dev/null', join(folder, 'state')])(
  'a state that is no file, %s, is not to be moved away',
  async (path) => {
    mkdirSync(join(folder, 'state'), { recursive: true });
    const ended = await runInProcess(['sandbox', 'start', '--state', path], { env: home.env });
    expect(ended.exit).toBe(2);
    expect(ended.stderr).toContain('hint: Use a regular file instead.\n');
    expect(ended.stderr).not.toMatch(/TTCTL_|mv /);
  },
);

it('a token of more than 64 KiB is none', async () => {
  const config = mkdtempSync(join(folder, 'config-'));
  const args = ['auth', 'login', '--base-url', 'http://127.0.0.1:1/api/v2', '--token-stdin'];
  const env = { TTCTL_CONFIG_DIR: config };
  const { exit, stderr } = await runInProcess(args, { env, stdin: 'x'.repeat(64 * 1024 + 1) });
  expect([exit, stderr]).toEqual([2, expect.stringContaining('stdin: it is larger than 64 KiB')]);
});
