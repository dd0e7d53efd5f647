import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { envelope, ofRequest, onePage, plainAnswer, type Recorded, readsList } from '../support/service.ts';
import { ask, useCli } from '../support/use-cli.ts';

/** Requests as docs/service.md has them, and what a dry run makes of them. */

describe('requests', () => {
  /**
   * Each command line and the request that it makes, written from docs/service.md:
   * method, path, query, body, and where `workspace_id` goes.
   */

  it('every request carries the bearer token, asks for JSON and says how long its body is', async () => {
    let headers: object = {};
    await ask('members restore 17', (request) => {
      headers = request.headers;
      return plainAnswer(request);
    });
    expect(headers).toMatchObject({
      authorization: 'Bearer token-of-the-test',
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': '18',
    });
  });

  describe('--input', () => {
    it('is the body; flags lie over it, workspace_id is added', async () => {
      const stdin = '{"firstname":"Eve","lastname":"Sousa","nickname":null}';
      const { exit, sent } = await ask('members update 17 --input - --firstname Ana', plainAnswer, { stdin });
      expect([exit, sent]).toEqual([
        0,
        [
          'PUT /members/17?workspace_id=7 {"workspace_id":7,"firstname":"Ana","lastname":"Sousa","nickname":null}',
        ],
      ]);
    });

    it('may bring what a flag would have brought, and its own workspace', async () => {
      const { exit, lines } = await ask(
        'members invite ana@example.com --input -',
        () => ({ body: envelope({ user_id: 1, invitation_link: 'https://x.example/i' }) }),
        {
          env: { TTCTL_WORKSPACE: '' },
          stdin: '{"workspace_id":9,"firstname":"Ana","lastname":"Sousa","role":"Regular User"}',
        },
      );
      // Whether the address is a member already is looked for where it will be one.
      expect([exit, ...lines]).toEqual([
        0,
        expect.stringMatching(/^GET \/members\?(?=.*workspace_id=9)(?=.*email=ana%40example\.com)/),
        expect.stringMatching(/^POST \/members\?workspace_id=9 \{"workspace_id":9,/),
      ]);
    });
  });

  describe('a member by e-mail', () => {
    const ana = { id: 17, email: 'Ana@example.com', firstname: 'Ana', lastname: 'Sousa', status: 'active' };
    const lists =
      (...rows: readonly object[]) =>
      ({ line }: Recorded) => ({ body: line.startsWith('GET') ? onePage(rows) : envelope(null) });

    it('is looked up once a run', async () => {
      const line = 'members archive ana@example.com ana@example.com --yes --json';
      const { exit, stdout, lines } = await ask(line, lists(ana));
      expect(exit).toBe(0);
      expect(lines).toEqual([
        'GET /members?workspace_id=7&email=ana%40example.com&page=1&per_page=100',
        'DELETE /members/17?workspace_id=7 {"workspace_id":7}',
      ]);
      expect(JSON.parse(stdout)).toMatchObject([
        { target: 'ana@example.com', status: 'done', operation: 'members.archive' },
        { target: 'ana@example.com', status: 'skipped' },
      ]);
    });

    it('that matches none is exit 5, several exit 2 with the candidates', async () => {
      expect((await ask('members get no@example.com', lists())).exit).toBe(5);
      const { exit, stderr, lines } = await ask(
        'members get ana@example.com',
        lists(ana, { ...ana, id: 18 }),
      );
      expect([exit, lines.length]).toEqual([2, 1]);
      expect(stderr).toMatch(/17 {2}Ana Sousa[\s\S]*18 {2}Ana Sousa/);
    });
  });

  describe('a workspace by name', () => {
    const rows = ['Northwind', 'Twin', 'twin'].map((name, n) => ({
      id: 7 + n,
      workspace_name: name,
      role: 'Owner',
    }));
    const answer = ({ line }: Recorded) => ({ body: onePage(line === 'GET /workspaces' ? rows : []) });

    it('is looked up, whatever its case', async () => {
      const { exit, lines } = await ask('-w northwind members list', answer);
      expect([exit, ...lines]).toEqual([
        0,
        'GET /workspaces',
        'GET /members?workspace_id=7&page=1&per_page=100',
      ]);
    });

    it('is refused when it is ambiguous', async () => {
      const { exit, stderr } = await ask('-w Twin members list', answer);
      expect([exit, stderr]).toEqual([2, expect.stringMatching(/8 {2}Twin[\s\S]*9 {2}twin/)]);
    });
  });
});

describe('dry runs', () => {
  /** `--dry-run` of every command that has no operation of the API: settings, sign-ins, runs (README). */

  /** Each would change something if it were carried out. */
  const ACTS: readonly string[] = [
    'api PUT /members/17 --field weekly_hours_limit:=32',
    'workspaces use "Northwind Studio"',
    'history prune --older-than 1ms',
    'auth login --profile new --token-stdin --base-url BASE',
    'auth login --profile new --base-url BASE --client-id 12',
    'auth login --profile new --client-credentials --base-url BASE',
    'auth refresh --profile work',
    'auth logout --profile work',
    'profile set --profile new --workspace 7',
    'profile use work',
    'profile remove work',
  ];

  const t = useCli({
    service: (request) => ({
      body: readsList(request)
        ? onePage([{ id: 7, workspace_name: 'Northwind Studio' }])
        : envelope(ofRequest(request, { id: 17 })),
    }),
  });
  /** Two profiles that are signed in, and a run. */
  beforeEach(async () => {
    for (const name of ['default', 'work'])
      await t.read(`auth login --profile ${name} --token-stdin --base-url ${t.baseUrl}`, {
        env: { TTCTL_TOKEN: '' },
        stdin: 'secret-token',
      });
    await t.read('members restore 17 18 --workspace 7 --yes --json');
  });

  const filesIn = (root: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('.lock'))
        .map(({ parentPath, name }) => join(parentPath, name))
        .sort()
        .map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]),
    );

  describe('a dry run', () => {
    it.each(ACTS)('of %s changes nothing, starts nothing, and says so', async (line) => {
      const before = filesIn(t.folder);
      const sent = t.sent().length;
      const env = { TTCTL_TOKEN: '', TTCTL_BASE_URL: '', TTCTL_WORKSPACE: '' };
      const dry = (flags = '') =>
        t.run(`--dry-run ${flags} ${line.replace('BASE', t.baseUrl)}`, { env, stdin: 'secret-token' });
      const { exit, stdout, stderr } = await dry('--json');
      expect(exit, stderr).toBe(0);
      expect(JSON.stringify(JSON.parse(stdout))).toMatch(/"planned":true|"status":"planned"/);
      const read = await dry();
      expect(read.stdout).toMatch(/^planned\b|would PUT/m);
      expect(read.stderr).not.toMatch(/Try it|is now|not shown again/);
      expect(filesIn(t.folder)).toEqual(before);
      expect(t.sent()).toHaveLength(sent);
    });

    it.each([
      'sandbox reset --seed month-end',
      'sandbox exec -- touch FOLDER/ran',
      'sandbox clock advance 15d',
      'sandbox stop',
      'sandbox start --port 0 --detach',
      'sandbox token create --as nora@lindenhof.example',
    ])('of %s is refused, and nothing is done', async (line) => {
      const before = filesIn(t.folder);
      const env = { TTCTL_PROFILE: 'sandbox' };
      const { exit, stderr } = await t.run(`--dry-run ${line.replace('FOLDER', t.folder)}`, { env });
      expect([exit, stderr]).toEqual([2, expect.stringContaining('sandbox commands have no --dry-run')]);
      expect(filesIn(t.folder)).toEqual(before);
    });
  });
});
