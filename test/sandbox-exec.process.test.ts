import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isFree } from './support/oauth.ts';
import { BIN } from './support/process.ts';
import { useCli } from './support/use-cli.ts';

/** What a command has under `sandbox exec`, how it ends, and what is left then: nothing. */

const t = useCli({ sandbox: 'demo' });

const NODE = process.execPath;
const TTCTL = `"${NODE}" "${BIN}"`;

const run = (command: readonly string[], flags: readonly string[] = [], env = {}) =>
  t.process(['sandbox', 'exec', ...flags, '--', ...command], { env: { TTCTL_RATE_LIMIT: '', ...env } });
const exec = (script: string, flags: readonly string[] = [], env = {}) =>
  run(['sh', '-c', script], flags, env);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the sandbox of a command', () => {
  it('has its seed, is at every address, and no profile leads elsewhere', async () => {
    const script = `env; ${TTCTL} timesheets list --status submitted --quiet -o ids | wc -l; ${TTCTL} sandbox status -o csv --columns kind`;
    const { stdout, stderr, exit } = await exec(script, ['--seed', 'month-end']);
    expect(exit, stderr).toBe(0);
    const lines = stdout.trim().split(/\r?\n/);
    const pairs = lines.map((line) => /^(TTCTL_\w+)=(.*)$/.exec(line)?.slice(1) ?? ['', '']);
    const env = Object.fromEntries(pairs);
    const url = env['TTCTL_AUTH_URL'];
    expect(env).toMatchObject({
      ...{ TTCTL_BASE_URL: `${url}/api/v2`, TTCTL_TOKEN_URL: url, TTCTL_WORKSPACE: '101' },
      TTCTL_TOKEN: expect.stringMatching(/^sbx_/),
      TTCTL_PROFILE: 'default',
      TTCTL_SANDBOX_SECRET: expect.stringMatching(/^\w{48}$/),
    });
    expect(lines.slice(-3)).toEqual([expect.stringMatching(/^ *180$/), 'kind', 'server']);
    expect(await isFree(Number(new URL(url ?? '').port))).toBe(true);
  });

  it('is stopped by nobody else', async () => {
    const { exit, stderr } = await run([NODE, BIN, 'sandbox', 'stop']);
    const why = 'this sandbox belongs to sandbox exec and stops when its command ends';
    expect([exit, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it('has no limits unless they are asked for, and its commands know', async () => {
    const limits = async (...args: [flags?: string[], env?: object]) =>
      (await exec('echo "$TTCTL_RATE_LIMIT"', ...args)).stdout;
    expect(await limits()).toBe('off\n');
    expect(await limits(['--limits'])).toBe('150/60,20/1\n');
    // Whoever sets it means the command.
    expect(await limits([], { TTCTL_RATE_LIMIT: '5/1,1/1' })).toBe('5/1,1/1\n');
  });
});

describe('the directories of a command', () => {
  const PRINT = 'echo "$TTCTL_CONFIG_DIR $TTCTL_STATE_DIR $TTCTL_CACHE_DIR"';
  const UPDATE = `${TTCTL} members update 109 --weekly-hours-limit 30 --yes`;

  it("are its own, without the user's settings, and gone afterwards", async () => {
    const temporary = t.file('tmp');
    mkdirSync(temporary);
    await t.read('profile set --profile yours --base-url https://a.example/v2');
    const writes = `${TTCTL} profile set --profile mine --base-url https://a.example/v2; ${UPDATE}`;
    const list = `${TTCTL} profile list -o csv --columns name`;
    const look = 'cd "$TTCTL_CONFIG_DIR" && ls settings.json && cd "$TTCTL_STATE_DIR" && ls -d runs';
    const script = `${PRINT}; ${list}; ${writes}; ${look}`;
    const { stdout, stderr, exit } = await exec(script, [], { TMPDIR: temporary });
    expect(exit, stderr).toBe(0);
    const [folders = '', ...rest] = stdout.trim().split('\n');
    expect(folders.split(' ').every((folder) => folder.startsWith(`${temporary}/ttctl-exec-`))).toBe(true);
    expect(rest.slice(-2)).toEqual(['settings.json', 'runs']);
    expect(stdout).not.toContain('yours');
    expect(readdirSync(temporary)).toEqual([]);
    expect(t.text('config/settings.json')).not.toContain('mine');
    expect(existsSync(`${t.state}/runs`)).toBe(false);
    expect((await exec(list, ['--keep-state'])).stdout).toContain('yours');
  });

  it('are none where nothing can be written, and the command runs', async () => {
    const nowhere = { HOME: '/dev/null', TMPDIR: '/dev/null', TTCTL_STATE_DIR: '', TTCTL_CONFIG_DIR: '' };
    const script = `${UPDATE} --json && ${TTCTL} members get 109 --query weekly_hours_limit`;
    const { stdout, stderr, exit } = await exec(script, [], nowhere);
    expect(exit, stderr).toBe(0);
    expect(stdout).toMatch(/"status": "done"[\s\S]*\n30\n$/);
  });
});

/** So many runs in CI; `TTCTL_EXEC_RUNS=100` for the long form. */
const RUNS = Number(process.env.TTCTL_EXEC_RUNS || 4);

describe('the end', () => {
  const ENDS = [
    ['exit 42', 42],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['exit 147', 147],
    ['kill -SEGV $$', 139],
    ['exit 0', 0],
  ] as const;

  it(`is that of the command and leaves nothing, ${RUNS} times`, { timeout: 600_000 }, async () => {
    for (let round = 0; round < RUNS; round += 1) {
      const [end, code] = ENDS[round % ENDS.length] ?? ENDS[0];
      const { stdout, exit } = await exec(`echo $TTCTL_AUTH_URL $PPID $$; ${end}`);
      expect(exit).toBe(code);
      const [url = '', ...pids] = stdout.trim().split(' ');
      expect(await isFree(Number(new URL(url).port))).toBe(true);
      expect(pids.map(Number).filter(isAlive)).toEqual([]);
    }
  });

  it('tells of a command that is not there, and of one that cannot be run', async () => {
    const none = await run(['no-such-command-of-any-kind']);
    expect(none).toMatchObject({ exit: 127, stderr: expect.stringContaining('no-such-command-of-any-kind') });
    const refused = await run([t.file('plain', 'text')]);
    expect(refused).toMatchObject({ exit: 126, stderr: expect.stringContaining('cannot be run') });
    expect((await run([])).exit).toBe(2);
  });

  it('comes though somebody still holds a request that is never sent whole', async () => {
    const file = t.file(
      'hold.mjs',
      `import { connect } from 'node:net';
       const socket = connect(Number(new URL(process.env.TTCTL_AUTH_URL).port), '127.0.0.1', () => {
         socket.write('POST /api/v2/members HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 100\\r\\n\\r\\nabc');
         console.log(process.pid);
       });
       socket.on('error', () => {}).on('close', () => process.exit());`,
    );
    // It lives on behind the command.
    const script = `"${NODE}" "${file}" > held & while ! test -s held; do :; done; exit 5`;
    expect((await exec(script)).exit).toBe(5);
  });
});
