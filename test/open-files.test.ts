import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BIN, cleanHome, type Finished, finished, type Home, runBinary } from './support/binary.ts';
import { onePage, type Recorder, startRecorder } from './support/recorder.ts';

/** With very few files that may be open (`ulimit -n`) every command says so and ends, as far as Node itself starts. */

let home: Home;
let recorder: Recorder;
beforeAll(async () => {
  home = cleanHome();
  recorder = await startRecorder(() => ({ body: onePage([]) }));
  // Seeds the sandbox.
  await runBinary(['--profile', 'sandbox', 'members', 'list'], { env: home.env });
});
afterAll(async () => {
  await recorder.close();
  home.remove();
});

const limited = (files: number, args: readonly string[]): Promise<Finished> => {
  const child = spawn(
    'sh',
    ['-c', 'ulimit -n "$1" && shift && exec "$@"', 'sh', String(files), process.execPath, ...args],
    {
      env: { ...home.env, TTCTL_BASE_URL: recorder.baseUrl, TTCTL_TOKEN: 'x', TTCTL_WORKSPACE: '7' },
    },
  );
  const patience = setTimeout(() => child.kill('SIGKILL'), 60_000);
  return finished(child).finally(() => clearTimeout(patience));
};

/** The fewest files with which Node itself runs a script that opens one more. */
const fewest = async (): Promise<number> => {
  for (let files = 8; files < 64; files += 1) {
    const { exit } = await limited(files, [BIN, '--version']);
    if (exit === 0) return files;
  }
  throw new Error('Node does not start');
};

const NEEDS_ONE = ['a read of the embedded sandbox', 'a list of jobs', 'a sandbox in the background'];

const SANDBOX = ['--profile', 'sandbox', '--workspace', '101'];

describe.runIf(process.platform === 'linux')('few open files', () => {
  let least: number;
  beforeAll(async () => {
    least = await fewest();
  });

  it.each<[string, readonly string[]]>([
    ['a list of a service', ['members', 'list']],
    ['a read of the embedded sandbox', [...SANDBOX, 'members', 'list', '--json']],
    ['a run of several writes', [...SANDBOX, 'timesheets', 'approve', '990001', '990002', '--yes']],
    ['a list of jobs', ['jobs', 'list']],
    [
      'a receiver of webhooks',
      ['webhooks', 'listen', '--port', '0', '--limit', '1', '--host', '203.0.113.1'],
    ],
    ['a server of the sandbox', ['sandbox', 'exec', '--', 'true']],
    ['a sandbox in the background', ['sandbox', 'start', '--port', '70000']],
    ['a profile', ['profile', 'set', '--workspace', '8']],
  ])('end %s with words, never a stack', async (what, args) => {
    let told = 0;
    for (let files = least; files < least + 12; files += 1) {
      const { exit, stderr } = await limited(files, [BIN, ...args]);
      const place = `ulimit -n ${files}: exit ${exit}\n${stderr}`;
      expect(stderr, place).not.toMatch(/^ +at |node:internal|fault in ttctl|please report/im);
      expect(exit, place).toBeLessThan(10);
      if (!/too many open files/.test(stderr)) continue;
      told += 1;
      expect(stderr, place).toMatch(/ulimit -n/);
      expect(stderr, place).not.toContain('run the command again');
      expect(exit, place).toBe(1);
    }
    // What opens one file at a time has enough where Node itself starts.
    if (!NEEDS_ONE.includes(what)) expect(told).toBeGreaterThan(0);
  });

  it('say it in JSON too, from the first file that the program opens', async () => {
    const told: unknown[] = [];
    for (let files = least; files < least + 8; files += 1) {
      const { exit, stderr } = await limited(files, [BIN, 'members', 'list', '--json']);
      if (exit !== 0) told.push(JSON.parse(stderr).error);
    }
    expect(told).not.toEqual([]);
    for (const error of told)
      expect(error).toMatchObject({
        code: 'too_many_files',
        exit: 1,
        hint: expect.stringContaining('ulimit -n'),
      });
  });
});
