import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from '../support/binary.ts';
import { runInProcess } from '../support/in-process.ts';
import { CALLBACK } from './oauth-bench.ts';

/** `sandbox app …` and `sandbox start --auto-approve`. */

let home: Home;
let env: Record<string, string>;
beforeAll(() => {
  home = cleanHome();
  env = { ...home.env, TTCTL_STATE_DIR: home.folder };
});
afterAll(async () => {
  await runBinary(['sandbox', 'stop'], { env });
  home.remove();
});

const run = (...args: string[]) => runInProcess(args, { env });

describe('sandbox app', () => {
  it('registers and lists in the embedded state', async () => {
    const create = ['sandbox', 'app', 'create', '--name', 'Mine', '--redirect-uri', CALLBACK, '--json'];
    const issued = JSON.parse((await run('--profile', 'sandbox', ...create)).stdout);
    expect(Object.keys(issued).slice(0, 2)).toEqual(['client_id', 'client_secret']);
    expect(issued).toMatchObject({ name: 'Mine', grant: 'authorization-code', redirect_uri: CALLBACK });
    const list = await run('--profile', 'sandbox', 'sandbox', 'app', 'list', '--json');
    const rows = JSON.parse(list.stdout);
    expect(rows.map((row: { client_id: string }) => row.client_id)).toEqual([
      'sbx_app_demo',
      issued.client_id,
    ]);
    expect(list.stdout).not.toContain('secret');
  });

  it.each([
    ['http://ana:hunter2@127.0.0.1:8484/callback', 'contains a user name or password'],
    ['http://127.0.0.1:0/', 'needs a fixed port, not 0'],
    ['ftp://127.0.0.1/', 'is not a web address'],
  ])('refuses %s', async (address, problem) => {
    const line = [
      '--profile',
      'sandbox',
      'sandbox',
      'app',
      'create',
      '--name',
      'X',
      '--redirect-uri',
      address,
    ];
    const { exit, stderr } = await run(...line);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`the redirect URI ${problem}`)]);
    expect(stderr).not.toContain('hunter2');
  });

  it('says of one at another site that ttctl itself cannot sign in with it', async () => {
    const create = ['--profile', 'sandbox', 'sandbox', 'app', 'create', '--name', 'Site', '--redirect-uri'];
    const { exit, stderr } = await run(...create, 'https://site.example/callback');
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining('Its redirect URI is not on this machine: ttctl auth login cannot use'),
    ]);
    expect((await run(...create, CALLBACK)).stderr).not.toContain('auth login cannot');
  });

  it('tells the secret of the demo, which is none', async () => {
    const { stderr } = await run('--profile', 'sandbox', 'sandbox', 'app', 'list');
    expect(stderr).toContain('The secret of sbx_app_demo is sbx_secret_demo.');
  });

  it.each([
    ['sandbox app create --redirect-uri http://127.0.0.1:9/', '--name', 2],
    ['sandbox app create --name X', '--redirect-uri', 2],
    ['sandbox app create --name X --grant implicit', 'authorization-code, client-credentials', 2],
    ['sandbox app create --name X --grant client-credentials --as mei@lindenhof.example', 'Owners', 4],
  ])('%s: says %s', async (line, words, exit) => {
    const outcome = await run('--profile', 'sandbox', ...line.split(' '));
    expect(outcome.stderr).toContain(words);
    expect(outcome.exit).toBe(exit);
  });
});

describe('sandbox start --auto-approve', () => {
  it('approves without a page, in a process of its own too', async () => {
    const args = ['sandbox', 'start', '--port', '0', '--detach', '--json'];
    const person = ['--auto-approve', 'samir@lindenhof.example'];
    const { url, auth_url } = JSON.parse((await runBinary([...args, ...person], { env })).stdout);
    expect(auth_url).toBe(url);
    const query = new URLSearchParams({
      client_id: 'sbx_app_demo',
      redirect_uri: CALLBACK,
      response_type: 'code',
      state: 's',
    });
    const answer = await fetch(`${auth_url}/oauth/authorize?${query}`, { redirect: 'manual' });
    expect(answer.headers.get('location')).toMatch(
      /^http:\/\/127\.0\.0\.1:8484\/callback\?code=sbx_code_\w+&state=s$/,
    );
    const status = JSON.parse((await run('sandbox', 'status', '--json')).stdout);
    expect(status.token_requests).toEqual({
      authorization_code: 0,
      refresh_token: 0,
      client_credentials: 0,
    });
  });

  it.each([
    ['mei@lindenhof.example', 4],
    ['nobody@x.example', 5],
  ])('is refused for %s before anything is served', async (email, exit) => {
    const other = cleanHome();
    try {
      const args = ['sandbox', 'start', '--port', '0', '--auto-approve', email];
      expect((await runBinary(args, { env: other.env })).exit).toBe(exit);
    } finally {
      other.remove();
    }
  });
});
