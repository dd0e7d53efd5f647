import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { words } from '../support/in-process.ts';
import { runBinary } from '../support/process.ts';
import { openCli, type SandboxCli } from '../support/use-cli.ts';
import { CALLBACK } from './oauth-bench.ts';

/** `sandbox app …` and `sandbox start --auto-approve`. */

let sandbox: SandboxCli;
beforeAll(async () => {
  sandbox = await openCli({ sandbox: 'demo' });
});
afterAll(() => sandbox.close());

const create = 'sandbox app create --name Mine --redirect-uri';

it('an application is registered, and its secret told', async () => {
  const issued = await sandbox.json(words(`${create} ${CALLBACK}`));
  expect(issued).toEqual({
    client_id: expect.stringMatching(/^sbx_app_\w{20}$/),
    client_secret: expect.stringMatching(/^sbx_secret_\w{40}$/),
    name: 'Mine',
    grant: 'authorization-code',
    redirect_uri: CALLBACK,
    member: 'nora@lindenhof.example',
    created_at: expect.stringMatching(/Z$/),
  });
});

it.each([
  ['sandbox app create --redirect-uri http://127.0.0.1:9/', '--name', 2],
  ['sandbox app create --name X', '--redirect-uri', 2],
  ['sandbox app create --name X --grant implicit', 'authorization-code, client-credentials', 2],
  ['sandbox app create --name X --grant client-credentials --as mei@lindenhof.example', 'Owners', 4],
  [`${create} http://ana:hunter2@127.0.0.1:8484/callback`, 'must be a web address without a user name', 2],
  [`${create} ftp://127.0.0.1/`, 'must be a web address', 2],
])('%s: says %s', async (line, told, exit) => {
  const outcome = await sandbox.run(words(line));
  expect([outcome.exit, outcome.stderr]).toEqual([exit, expect.stringContaining(told)]);
  expect(outcome.stderr).not.toContain('hunter2');
});

describe('sandbox start --auto-approve', () => {
  it.each([
    ['mei@lindenhof.example', 4],
    ['nobody@x.example', 5],
  ])('is refused for %s before anything is served', async (email, exit) => {
    const args = ['sandbox', 'start', '--port', '0', '--auto-approve', email];
    expect((await runBinary(args, { env: { PATH: process.env.PATH ?? '', ...sandbox.env } })).exit).toBe(
      exit,
    );
  });
});
