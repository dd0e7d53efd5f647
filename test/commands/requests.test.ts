import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { envelope, ofRequest, onePage, readsList } from '../support/service.ts';
import { ask, openCli, useCli } from '../support/use-cli.ts';

/** What every request carries, and what a dry run sends: nothing. */

it('every request carries the bearer token, asks for JSON and says how long its body is', async () => {
  const t = await openCli();
  await t.run('members restore 17');
  expect(t.requests.at(-1)?.headers).toMatchObject({
    authorization: 'Bearer token-of-the-test',
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': '18',
  });
});

it('--input may bring what a flag would have brought, and its own workspace', async () => {
  const body = { workspace_id: 9, firstname: 'Ana', lastname: 'Sousa', role: 'Regular User' };
  const { exit, lines } = await ask('members invite ana@example.com --input -', undefined, {
    env: { TTCTL_WORKSPACE: '' },
    stdin: JSON.stringify(body),
  });
  // Whether the address is a member already is looked for where it will be one.
  expect([exit, ...lines]).toEqual([
    0,
    'GET /members?workspace_id=9&email=ana%40example.com&page=1&per_page=100',
    expect.stringMatching(/^POST \/members\?workspace_id=9 \{"workspace_id":9,/),
  ]);
});

describe('a dry run of what has no operation of the API', () => {
  const t = useCli({
    service: (request) => ({
      body: readsList(request)
        ? onePage([{ id: 7, workspace_name: 'Northwind Studio' }])
        : envelope(ofRequest(request, { id: 17 })),
    }),
  });
  /** Two profiles that are signed in, and a run. */
  beforeEach(async () => {
    const more = { env: { TTCTL_TOKEN: '' }, stdin: 'secret-token' };
    for (const name of ['default', 'work'])
      await t.read(`auth login --profile ${name} --token-stdin --base-url ${t.baseUrl}`, more);
    await t.read('members restore 17 18 --workspace 7 --yes --json');
  });
  const readFiles = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(t.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('.lock'))
        .map(({ parentPath, name }) => [
          join(parentPath, name),
          readFileSync(join(parentPath, name), 'utf8'),
        ]),
    );

  it.each([
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
  ])('of %s changes nothing, starts nothing, and says so', async (line) => {
    const [before, sent] = [readFiles(), t.sent().length];
    const env = { TTCTL_TOKEN: '', TTCTL_BASE_URL: '', TTCTL_WORKSPACE: '' };
    const dry = `--dry-run ${line.replace('BASE', t.baseUrl)}`;
    const planned = await t.rows(dry, { env, stdin: 'secret-token' });
    expect(JSON.stringify(planned)).toMatch(/"planned":true|"status":"planned"/);
    const { exit, stdout, stderr } = await t.run(dry, { env, stdin: 'secret-token' });
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^planned\b|would PUT/m)]);
    expect(stderr).not.toMatch(/Try it|is now|not shown again/);
    expect([readFiles(), t.sent().length]).toEqual([before, sent]);
  });

  it.each([
    'sandbox reset --seed month-end',
    'sandbox exec -- touch DIR/ran',
    'sandbox clock advance 15d',
    'sandbox stop',
    'sandbox start --port 0 --detach',
    'sandbox token create --as nora@lindenhof.example',
  ])('of %s is refused, and nothing is done', async (line) => {
    const before = readFiles();
    const env = { TTCTL_PROFILE: 'sandbox' };
    const { exit, stderr } = await t.run(`--dry-run ${line.replace('DIR', t.folder)}`, { env });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('sandbox commands have no --dry-run')]);
    expect(readFiles()).toEqual(before);
  });
});
