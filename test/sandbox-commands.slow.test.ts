import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { realClock } from '../src/platform/machine.ts';
import { openEmbedded } from '../src/sandbox-host/embedded.ts';
import { words } from './support/in-process.ts';
import { closing, listening } from './support/loopback.ts';
import { freePort, isFree } from './support/oauth.ts';
import { BIN, type Finished, finished, lineFrom } from './support/process.ts';
import { useCli } from './support/use-cli.ts';

/** The life of a sandbox as a person has it: `ttctl sandbox …` as processes. */

const t = useCli({ sandbox: 'demo', env: { TTCTL_PROFILE: 'default' } });
// Detached servers too: `stop` ends what the locator names.
afterEach(() => t.process('sandbox stop'));

const run = (line: string, env: Readonly<Record<string, string>> = {}): Promise<Finished> =>
  t.process(words(line), { env });
/** @throws Error with what was printed when it is no JSON */
const json = async (line: string, env = {}) => {
  const { stdout, stderr } = await run(`${line} --json`, env);
  if (stdout === '') throw new Error(`no JSON of ${line}: ${stderr}`);
  return JSON.parse(stdout);
};
const errorOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
const said = (exit: number, text: string) => ({ exit, stderr: expect.stringContaining(text) });

/** Starts a server in the foreground and waits for its first line. */
const start = async (flags = '') => {
  const child = t.start(words(`sandbox start --port 0 ${flags}`));
  const end = finished(child);
  const [ready] = await lineFrom(child.stdout);
  return { child, ready, end };
};

const isThere = () => existsSync(`${t.state}/sandbox.json`);
const variables = () => json('sandbox env');

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
    const { child, end } = await start();
    child.kill('SIGKILL');
    await end;
    expect(isThere()).toBe(true);
    const next = await start();
    expect(await json('sandbox stop')).toMatchObject({ stopped: true });
    expect((await next.end).exit).toBe(0);
    expect(isThere()).toBe(false);
    expect(await run('sandbox stop')).toMatchObject(said(0, 'No sandbox server is running'));
  });

  it('goes on in the background with --detach; the profile sandbox means another, but finds it to stop', async () => {
    const port = await freePort();
    const profile = { TTCTL_PROFILE: 'sandbox' };
    const own = await run(`sandbox start --port ${port} --detach --json`, profile);
    expect(own.stderr).toContain('The profile sandbox is the embedded sandbox, not this server');
    const { url, pid } = JSON.parse(own.stdout);
    const status = { kind: 'server', running: true, url, seed: 'demo', pid };
    expect(await json('sandbox status')).toMatchObject(status);
    expect((await run('sandbox status', profile)).stdout).toMatch(/^kind +embedded$/m);
    const trigger = await run('sandbox webhooks trigger project.deleted');
    expect(trigger.stderr).toMatch(/: ttctl webhooks create --event project\.deleted --url <address>\n/);
    expect((await json('sandbox env', profile)).TTCTL_AUTH_URL).toBe(`http://127.0.0.1:${port}`);
    expect(await json('sandbox stop', profile)).toMatchObject({ stopped: true });
    expect(await isFree(port)).toBe(true);
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
        ['--port 0 --auto-approve mei@lindenhof.example', 4, 'Owners'],
        ['--port 0 --auto-approve nobody@x.example', 5, 'nobody@x.example'],
      ] as const)
        expect(await run(`sandbox start ${flags} ${more}`)).toMatchObject(said(exit, text));
    await closing(blocker, () => blocker.closeAllConnections());
    expect(isThere()).toBe(false);
  });

  it.runIf(process.platform === 'linux')('ends where it cannot say where it is', async () => {
    const ended = await run('sandbox start --port 0', { TTCTL_STATE_DIR: '/proc/1/x' });
    expect(ended).toMatchObject(said(1, 'cannot use the directory /proc/1/x'));
  });
});

describe('the state of a server', () => {
  it('begins with what a killed command had done, too', async () => {
    const file = t.file('left.json');
    const embedded = openEmbedded(file, realClock, new AbortController().signal);
    const [workspace_id, token] = [await embedded.workspaceId(), await embedded.ownerToken()];
    const body = { workspace_id, name: 'Left' };
    const headers = { authorization: `Bearer ${token}` };
    await embedded.transport({ method: 'POST', base: '', path: '/projects', query: [], headers, body });
    // Not closed: the change stands on a line of its own.
    expect(readFileSync(file, 'utf8')).toContain('\n');
    await start(`--state ${file}`);
    expect((await run('projects list --name Left -o ids', await variables())).stdout).toMatch(/^\d+\n$/);
  });

  it('is forgotten, or outlives it with --state', async () => {
    const file = t.file('project/kept.json');
    mkdirSync(t.file('project'));
    chmodSync(t.file('project'), 0o755);
    const first = await start(`--state ${file}`);
    const env = await variables();
    const invite = 'members invite ana@example.com --firstname A --lastname S --role regular-user';
    expect((await run(invite, env)).exit).toBe(0);
    first.child.kill('SIGTERM');
    await first.end;
    // The folder is somebody's, and stays as it is.
    const modes = [t.file('project'), file].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o755, 0o600]);
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
    expect(await json('timesheets list --status submitted', await variables())).toHaveLength(180);
  });

  it('that is damaged stops the start with a hint that works; one that is empty is used', async () => {
    const file = t.file('kept one.json', '{"version":1,');
    const broken = await run(`sandbox start --port 0 --state '${file}'`);
    expect(broken).toMatchObject(said(1, 'is damaged'));
    const [, hint = ''] = /: ttctl (sandbox start .*)$/m.exec(broken.stderr) ?? [];
    expect(words(hint)).toEqual(['sandbox', 'start', '--state', file, '--seed', 'demo']);
    expect((await json(`${hint} --port 0 --detach`)).url).toMatch(/^http/);
    await run('sandbox stop');
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
    const first = await variables();
    const { tokens } = await json('sandbox status');
    expect(await variables()).toEqual(first);
    expect((await json('sandbox status')).tokens).toBe(tokens);
    // More than half a year, whichever months these are.
    await run('sandbox clock advance 190d');
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
    expect(await run('sandbox env')).toMatchObject({
      ...said(2, 'ttctl sandbox start --detach'),
      stdout: '',
    });
  });

  it('names the server that runs, or how to start one, where the address is of one that is gone', async () => {
    const GONE = { TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2', TTCTL_TOKEN: 'old' };
    for (const text of ['The address comes from TTCTL_BASE_URL.', 'Start one with ttctl sandbox start'])
      expect(await run('sandbox log', GONE)).toMatchObject(said(7, text));
    const { url } = await json('sandbox start --port 0 --detach', GONE);
    const use = `eval "$(ttctl sandbox env --url ${url})", or unset TTCTL_BASE_URL.`;
    for (const line of ['sandbox status', 'sandbox env'])
      expect(await run(line, GONE)).toMatchObject(said(7, use));
    expect(await json(`sandbox stop --url ${url}`, GONE)).toEqual({ stopped: true, url });
  });
});

describe('tokens and applications', () => {
  const NORA = 'nora@lindenhof.example';
  const CALLBACK = 'http://127.0.0.1:8484/callback';
  const own = { env: { TTCTL_PROFILE: 'sandbox' } };
  const create = (more: string) => t.json(`sandbox token create --as ${NORA} ${more}`, own);
  const use = (token: string, line = 'members list --limit 1') =>
    t.run(`${line} --json`, { env: { ...own.env, TTCTL_TOKEN: token } });

  it('have names, are listed without their secrets, and can be revoked by id or name', async () => {
    const { id, token } = await create('--name nightly --scope read');
    const row = { name: 'nightly', member: NORA, kind: 'personal', scopes: ['read'], status: 'valid', id };
    const listed = await t.read('sandbox token list --json', own);
    expect(JSON.parse(listed)).toEqual(expect.arrayContaining([expect.objectContaining(row)]));
    expect(listed).not.toContain('sbx_');
    expect((await use(token)).exit).toBe(0);
    const refused = await use(token, 'members restore 109');
    expect(refused.exit).toBe(4);
    expect(errorOf(refused)).toMatchObject({
      ...{ code: 'insufficient_scope', exit: 4, status: 403, request: 'POST /members/109/restore' },
      ...{ required_scope: ['write', 'admin'], granted_scope: ['read'] },
    });
    // Once more changes nothing.
    for (const name of ['nightly', String(id)])
      expect(await t.json(`sandbox token revoke ${name}`, own)).toMatchObject({ id, status: 'revoked' });
    expect((await use(token)).exit).toBe(3);
    await create('--name twice');
    const { id: last } = await create('--name twice');
    // The one that was made last.
    expect(await t.json('sandbox token revoke twice', own)).toMatchObject({ id: last, status: 'revoked' });
    expect((await t.run('sandbox token revoke nobody', own)).exit).toBe(5);
    expect(await t.read(`sandbox token create --as ${NORA}`, own)).toMatch(/^sbx_pat_\w{40}\n$/);
  });

  it('an application is registered, and its secret told', async () => {
    expect(await t.json(`sandbox app create --name Mine --redirect-uri ${CALLBACK}`, own)).toEqual({
      client_id: expect.stringMatching(/^sbx_app_\w{20}$/),
      client_secret: expect.stringMatching(/^sbx_secret_\w{40}$/),
      ...{ name: 'Mine', grant: 'authorization-code', redirect_uri: CALLBACK, member: NORA },
      created_at: expect.stringMatching(/Z$/),
    });
  });

  const app = 'sandbox app create --name X';
  it.each([
    ['sandbox token create --as mei@lindenhof.example', 4, 'cannot have a token'],
    ['sandbox token create --as nobody@example.com', 5, 'no user'],
    [`sandbox token create --as ${NORA} --scope admin`, 2, 'read, write'],
    [`sandbox token create --as ${NORA} --name " "`, 2, 'name of the token'],
    ['sandbox token create', 2, '--as'],
    ['sandbox app create --redirect-uri http://127.0.0.1:9/', 2, '--name'],
    [app, 2, '--redirect-uri'],
    [`${app} --grant implicit`, 2, 'authorization-code, client-credentials'],
    [`${app} --grant client-credentials --as mei@lindenhof.example`, 4, 'Owners'],
    [`${app} --redirect-uri http://ana:hunter2@127.0.0.1:8484/callback`, 2, 'without a user name'],
    [`${app} --redirect-uri ftp://127.0.0.1/`, 2, 'must be a web address'],
  ])('%s is refused with %i: %s', async (line, exit, told) => {
    const outcome = await t.run(line, own);
    expect(outcome).toMatchObject(said(exit, told));
    expect(outcome.stderr).not.toContain('hunter2');
  });
});
