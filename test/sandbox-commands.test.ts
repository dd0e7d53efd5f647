import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  BIN,
  cleanHome,
  type Finished,
  finished,
  type Home,
  runBinary,
  startBinary,
} from './support/binary.ts';
import { closing, listening } from './support/loopback-server.ts';
import { lineFrom } from './support/reading.ts';
import { words } from './support/words.ts';

/** The life of a sandbox as a person has it: `ttctl sandbox …` as processes. */

let home: Home;
let state: string;
const running: ChildProcess[] = [];

beforeEach(() => {
  home = cleanHome({ TTCTL_RATE_LIMIT: 'off' });
  state = join(home.folder, '.local/state/ttctl');
});

afterEach(async () => {
  // Detached servers too: `stop` ends what the locator names.
  await ttctl('sandbox', 'stop');
  for (const child of running.splice(0)) child.kill('SIGKILL');
  home.remove();
});

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> =>
  runBinary(args, { env: { ...home.env, ...env } });
const ttctl = (...args: string[]): Promise<Finished> => run(args);
const embedded = (...args: string[]): Promise<Finished> => run(args, { TTCTL_PROFILE: 'sandbox' });

/** @throws Error with what was printed when it is no JSON */
const json = ({ stdout, stderr }: Finished) => {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no JSON: ${stdout}${stderr}`);
  }
};
const errorOf = ({ stderr }: Finished) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

interface Running {
  readonly child: ChildProcess;
  readonly ready: string;
  readonly end: Promise<Finished>;
}

/** Starts a server in the foreground and waits for its first line. */
const start = async (...flags: string[]): Promise<Running> => {
  const child = startBinary(['sandbox', 'start', '--port', '0', ...flags], { env: home.env });
  running.push(child);
  const end = finished(child);
  const [ready] = await lineFrom(child.stdout);
  return { child, ready, end };
};

const locator = (): string => join(state, 'sandbox.json');
const variables = async () => json(await ttctl('sandbox', 'env', '--json'));
const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const gone = async (pid: number): Promise<void> => {
  while (alive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe('sandbox start', () => {
  it('prints one line of JSON once it can answer, and nothing else until it ends', async () => {
    const { child, ready, end } = await start('--json');
    const place = JSON.parse(ready);
    const url = `http://127.0.0.1:${place.port}`;
    expect(place).toEqual({
      url,
      base_url: `${url}/api/v2`,
      auth_url: url,
      token_url: url,
      port: expect.any(Number),
      pid: child.pid,
    });
    expect((await fetch(`${place.base_url}/workspaces`)).status).toBe(401);
    child.kill('SIGTERM');
    expect(await end).toEqual({ stdout: `${ready}\n`, stderr: '', exit: 143 });
  });

  it('says to a person where it is, and removes its locator when it is interrupted', async () => {
    const { child, ready, end } = await start();
    expect(ready).toMatch(/^Sandbox ready at http:\/\/127\.0\.0\.1:\d+\/api\/v2 \(process \d+\)$/);
    expect(existsSync(locator())).toBe(true);
    child.kill('SIGINT');
    expect((await end).exit).toBe(130);
    expect(existsSync(locator())).toBe(false);
  });

  it('is ended by sandbox stop, with exit 0', async () => {
    const { end } = await start();
    expect(json(await ttctl('sandbox', 'stop', '--json'))).toMatchObject({ stopped: true });
    expect((await end).exit).toBe(0);
    expect(existsSync(locator())).toBe(false);
    const again = await ttctl('sandbox', 'stop');
    expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('No sandbox server is running') });
  });

  it('goes on in the background with --detach', async () => {
    const place = json(await ttctl('sandbox', 'start', '--port', '0', '--detach', '--json'));
    expect(alive(place.pid)).toBe(true);
    expect(json(await ttctl('sandbox', 'status', '--json'))).toMatchObject({
      kind: 'server',
      running: true,
      url: place.url,
      seed: 'demo',
      pid: place.pid,
    });
    await ttctl('sandbox', 'stop');
    await gone(place.pid);
    expect(json(await ttctl('sandbox', 'status', '--json'))).toMatchObject({
      kind: 'embedded',
      running: false,
    });
  });

  it('tells who has the profile sandbox that commands mean another, and how to reach this one', async () => {
    const own = await embedded('sandbox', 'start', '--port', '0', '--detach', '--json');
    expect(own.stderr).toContain('The profile sandbox is the embedded sandbox, not this server');
    const { url } = json(own);
    const status = await embedded('sandbox', 'status');
    expect(status.stdout).toMatch(/^kind +embedded$/m);
    expect(status.stderr).toContain(`A server is also running: ttctl sandbox status --url ${url}`);
    expect((await ttctl('sandbox', 'status')).stderr).not.toContain('also running');
  });

  it('is refused a second time, and says who is there', async () => {
    await start();
    for (const more of [[], ['--detach']]) {
      const second = await ttctl('sandbox', 'start', '--port', '0', ...more);
      expect(second.exit).toBe(2);
      expect(second.stderr).toMatch(/a sandbox is already running: http:\/\/127\.0\.0\.1:\d+/);
      expect(second.stderr).toContain('ttctl sandbox stop');
    }
  });

  it('is not misled by the locator of a server that was killed', async () => {
    const { child, end } = await start();
    child.kill('SIGKILL');
    await end;
    expect(existsSync(locator())).toBe(true);
    const { ready } = await start();
    expect(ready).toContain('Sandbox ready');
  });

  it('suggests a seed, a dialect and another port, in front and behind', async () => {
    const blocker = createServer();
    const port = String(await listening(blocker));
    for (const more of [[], ['--detach']]) {
      const seed = await ttctl('sandbox', 'start', '--port', '0', '--seed', 'mothn-end', ...more);
      expect(seed).toMatchObject({ exit: 2, stderr: expect.stringContaining('Did you mean month-end?') });
      const dialect = await ttctl('sandbox', 'start', '--port', '0', '--dialect', 'pagination=tpo', ...more);
      expect(dialect).toMatchObject({ exit: 2, stderr: expect.stringContaining('Did you mean top?') });
      const taken = await ttctl('sandbox', 'start', '--port', port, ...more);
      expect(taken).toMatchObject({ exit: 1, stderr: expect.stringContaining(`port ${port}`) });
      expect(taken.stderr).toContain('--port 0');
    }
    await closing(blocker, () => blocker.closeAllConnections());
    expect((await ttctl('sandbox', 'start', '--port', '70000')).exit).toBe(2);
    expect(existsSync(locator())).toBe(false);
  });
});

describe('the state of a server', () => {
  const invite = [
    'members',
    'invite',
    'ana@example.com',
    '--firstname',
    'A',
    '--lastname',
    'S',
    '--role',
    'regular-user',
  ];

  it('keeps its state in a folder of somebody as that is', async () => {
    const folder = join(home.folder, 'project');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const { child, end } = await start('--state', join(folder, 'kept.json'));
    expect((await run(invite, await variables())).exit).toBe(0);
    child.kill('SIGTERM');
    await end;
    expect([statSync(folder).mode & 0o777, statSync(join(folder, 'kept.json')).mode & 0o777]).toEqual([
      0o755, 0o600,
    ]);
  });

  it('is forgotten, or outlives it with --state', async () => {
    const file = join(home.folder, 'kept.json');
    const first = await start('--state', file);
    const env = await variables();
    expect((await run(invite, env)).exit).toBe(0);
    first.child.kill('SIGTERM');
    await first.end;
    const second = await start('--state', file);
    const list = ['members', 'list', '--email', 'ana@example.com', '-o', 'tsv', '--columns', 'email'];
    // The token of the first server is still good: it is part of the state.
    const moved = { ...env, TTCTL_BASE_URL: (await variables()).TTCTL_BASE_URL };
    expect((await run(list, moved)).stdout).toBe('email\nana@example.com\n');
    second.child.kill('SIGTERM');
    await second.end;
    await start();
    expect((await run(list, await variables())).stdout).toBe('email\n');
  });

  it('begins again with sandbox reset, and every token ends', async () => {
    await start();
    const env = await variables();
    expect(json(await ttctl('sandbox', 'reset', '--seed', 'month-end', '--json'))).toMatchObject({
      kind: 'server',
      seed: 'month-end',
    });
    const old = await run(['members', 'list', '--json'], env);
    expect(old.exit).toBe(3);
    expect(errorOf(old)).toMatchObject({ status: 401, hint: expect.stringContaining('TTCTL_TOKEN') });
    const ids = await run(['timesheets', 'list', '--status', 'submitted', '-o', 'ids'], await variables());
    expect(ids.stdout.trim().split('\n')).toHaveLength(180);
  });

  it('that is damaged stops the start with a hint that works', async () => {
    const file = join(home.folder, 'kept one.json');
    writeFileSync(file, '{"version":1,');
    const broken = await ttctl('sandbox', 'start', '--port', '0', '--state', file);
    expect(broken).toMatchObject({ exit: 1, stderr: expect.stringContaining('is damaged') });
    const [, hint = ''] = /: ttctl (sandbox start .*)$/m.exec(broken.stderr) ?? [];
    const line = words(hint);
    expect(line).toEqual(['sandbox', 'start', '--state', file, '--seed', 'demo']);
    const place = json(await ttctl(...line, '--port', '0', '--detach', '--json'));
    expect(place.url).toMatch(/^http/);
  });

  it.each([
    ['notes.txt', 'My notes\n'],
    ['package.json', '{"name":"mine","version":"1.0.0"}\n'],
    ['notes.txt.limits', 'My limits\n'],
  ])('that is a file of somebody, %s, is left alone', async (name, text) => {
    const file = join(home.folder, name);
    writeFileSync(file, text);
    for (const seed of [[], ['--seed', 'demo']]) {
      const state = ['--state', file.replace('.limits', '')];
      const { exit, stderr } = await ttctl('sandbox', 'start', '--port', '0', ...state, ...seed);
      expect([exit, stderr]).toEqual([
        2,
        `error: ${file} is not the state of a sandbox\nhint: Name another file with --state.\n`,
      ]);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
    if (name.endsWith('.limits')) expect(existsSync(join(home.folder, 'notes.txt'))).toBe(false);
    rmSync(file);
  });

  it('that is empty is used', async () => {
    const file = join(home.folder, 'empty.json');
    writeFileSync(file, '');
    await start('--state', file);
    expect(readFileSync(file, 'utf8')).toContain('"seed":"demo"');
  });
});

describe('tokens', () => {
  const create = (as: string, ...more: string[]) => ttctl('sandbox', 'token', 'create', '--as', as, ...more);
  const NORA = 'nora@lindenhof.example';

  it('have names, are listed without their secrets, and can be revoked by id or name', async () => {
    await start();
    const made = json(await create(NORA, '--name', 'nightly', '--scope', 'read', '--json'));
    expect(made).toMatchObject({ name: 'nightly', scopes: ['read'], member: NORA });
    await create(NORA, '--name', 'twice');
    const second = json(await create(NORA, '--name', 'twice', '--json'));
    const listed = await ttctl('sandbox', 'token', 'list', '--json');
    expect(listed.stdout).not.toContain('sbx_');
    const row = {
      name: 'nightly',
      member: NORA,
      kind: 'personal',
      scopes: ['read'],
      status: 'valid',
      id: made.id,
    };
    expect(json(listed)).toEqual(expect.arrayContaining([expect.objectContaining(row)]));
    const use = async () =>
      (await run(['members', 'list', '--limit', '1'], { ...(await variables()), TTCTL_TOKEN: made.token }))
        .exit;
    expect(await use()).toBe(0);
    const revoke = (...more: string[]) => ttctl('sandbox', 'token', 'revoke', ...more);
    expect(json(await revoke('nightly', '--json'))).toMatchObject({ id: made.id, status: 'revoked' });
    expect(await use()).toBe(3);
    // Once more changes nothing.
    expect(json(await revoke(String(made.id), '--json'))).toMatchObject({ id: made.id, status: 'revoked' });
    const both = await revoke('twice');
    expect(both).toMatchObject({ exit: 2, stderr: expect.stringContaining(`${second.id}`) });
    expect((await revoke(String(second.id))).exit).toBe(0);
    expect((await revoke('twice')).exit).toBe(0);
    expect((await revoke('nobody')).exit).toBe(5);
    expect((await create(NORA, '--name', ' ')).exit).toBe(2);
  });

  it('with read alone are refused a write, which names both scopes', async () => {
    await start();
    const made = json(await create(NORA, '--scope', 'read', '--json'));
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'sandbox',
      token: expect.stringMatching(/^sbx_pat_/),
      scopes: ['read'],
      member: NORA,
      expires_at: expect.stringMatching(/Z$/),
    });
    const env = { ...(await variables()), TTCTL_TOKEN: made.token };
    expect((await run(['members', 'list', '-o', 'ids'], env)).exit).toBe(0);
    const refused = await run(['members', 'restore', '109', '--json'], env);
    expect(refused.exit).toBe(4);
    expect(errorOf(refused)).toMatchObject({
      code: 'insufficient_scope',
      exit: 4,
      status: 403,
      request: 'POST /members/109/restore',
      required_scope: ['write', 'admin'],
      granted_scope: ['read'],
    });
  });

  it('are printed alone, and only for who may have one', async () => {
    await start();
    expect((await create(NORA)).stdout).toMatch(/^sbx_pat_\w{40}\n$/);
    expect((await create('mei@lindenhof.example')).exit).toBe(4);
    expect((await create('nobody@example.com')).exit).toBe(5);
    expect((await create(NORA, '--scope', 'admin')).exit).toBe(2);
    expect((await ttctl('sandbox', 'token', 'create')).exit).toBe(2);
  });
});

describe('the embedded sandbox', () => {
  it('that is damaged says so, and its hint repairs it', async () => {
    await embedded('members', 'list', '-o', 'ids');
    const { state: file } = json(await embedded('sandbox', 'status', '--json'));
    writeFileSync(file, 'x');
    const broken = await embedded('members', 'list');
    expect(broken).toMatchObject({ exit: 1, stderr: expect.stringContaining('is damaged') });
    const [, hint = ''] = /: ttctl (.*)$/m.exec(broken.stderr) ?? [];
    expect((await ttctl(...hint.split(' '))).exit).toBe(0);
    expect((await embedded('members', 'list', '-o', 'ids')).exit).toBe(0);
  });

  it('loses nothing when several processes write at once', async () => {
    const names = Array.from({ length: 6 }, (_, n) => `ana${n}@example.com`);
    const invited = await Promise.all(
      names.map((name) =>
        embedded(
          'members',
          'invite',
          name,
          '--firstname',
          'A',
          '--lastname',
          'S',
          '--role',
          'regular-user',
          '--json',
        ),
      ),
    );
    const ids = invited.map((one) => json(one).user_id);
    expect(new Set(ids).size).toBe(names.length);
    const { stdout } = await embedded('members', 'list', '-o', 'tsv', '--columns', 'email', '--no-header');
    expect(
      stdout
        .split('\n')
        .filter((line) => line.startsWith('ana'))
        .sort(),
    ).toEqual(names);
  });
});

describe('sandbox env', () => {
  it('prints what a shell can take', async () => {
    await start();
    const shell = 'eval "$("$0" "$1" sandbox env)" && exec "$0" "$1" members list --limit 1 -o ids --quiet';
    const child = spawn('sh', ['-c', shell, process.execPath, BIN], { env: { ...home.env } });
    expect(await finished(child)).toMatchObject({ stdout: '102\n', exit: 0 });
  });

  it('hands out one token as long as it holds, so that a loop does not fill the state', async () => {
    await start();
    const tokens = async () => json(await ttctl('sandbox', 'status', '--json')).tokens;
    const first = await variables();
    const count = await tokens();
    expect(await variables()).toEqual(first);
    expect(await tokens()).toBe(count);
    // More than half a year, whichever months these are.
    await ttctl('sandbox', 'clock', 'advance', '190d');
    const { TTCTL_TOKEN: later } = await variables();
    expect(later).not.toBe(first.TTCTL_TOKEN);
    expect((await run(['members', 'list', '-o', 'ids'], { ...first, TTCTL_TOKEN: later })).exit).toBe(0);
    await ttctl('sandbox', 'reset', '--yes');
    expect((await variables()).TTCTL_TOKEN).not.toBe(later);
  });

  it('says that there is no server', async () => {
    const { exit, stdout, stderr } = await ttctl('sandbox', 'env');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('ttctl sandbox start --detach');
  });
});

describe('with the address of a sandbox that is gone', () => {
  const GONE = { TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2', TTCTL_TOKEN: 'old', TTCTL_PROFILE: 'default' };

  it('status, env and stop find the one that runs, and say so', async () => {
    await start();
    const { url } = json(await ttctl('sandbox', 'status', '--json'));
    const status = await run(['sandbox', 'status', '--json'], GONE);
    expect(json(status)).toMatchObject({ running: true, url });
    expect(status.stderr).toContain(
      'nothing answers at http://127.0.0.1:9. The address comes from TTCTL_BASE_URL.',
    );
    expect(status.stderr).toContain(`eval "$(ttctl sandbox env --url ${url})", or unset TTCTL_BASE_URL.`);
    expect(json(await run(['sandbox', 'env', '--json'], GONE)).TTCTL_BASE_URL).toBe(`${url}/api/v2`);
    expect(json(await run(['sandbox', 'stop', '--json'], GONE))).toEqual({ stopped: true, url });
  });

  it('the error names the variable, and what to do', async () => {
    for (const line of [
      ['sandbox', 'status'],
      ['sandbox', 'log'],
    ]) {
      const { exit, stderr } = await run(line, GONE);
      expect(exit).toBe(7);
      expect(stderr).toContain('The address comes from TTCTL_BASE_URL.');
      expect(stderr).toContain('Start one with ttctl sandbox start');
      expect(stderr).toContain('or unset TTCTL_BASE_URL.');
    }
  });

  it('start says how to get at the new one', async () => {
    const { stdout, stderr } = await run(['sandbox', 'start', '--port', '0', '--detach', '--json'], GONE);
    const { url, pid } = JSON.parse(stdout);
    await ttctl('sandbox', 'stop');
    await gone(pid);
    expect(stderr).toContain(
      `TTCTL_BASE_URL is ${GONE.TTCTL_BASE_URL}. To use this server: eval "$(ttctl sandbox env --url ${url})"`,
    );
  });
});

describe('sandbox exec', () => {
  const NODE = process.execPath;
  const exec = (code: string, ...flags: string[]) =>
    ttctl('sandbox', 'exec', ...flags, '--', NODE, '-e', code);

  it('gives the command a sandbox of its own, and the command gives the exit code', async () => {
    const code = `const { TTCTL_BASE_URL: url, TTCTL_TOKEN, TTCTL_WORKSPACE: id } = process.env;
      fetch(url + '/timesheets?status=submitted&workspace_id=' + id, { headers: { authorization: 'Bearer ' + TTCTL_TOKEN } })
        .then((answer) => answer.json()).then(({ meta }) => { console.log(meta.pagination.total, url); process.exitCode = 42; });`;
    const { stdout, exit } = await exec(code, '--seed', 'month-end');
    expect(exit).toBe(42);
    const [total, url = ''] = stdout.trim().split(' ');
    expect(total).toBe('180');
    await expect(fetch(url)).rejects.toThrow();
    expect(existsSync(locator())).toBe(false);
  });

  it('sets every address, and no profile that would lead elsewhere', async () => {
    mkdirSync(join(home.folder, '.config/ttctl'), { recursive: true });
    await ttctl('profile', 'use', 'sandbox');
    const names =
      'Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("TTCTL_")))';
    const env = json(await exec(`console.log(JSON.stringify(${names}))`));
    const url = env.TTCTL_AUTH_URL;
    expect(env).toMatchObject({
      TTCTL_BASE_URL: `${url}/api/v2`,
      TTCTL_TOKEN_URL: url,
      TTCTL_TOKEN: expect.stringMatching(/^sbx_/),
      TTCTL_WORKSPACE: '101',
      TTCTL_PROFILE: 'default',
      TTCTL_SANDBOX_SECRET: expect.stringMatching(/^\w{48}$/),
    });
    const status = json(await ttctl('sandbox', 'exec', '--', NODE, BIN, 'sandbox', 'status', '--json'));
    expect(status).toMatchObject({ kind: 'server' });
    const reset = await ttctl(
      'sandbox',
      'exec',
      '--',
      NODE,
      BIN,
      'sandbox',
      'reset',
      '--seed',
      'empty',
      '--json',
    );
    expect(json(reset)).toMatchObject({ seed: 'empty' });
  });

  it('tells a command that a signal ended, and one that is not there', async () => {
    expect((await exec('process.kill(process.pid, "SIGKILL")')).exit).toBe(137);
    const none = await ttctl('sandbox', 'exec', '--', 'no-such-command-of-any-kind');
    expect(none).toMatchObject({ exit: 127, stderr: expect.stringContaining('no-such-command-of-any-kind') });
    const plain = join(home.folder, 'plain');
    writeFileSync(plain, 'text', { mode: 0o644 });
    const refused = await ttctl('sandbox', 'exec', '--', plain);
    expect(refused).toMatchObject({ exit: 126, stderr: expect.stringContaining('cannot be run') });
    expect((await ttctl('sandbox', 'exec')).exit).toBe(2);
  });

  it('passes SIGTERM on and leaves nothing running', async () => {
    const code = 'console.log(process.pid, process.env.TTCTL_BASE_URL); setInterval(() => {}, 1000)';
    const child = startBinary(['sandbox', 'exec', '--', NODE, '-e', code], { env: home.env });
    running.push(child);
    const end = finished(child);
    const [, pid, url = ''] = await lineFrom(child.stdout, /^(\S+) (\S+)$/);
    child.kill('SIGTERM');
    expect((await end).exit).toBe(143);
    expect(alive(Number(pid))).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('runs beside a server and beside another of its kind', async () => {
    await start();
    const both = await Promise.all([
      exec('console.log(process.env.TTCTL_BASE_URL)'),
      exec('console.log(process.env.TTCTL_BASE_URL)'),
    ]);
    expect(new Set(both.map(({ stdout }) => stdout)).size).toBe(2);
    expect(existsSync(locator())).toBe(true);
  });
});
