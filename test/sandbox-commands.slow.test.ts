import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { words } from './support/in-process.ts';
import { closing, listening } from './support/loopback.ts';
import { freePort, isFree } from './support/oauth.ts';
import {
  BIN,
  cleanHome,
  type Finished,
  finished,
  type Home,
  lineFrom,
  runBinary,
  startBinary,
} from './support/process.ts';
import { openCli, type SandboxCli } from './support/use-cli.ts';

/** The life of a sandbox as a person has it: `ttctl sandbox …` as processes. */

let home: Home;
const running: ChildProcess[] = [];

beforeEach(() => {
  home = cleanHome({ TTCTL_RATE_LIMIT: 'off' });
});

afterEach(async () => {
  // Detached servers too: `stop` ends what the locator names.
  await ttctl('sandbox stop');
  for (const child of running.splice(0)) child.kill('SIGKILL');
  home.remove();
});

const run = (line: string, env: Readonly<Record<string, string>> = {}): Promise<Finished> =>
  runBinary(words(line), { env: { ...home.env, ...env } });
const ttctl = (line: string): Promise<Finished> => run(line);

/** @throws Error with what was printed when it is no JSON */
const parse = ({ stdout, stderr }: Pick<Finished, 'stdout' | 'stderr'>) => {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no JSON: ${stdout}${stderr}`);
  }
};
const json = async (line: string, env = {}) => parse(await run(`${line} --json`, env));
const errorOf = ({ stderr }: Pick<Finished, 'stderr'>) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
const said = (exit: number, text: string) => ({ exit, stderr: expect.stringContaining(text) });

/** Starts a server in the foreground and waits for its first line. */
const start = async (flags = '') => {
  const child = startBinary(words(`sandbox start --port 0 ${flags}`), { env: home.env });
  running.push(child);
  const end = finished(child);
  const [ready] = await lineFrom(child.stdout);
  return { child, ready, end };
};

const locator = (): string => join(home.folder, '.local/state/ttctl/sandbox.json');
const variables = () => json('sandbox env');
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
    const { port, ...place } = JSON.parse(ready);
    const url = `http://127.0.0.1:${port}`;
    expect(place).toEqual({ url, base_url: `${url}/api/v2`, auth_url: url, token_url: url, pid: child.pid });
    expect((await fetch(`${place.base_url}/workspaces`)).status).toBe(401);
    child.kill('SIGTERM');
    expect(await end).toEqual({ stdout: `${ready}\n`, stderr: '', exit: 143 });
  });

  it('says to a person where it is, is refused a second time, and removes its locator at its end', async () => {
    const { child, ready, end } = await start();
    expect(ready).toMatch(/^Sandbox ready at http:\/\/127\.0\.0\.1:\d+\/api\/v2 \(process \d+\)$/);
    expect(existsSync(locator())).toBe(true);
    for (const more of ['', '--detach']) {
      const second = await ttctl(`sandbox start --port 0 ${more}`);
      expect(second).toMatchObject(said(2, 'a sandbox is already running: http://127.0.0.1:'));
      expect(second.stderr).toContain('ttctl sandbox stop');
    }
    child.kill('SIGINT');
    expect((await end).exit).toBe(130);
    expect(existsSync(locator())).toBe(false);
  });

  it('is ended by sandbox stop, with exit 0; the locator of one that was killed misleads nobody', async () => {
    const { child, end } = await start();
    child.kill('SIGKILL');
    await end;
    expect(existsSync(locator())).toBe(true);
    const next = await start();
    expect(await json('sandbox stop')).toMatchObject({ stopped: true });
    expect((await next.end).exit).toBe(0);
    expect(existsSync(locator())).toBe(false);
    expect(await ttctl('sandbox stop')).toMatchObject(said(0, 'No sandbox server is running'));
  });

  it('goes on in the background with --detach; the profile sandbox means another', async () => {
    const own = await run('sandbox start --port 0 --detach --json', { TTCTL_PROFILE: 'sandbox' });
    expect(own.stderr).toContain('The profile sandbox is the embedded sandbox, not this server');
    const { url, pid } = parse(own);
    expect(await json('sandbox status')).toMatchObject({
      kind: 'server',
      running: true,
      url,
      seed: 'demo',
      pid,
    });
    const status = await run('sandbox status', { TTCTL_PROFILE: 'sandbox' });
    expect(status.stdout).toMatch(/^kind +embedded$/m);
    const trigger = await ttctl('sandbox webhooks trigger project.deleted');
    expect(trigger.stderr).toMatch(/: ttctl webhooks create --event project\.deleted --url <address>\n/);
    await ttctl('sandbox stop');
    await gone(pid);
    expect(await json('sandbox status')).toMatchObject({ kind: 'embedded', running: false });
  });

  it('suggests a seed, a dialect and another port, in front and behind', async () => {
    const blocker = createServer();
    const port = await listening(blocker);
    for (const more of ['', '--detach'])
      for (const [flags, exit, text] of [
        ['--port 0 --seed mothn-end', 2, 'Did you mean month-end?'],
        ['--port 0 --dialect pagination=tpo', 2, 'Did you mean top?'],
        [`--port ${port}`, 1, `cannot listen on port ${port}`],
        [`--port ${port}`, 1, 'Choose another with --port, or use --port 0 for a free one.'],
        ['--port 70000', 2, 'is not a port'],
        ['--port 0 --allow-webhooks-to http://x.example/', 2, 'Use only the host name'],
      ] as const)
        expect(await ttctl(`sandbox start ${flags} ${more}`)).toMatchObject(said(exit, text));
    await closing(blocker, () => blocker.closeAllConnections());
    expect(existsSync(locator())).toBe(false);
  });
});

describe('the state of a server', () => {
  it('is forgotten, or outlives it with --state', async () => {
    const folder = join(home.folder, 'project');
    const file = join(folder, 'kept.json');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const first = await start(`--state ${file}`);
    const env = await variables();
    const invite = 'members invite ana@example.com --firstname A --lastname S --role regular-user';
    expect((await run(invite, env)).exit).toBe(0);
    first.child.kill('SIGTERM');
    await first.end;
    // The folder is somebody's, and stays as it is.
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o755, 0o600]);
    const second = await start(`--state ${file}`);
    const list = 'members list --email ana@example.com -o tsv --columns email';
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
    const status = { kind: 'server', seed: 'month-end' };
    expect(await json('sandbox reset --seed month-end')).toMatchObject(status);
    const old = await run('members list --json', env);
    expect(old.exit).toBe(3);
    expect(errorOf(old)).toMatchObject({ status: 401, hint: expect.stringContaining('TTCTL_TOKEN') });
    const ids = await run('timesheets list --status submitted -o ids', await variables());
    expect(ids.stdout.trim().split('\n')).toHaveLength(180);
  });

  it('that is damaged stops the start with a hint that works; one that is empty is used', async () => {
    const file = join(home.folder, 'kept one.json');
    writeFileSync(file, '{"version":1,');
    const broken = await ttctl(`sandbox start --port 0 --state '${file}'`);
    expect(broken).toMatchObject(said(1, 'is damaged'));
    const [, hint = ''] = /: ttctl (sandbox start .*)$/m.exec(broken.stderr) ?? [];
    expect(words(hint)).toEqual(['sandbox', 'start', '--state', file, '--seed', 'demo']);
    expect((await json(`${hint} --port 0 --detach`)).url).toMatch(/^http/);
    await ttctl('sandbox stop');
    writeFileSync(file, '');
    await start(`--state '${file}'`);
    expect(readFileSync(file, 'utf8')).toContain('"seed":"demo"');
  });

  it.each([
    ['notes.txt', 'My notes\n'],
    ['package.json', '{"name":"mine","version":"1.0.0"}\n'],
  ])('that is a file of somebody, %s, is left alone', async (name, text) => {
    const file = join(home.folder, name);
    writeFileSync(file, text);
    for (const seed of ['', '--seed demo']) {
      const { exit, stderr } = await ttctl(`sandbox start --port 0 --state ${file} ${seed}`);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('it is not the state of a sandbox')]);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

it('a server is found though the profile names the embedded sandbox; its port is free when stop has returned', async () => {
  const port = await freePort();
  await ttctl(`sandbox start --port ${port} --detach`);
  const { TTCTL_AUTH_URL } = await json('--profile sandbox sandbox env');
  expect(TTCTL_AUTH_URL).toBe(`http://127.0.0.1:${port}`);
  expect(await json('--profile sandbox sandbox stop')).toMatchObject({ stopped: true });
  expect(await isFree(port)).toBe(true);
});

it.runIf(process.platform === 'linux').each(['', '--detach'])(
  'a server that cannot say where it is ends (%s)',
  async (more) => {
    const ended = await run(`sandbox start --port 0 ${more}`, { TTCTL_STATE_DIR: '/proc/1/x' });
    expect(ended).toMatchObject(said(1, 'cannot use the directory /proc/1/x'));
  },
);

it.each(['', 'Foo/Bar', 'Etc/Unknown'])('times are in UTC where TZ is %j', async (TZ) => {
  const line = '--profile sandbox leaves list --limit 1 -o table';
  const { exit, stdout, stderr } = await run(line, { TZ });
  const warning = `warning: TZ=${TZ} is not a time zone: times are in UTC. Use an IANA name such as Europe/Berlin.\n`;
  expect([exit, stderr]).toEqual([0, `${TZ === '' ? '' : warning}Showing 1 of 6.\n`]);
  expect(stdout).toMatch(/\d\d:\d\dZ/);
});

describe('tokens', () => {
  const NORA = 'nora@lindenhof.example';
  let sandbox: SandboxCli;
  beforeEach(async () => {
    sandbox = await openCli({ sandbox: 'demo' });
  });
  afterEach(() => sandbox.close());
  const create = (as: string, ...more: string[]) => ['sandbox', 'token', 'create', '--as', as, ...more];
  const revoke = (name: string) => sandbox.run(['sandbox', 'token', 'revoke', name, '--json']);
  const use = async (token: string, line = 'members list --limit 1') =>
    sandbox.run(words(`${line} --json`), { env: { TTCTL_TOKEN: token } });

  it('have names, are listed without their secrets, and can be revoked by id or name', async () => {
    const { id, token } = await sandbox.json(create(NORA, '--name', 'nightly', '--scope', 'read'));
    const row = { name: 'nightly', member: NORA, kind: 'personal', scopes: ['read'], status: 'valid', id };
    const listed = await sandbox.run(words('sandbox token list --json'));
    expect(parse(listed)).toEqual(expect.arrayContaining([expect.objectContaining(row)]));
    expect(listed.stdout).not.toContain('sbx_');
    expect((await use(token)).exit).toBe(0);
    // Once more changes nothing.
    for (const name of ['nightly', String(id)])
      expect(parse(await revoke(name))).toMatchObject({ id, status: 'revoked' });
    expect((await use(token)).exit).toBe(3);
    await sandbox.json(create(NORA, '--name', 'twice'));
    const second = await sandbox.json(create(NORA, '--name', 'twice'));
    // The one that was made last.
    expect(parse(await revoke('twice'))).toMatchObject({ id: second.id, status: 'revoked' });
    expect((await revoke('nobody')).exit).toBe(5);
  });

  it('with read alone are refused a write, which names both scopes', async () => {
    const { token } = await sandbox.json(create(NORA, '--scope', 'read'));
    const refused = await use(token, 'members restore 109');
    expect(refused.exit).toBe(4);
    expect(errorOf(refused)).toMatchObject({
      ...{ code: 'insufficient_scope', exit: 4, status: 403, request: 'POST /members/109/restore' },
      ...{ required_scope: ['write', 'admin'], granted_scope: ['read'] },
    });
  });

  it('are printed alone, and only for who may have one', async () => {
    expect((await sandbox.run(create(NORA))).stdout).toMatch(/^sbx_pat_\w{40}\n$/);
    for (const [line, exit] of [
      [create('mei@lindenhof.example'), 4],
      [create('nobody@example.com'), 5],
      [create(NORA, '--scope', 'admin'), 2],
      [create(NORA, '--name', ' '), 2],
      [['sandbox', 'token', 'create'], 2],
    ] as const)
      expect((await sandbox.run(line)).exit, line.join(' ')).toBe(exit);
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
    const first = await variables();
    const { tokens } = await json('sandbox status');
    expect(await variables()).toEqual(first);
    expect((await json('sandbox status')).tokens).toBe(tokens);
    // More than half a year, whichever months these are.
    await ttctl('sandbox clock advance 190d');
    const { TTCTL_TOKEN: later } = await variables();
    expect(later).not.toBe(first.TTCTL_TOKEN);
    expect((await run('members list -o ids', { ...first, TTCTL_TOKEN: later })).exit).toBe(0);
  });

  it.each([
    ['', '150/60,20/1'],
    ['--no-limits', 'off'],
  ])('hands out the limits of a server: start %s', async (flags, limit) => {
    await start(flags);
    expect((await variables()).TTCTL_RATE_LIMIT).toBe(limit);
    expect((await json('sandbox status')).rate_limit).toBe(limit);
  });

  it('says that there is no server', async () => {
    const none = await ttctl('sandbox env');
    expect(none).toMatchObject({ ...said(2, 'ttctl sandbox start --detach'), stdout: '' });
  });
});

describe('with the address of a sandbox that is gone', () => {
  const GONE = { TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2', TTCTL_TOKEN: 'old', TTCTL_PROFILE: 'default' };

  it('status and env name the one that runs', async () => {
    const started = await run('sandbox start --port 0 --detach --json', GONE);
    const { url } = parse(started);
    const use = `eval "$(ttctl sandbox env --url ${url})"`;
    for (const line of ['sandbox status', 'sandbox env']) {
      const { exit, stderr } = await run(line, GONE);
      expect([exit, stderr]).toEqual([7, expect.stringContaining(`${use}, or unset TTCTL_BASE_URL.`)]);
    }
    expect(await json(`sandbox stop --url ${url}`, GONE)).toEqual({ stopped: true, url });
  });

  it.each(['sandbox status', 'sandbox log'])(
    'the error of %s names the variable, and what to do',
    async (line) => {
      const { exit, stderr } = await run(line, GONE);
      expect(exit).toBe(7);
      for (const text of [
        'The address comes from TTCTL_BASE_URL.',
        'Start one with ttctl sandbox start',
        'or unset TTCTL_BASE_URL.',
      ])
        expect(stderr).toContain(text);
    },
  );
});
