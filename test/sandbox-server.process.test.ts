import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { realClock } from '../src/platform/machine.ts';
import { openEmbedded } from '../src/sandbox-host/embedded.ts';
import { until } from './support/clocks.ts';
import { words } from './support/in-process.ts';
import { closing, listening } from './support/loopback.ts';
import { freePort, isFree } from './support/oauth.ts';
import { BIN, finished, lineFrom } from './support/process.ts';
import { useCli } from './support/use-cli.ts';

/** The life of a sandbox server as a person has it: `ttctl sandbox start`, `stop`, `status`, `reset`, `env`. */

const t = useCli({ sandbox: 'demo', clock: realClock, env: { TTCTL_PROFILE: 'default' } });
const machine = { kill: (pid: number, signal: string | number) => process.kill(pid, signal) };
const run = (line: string, env = {}) => t.run(line, { env, machine });
const json = (line: string, env = {}, more = {}) => t.json(line, { env, machine: { ...machine, ...more } });
const said = (exit: number, text: string) => ({ exit, stderr: expect.stringContaining(text) });
const isThere = () => existsSync(`${t.state}/sandbox.json`);

/** Starts a server in this process, which stays until it is stopped. */
const start = async (flags = '') => {
  let isOver = false;
  const end = run(`sandbox start --port 0 ${flags}`).finally(() => {
    isOver = true;
  });
  await until(() => isThere() || isOver);
  expect(isThere(), isOver ? (await end).stderr : '').toBe(true);
  return { end };
};
// Detached ones too: `stop` ends what the locator names.
afterEach(() => run('sandbox stop'));

/** The same as a process, with its first line. */
const startProcess = async (flags = '') => {
  const child = t.start(`sandbox start --port 0 ${flags}`);
  const end = finished(child);
  const [ready] = await lineFrom(child.stdout);
  return { child, ready, end };
};

describe('sandbox start', () => {
  it('prints one line of JSON once it can answer, and nothing else until it ends', async () => {
    const { child, ready, end } = await startProcess('--json');
    const { port, ...place } = JSON.parse(ready);
    const url = `http://127.0.0.1:${port}`;
    expect(place).toEqual({ url, base_url: `${url}/api/v2`, auth_url: url, token_url: url, pid: child.pid });
    expect((await fetch(`${place.base_url}/workspaces`)).status).toBe(401);
    child.kill('SIGTERM');
    expect(await end).toEqual({ stdout: `${ready}\n`, stderr: '', exit: 143 });
  });

  it('says to a person where it is, is refused a second time, and removes its locator at its end', async () => {
    const { child, ready, end } = await startProcess();
    expect(ready).toMatch(/^Sandbox ready at http:\/\/127\.0\.0\.1:\d+\/api\/v2 \(process \d+\)$/);
    expect(isThere()).toBe(true);
    for (const more of ['', '--detach']) {
      const second = await run(`sandbox start --port 0 ${more}`);
      expect(second).toMatchObject(said(2, 'a sandbox is already running: http://127.0.0.1:'));
      expect(second.stderr).toContain('ttctl sandbox stop');
    }
    child.kill('SIGINT');
    expect((await end).exit).toBe(130);
    expect(isThere()).toBe(false);
  });

  it('is ended by sandbox stop, with exit 0; the locator of one that was killed misleads nobody', async () => {
    const { child, end } = await startProcess();
    child.kill('SIGKILL');
    await end;
    expect(isThere()).toBe(true);
    const next = await startProcess();
    expect(await json('sandbox stop')).toMatchObject({ stopped: true });
    expect((await next.end).exit).toBe(0);
    expect(isThere()).toBe(false);
    expect(await run('sandbox stop')).toMatchObject(said(0, 'No sandbox server is running'));
  });

  it('goes on in the background with --detach; the profile sandbox means another, but finds it to stop', async () => {
    const port = await freePort();
    const profile = { TTCTL_PROFILE: 'sandbox' };
    const own = await t.process(`sandbox start --port ${port} --detach --json`, { env: profile });
    expect(own.stderr).toContain('The profile sandbox is the embedded sandbox, not this server');
    const { url, pid } = JSON.parse(own.stdout);
    const status = { kind: 'server', running: true, url, seed: 'demo', pid };
    expect(await json('sandbox status')).toMatchObject(status);
    expect((await run('sandbox status', profile)).stdout).toMatch(/^kind +embedded$/m);
    const trigger = await run('sandbox webhooks trigger project.deleted');
    expect(trigger.stderr).toMatch(
      /: eval "\$\(ttctl sandbox env\)"; ttctl webhooks create --event project\.deleted --url <address>\n/,
    );
    expect((await json('sandbox env', profile)).TTCTL_AUTH_URL).toBe(`http://127.0.0.1:${port}`);
    expect(await json('sandbox stop', profile)).toMatchObject({ stopped: true });
    expect(await isFree(port)).toBe(true);
    expect(await json('sandbox status')).toMatchObject({ kind: 'embedded', running: false });
  });

  it.each([
    ['--seed mothn-end', 2, 'Did you mean month-end?'],
    ['--seed /dev/zero', 2, 'cannot read the seed file /dev/zero'],
    ['--seed ./no-such.json', 2, 'cannot read the seed file ./no-such.json\n  There is no such file.'],
    ['--state /dev/null', 2, 'refusing to read /dev/null: it is not a regular file'],
    ['--state /', 2, 'refusing to read /: it is not a regular file'],
    ['--dialect pagination=tpo', 2, 'Did you mean top?'],
    ['--port 70000', 2, 'is not a port'],
    ['--allow-webhooks-to http://x.example/', 2, 'Use only the host name'],
    ['--auto-approve mei@lindenhof.example', 4, 'Owners'],
    ['--auto-approve nobody@x.example', 5, 'nobody@x.example'],
  ])('is refused with %s: exit %i, %s', async (flags, exit, text) => {
    expect(await run(`sandbox start ${flags}`)).toMatchObject(said(exit, text));
    expect(isThere()).toBe(false);
  });

  it('says what was wrong behind too, and suggests another port', async () => {
    const blocker = createServer();
    const port = await listening(blocker);
    const seed = await t.process('sandbox start --port 0 --seed mothn-end --detach');
    expect(seed).toMatchObject(said(2, 'Did you mean month-end?'));
    for (const { exit, stderr } of [
      await run(`sandbox start --port ${port}`),
      await t.process(`sandbox start --port ${port} --detach`),
    ]) {
      expect([exit, stderr]).toEqual([1, expect.stringContaining(`cannot listen on port ${port}`)]);
      expect(stderr).toContain('Choose another with --port, or use --port 0 for a free one.');
    }
    await closing(blocker, () => blocker.closeAllConnections());
  });

  it('says why it could not be started behind', async () => {
    const ended = await t.run('sandbox start --port 0 --detach', { machine: { node: '/nowhere/node' } });
    expect(ended).toMatchObject(said(1, 'the sandbox did not start'));
    expect(ended.stderr).toContain('spawn /nowhere/node ENOENT');
  });

  it.runIf(process.platform === 'linux')('ends where it cannot say where it is', async () => {
    const ended = await run('sandbox start --port 0', { TTCTL_STATE_DIR: '/proc/1/x' });
    expect(ended).toMatchObject(said(1, 'cannot use the directory /proc/1/x'));
  });
});

describe('a server is found', () => {
  it('by its locator, which is private, while it lives, and not by one that is gone or torn', async () => {
    const file = `${t.state}/sandbox.json`;
    /** @param end the error that asking for its process meets */
    const find = async (end?: string) => {
      const kill = () => {
        if (end !== undefined) throw Object.assign(new Error(end), { code: end });
        return true;
      };
      return (await json('sandbox status', {}, { kill })).kind;
    };
    expect(await find()).toBe('embedded');
    const leave = new AbortController();
    const end = t.run('sandbox start --port 0', { interrupted: leave.signal });
    await until(isThere);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // It lives and belongs to somebody else, or is gone.
    expect([await find(), await find('EPERM'), await find('ESRCH')]).toEqual([
      'server',
      'server',
      'embedded',
    ]);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"pid": *\d+/, '"pid":1'));
    leave.abort(new Error('left'));
    expect((await end).exit).toBe(143);
    // That of another server stays.
    expect(isThere()).toBe(true);
    writeFileSync(file, '{"pid":1');
    expect(await find()).toBe('embedded');
  });

  const secret = { TTCTL_SANDBOX_SECRET: 'a secret of the sandbox' };

  it.each(['http://127.0.0.1:9', 'http://localhost:9/', 'http://[::1]:9/api/v2'])(
    'at --url %s, which is on this machine',
    async (url) => {
      expect((await run(`sandbox log --url ${url}`, secret)).exit).toBe(7);
      expect((await run('sandbox log', { ...secret, TTCTL_BASE_URL: url })).exit).toBe(7);
    },
  );

  it.each([
    'http://127.0.0.1:x@evil.test/',
    'http://localhost:@evil.test:4747/',
    'http://127.0.0.1.evil.test/',
    'https://127.0.0.1/',
    'http://0.0.0.0:4747',
    '127.0.0.1:4747',
  ])('and its secret goes to no other: not to %s', async (url) => {
    expect((await run(`sandbox log --url ${url}`, secret)).exit).toBe(2);
    const { exit, stdout } = await run('sandbox status', { ...secret, TTCTL_BASE_URL: url });
    expect(exit === 2 || /^kind +embedded$/m.test(stdout)).toBe(true);
  });
});

describe('the state of a server', () => {
  it('begins with what a killed command had done, too', async () => {
    const file = t.file('left.json');
    const embedded = openEmbedded(file, realClock, new AbortController().signal);
    const headers = { authorization: `Bearer ${await embedded.ownerToken()}` };
    const body = { workspace_id: 101, name: 'Left' };
    await embedded.transport({ method: 'POST', base: '', path: '/projects', query: [], headers, body });
    // Not closed: the change stands on a line of its own.
    expect(readFileSync(file, 'utf8')).toContain('\n');
    await start(`--state ${file}`);
    const listed = await run('projects list --name Left -o ids', await json('sandbox env'));
    expect(listed.stdout).toMatch(/^\d+\n$/);
  });

  it('is forgotten, or outlives it with --state', async () => {
    const file = t.file('project/kept.json');
    mkdirSync(t.file('project'));
    chmodSync(t.file('project'), 0o755);
    const first = await start(`--state ${file}`);
    const env = await json('sandbox env');
    const invite = 'members invite ana@example.com --firstname A --lastname S --role regular-user';
    expect((await run(invite, env)).exit).toBe(0);
    await run('sandbox stop');
    await first.end;
    // The folder is somebody's, and stays as it is.
    const modes = [t.file('project'), file].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o755, 0o600]);
    const second = await start(`--state ${file}`);
    const list = 'members list --email ana@example.com -o ids';
    // The token of the first server is still good: it is part of the state.
    const moved = { ...env, TTCTL_BASE_URL: (await json('sandbox env')).TTCTL_BASE_URL };
    expect((await run(list, moved)).stdout).toMatch(/^\d+\n$/);
    await run('sandbox stop');
    await second.end;
    await start();
    expect((await run(list, await json('sandbox env'))).stdout).toBe('');
  });

  it('begins again with sandbox reset, and every token ends', async () => {
    await start();
    const env = await json('sandbox env');
    const status = { kind: 'server', seed: 'month-end' };
    expect(await json('sandbox reset --seed month-end')).toMatchObject(status);
    expect(await run('members list', env)).toMatchObject(said(3, 'TTCTL_TOKEN'));
    expect(await json('timesheets list --status submitted', await json('sandbox env'))).toHaveLength(180);
  });

  it('that is damaged stops the start with a hint that works; one that is empty is used', async () => {
    const file = t.file('kept one.json', '{"version":1,');
    const broken = await run(`sandbox start --port 0 --state '${file}'`);
    expect(broken).toMatchObject(said(1, 'is damaged'));
    const [, hint = ''] = /: ttctl (sandbox start .*)$/m.exec(broken.stderr) ?? [];
    expect(words(hint)).toEqual(['sandbox', 'start', '--state', file, '--seed', 'demo']);
    const { end } = await start(hint.replace('sandbox start', ''));
    await run('sandbox stop');
    await end;
    writeFileSync(file, '');
    await start(`--state '${file}'`);
    expect(readFileSync(file, 'utf8')).toContain('"seed":"demo"');
  });

  it('that is a file of somebody is left alone', async () => {
    const text = '{"name":"mine","version":"1.0.0"}\n';
    const file = t.file('package.json', text);
    for (const seed of ['', '--seed demo']) {
      const ended = await run(`sandbox start --port 0 --state ${file} ${seed}`);
      expect(ended).toMatchObject(said(2, 'it is not the state of a sandbox'));
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('sandbox env', () => {
  it('prints what a shell can take', async () => {
    await start();
    const shell = 'eval "$("$0" "$1" sandbox env)" && exec "$0" "$1" members list --limit 1 -o ids --quiet';
    const child = spawn('sh', ['-c', shell, process.execPath, BIN], { env: t.processEnv() });
    expect(await finished(child)).toMatchObject({ stdout: '102\n', exit: 0 });
  });

  it('hands out one token as long as it holds, so that a loop does not fill the state', async () => {
    await start();
    const first = await json('sandbox env');
    const { tokens } = await json('sandbox status');
    expect(await json('sandbox env')).toEqual(first);
    expect((await json('sandbox status')).tokens).toBe(tokens);
    // More than half a year, whichever months these are.
    await run('sandbox clock advance 190d');
    const { TTCTL_TOKEN: later } = await json('sandbox env');
    expect(later).not.toBe(first.TTCTL_TOKEN);
    expect((await run('members list -o ids', { ...first, TTCTL_TOKEN: later })).exit).toBe(0);
  });

  it.each([
    ['', '150/60,20/1'],
    ['--no-limits', 'off'],
  ])('hands out the limits of a server: start %s', async (flags, limit) => {
    await start(flags);
    expect((await json('sandbox env')).TTCTL_RATE_LIMIT).toBe(limit);
    expect((await json('sandbox status')).rate_limit).toBe(limit);
  });

  it('names the server that runs, or how to start one, where there is none or the address is of another', async () => {
    const none = { ...said(2, 'ttctl sandbox start --detach'), stdout: '' };
    expect(await run('sandbox env')).toMatchObject(none);
    const GONE = { TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2', TTCTL_TOKEN: 'old' };
    for (const text of ['The address comes from TTCTL_BASE_URL.', 'Start one with ttctl sandbox start'])
      expect(await run('sandbox log', GONE)).toMatchObject(said(7, text));
    await start();
    const { url } = await json('sandbox status');
    const use = `eval "$(ttctl sandbox env --url ${url})", or unset TTCTL_BASE_URL.`;
    for (const line of ['sandbox status', 'sandbox env'])
      expect(await run(line, GONE)).toMatchObject(said(7, use));
    // What is stopped is what runs, wherever the settings point.
    expect(await json('sandbox stop', GONE)).toEqual({ stopped: true, url });
  });
});

it('O17: of the embedded sandbox and a server it says which one it asked, with a line that goes there', async () => {
  await start('--seed empty');
  const { url } = await json('sandbox status');
  const line = 'sandbox token create --as amelie@x.example';
  const server = `The server at ${new URL(url).host} runs the seed empty. List the members: `;
  const use = 'eval "$(ttctl sandbox env)"; ttctl members list\n';
  expect(await run(line)).toMatchObject(said(5, server + use));
  expect(await run(line, { TTCTL_BASE_URL: `${url}/api/v2` })).toMatchObject(
    said(5, `${server}ttctl members list\n`),
  );
  const embedded =
    'The embedded sandbox runs the seed demo. List the members: ttctl members list --profile sandbox\n';
  expect(await run(`${line} --profile sandbox`)).toMatchObject(said(5, embedded));
  const other = `${line} --profile sandbox --url ${url}`;
  expect(await run(other)).toMatchObject(
    said(5, `eval "$(ttctl sandbox env --url ${url})"; ttctl members list`),
  );
});

it.each([
  ['clock advance 5', 2, '"5" is not a duration'],
  ['clock advance 1y', 2, '"1y" is not a duration'],
  ['clock set tomorrowish', 2, 'tomorrowish'],
  ['clock set 2026-02-30', 2, '2026-02-30'],
  ['token create --as mei@lindenhof.example', 4, 'cannot have a token'],
  ['token create --as nobody@example.com', 5, 'no user'],
  ['token create --as nora@lindenhof.example --scope admin', 2, 'read, write'],
  ['token create --as nora@lindenhof.example --name " "', 2, 'name of the token'],
  ['token create', 2, '--as'],
  ['app create --redirect-uri http://127.0.0.1:9/', 2, '--name'],
  ['app create --name X', 2, '--redirect-uri'],
  ['app create --name X --grant implicit', 2, 'authorization-code, client-credentials'],
  ['app create --name X --grant client-credentials --as mei@lindenhof.example', 4, 'Owners'],
  ['app create --name X --redirect-uri http://a:hunter2@127.0.0.1/callback', 2, 'without a user name'],
  ['app create --name X --redirect-uri ftp://127.0.0.1/', 2, 'must be a web address'],
])('sandbox %s is refused with %i: %s', async (line, exit, told) => {
  const outcome = await run(`sandbox ${line}`, { TTCTL_PROFILE: 'sandbox' });
  expect(outcome).toMatchObject(said(exit, told));
  expect(outcome.stderr).not.toContain('hunter2');
});
