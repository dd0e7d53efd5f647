import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BIN, cleanHome, type Home, runBinary } from './support/binary.ts';

/** What a script has under `sandbox exec`, and in a shell with `sandbox env`. */

let home: Home;
beforeEach(() => {
  home = cleanHome();
});
afterEach(() => home.remove());

const TTCTL = `"${process.execPath}" "${BIN}"`;

const exec = (script: string, flags: readonly string[] = [], env = {}) =>
  runBinary(['sandbox', 'exec', ...flags, '--', 'sh', '-c', script], { env: { ...home.env, ...env } });

const PRINT = 'echo "$TTCTL_CONFIG_DIR $TTCTL_STATE_DIR $TTCTL_CACHE_DIR"';

describe('the directories of a command', () => {
  it('are its own, and gone afterwards', async () => {
    const temporary = join(home.folder, 'tmp');
    mkdirSync(temporary);
    const writes = `${TTCTL} profile set --profile mine --base-url https://a.example/v2; ${TTCTL} members update 109 --weekly-hours-limit 30 --yes`;
    const look = 'cd "$TTCTL_CONFIG_DIR" && ls settings.json && cd "$TTCTL_STATE_DIR" && ls -d jobs';
    const { stdout, stderr, exit } = await exec(`${PRINT}; ${writes}; ${look}`, [], { TMPDIR: temporary });
    expect(exit, stderr).toBe(0);
    const [folders = '', ...rest] = stdout.trim().split('\n');
    expect(folders.split(' ').every((folder) => folder.startsWith(`${temporary}/ttctl-exec-`))).toBe(true);
    expect(rest.slice(-2)).toEqual(['settings.json', 'jobs']);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(join(home.folder, '.config/ttctl/settings.json'))).toBe(false);
    expect(existsSync(join(home.folder, '.local/state/ttctl/jobs'))).toBe(false);
  });

  it("hold nothing of the user's settings, unless --keep-state says so", async () => {
    const folder = join(home.folder, 'config');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ version: 1, profiles: { mine: {} } }), {
      mode: 0o600,
    });
    const env = { TTCTL_CONFIG_DIR: folder };
    const list = `${TTCTL} profile list -o csv --columns name`;
    expect((await exec(list, [], env)).stdout).not.toContain('mine');
    expect((await exec(`${list}; ${PRINT}`, ['--keep-state'], env)).stdout).toMatch(
      new RegExp(`mine[\\s\\S]*\\n${folder}  \\n$`),
    );
  });

  it('are none where nothing can be written, and the command runs', async () => {
    const nowhere = { HOME: '/dev/null', TMPDIR: '/dev/null' };
    const script = `${TTCTL} members update 109 --weekly-hours-limit 30 --yes --json && ${TTCTL} members get 109 --query weekly_hours_limit`;
    const { stdout, stderr, exit } = await exec(script, [], nowhere);
    expect(exit, stderr).toBe(0);
    expect(stdout).toMatch(/"status": "done"[\s\S]*\n30\n$/);
  });

  it('leave the exit code alone', async () => {
    expect((await exec('exit 5')).exit).toBe(5);
  });
});

describe('the limits', () => {
  const PRINT_LIMITS = 'echo "$TTCTL_RATE_LIMIT"';

  it('of the sandbox are none unless they are asked for, and its commands know', async () => {
    expect((await exec(PRINT_LIMITS)).stdout).toBe('off\n');
    expect((await exec(PRINT_LIMITS, ['--limits'])).stdout).toBe('150/60,20/1\n');
    // Whoever sets it means the command.
    expect((await exec(PRINT_LIMITS, [], { TTCTL_RATE_LIMIT: '5/1,1/1' })).stdout).toBe('5/1,1/1\n');
  });

  it.each([
    [[], '150/60,20/1'],
    [['--no-limits'], 'off'],
  ])('of a server with %j are handed out by sandbox env', async (flags, limit) => {
    const run = (...args: string[]) => runBinary(args, { env: home.env });
    await run('sandbox', 'start', '--port', '0', '--detach', ...flags);
    try {
      const { stdout } = await run('sandbox', 'env', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ TTCTL_RATE_LIMIT: limit });
      const status = JSON.parse((await run('sandbox', 'status', '--json')).stdout);
      expect(status.rate_limit).toBe(limit);
    } finally {
      await run('sandbox', 'stop');
    }
  });
});
