import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from './support/process.ts';
import { post, signedHeaders, startListener } from './support/webhooks.ts';

/** The sandbox delivers, the listener receives: neither knows the other's code. */

let home: Home;
beforeEach(() => {
  home = cleanHome({ TTCTL_PROFILE: 'sandbox' });
});
afterEach(() => home.remove());

it('an event of a command arrives, signed with the token of the webhook', async () => {
  const { ended } = await startListener(
    ['--create', '--event', 'project.created', '--require-signature', '--limit', '1'],
    home.env,
  );
  await runBinary(['projects', 'create', '--name', 'Brücke'], { env: home.env });
  const { stdout, exit } = await ended;
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    event: 'project.created',
    signature: 'valid',
    payload: { event: 'project.created', data: { name: 'Brücke' } },
  });
  const left = await runBinary(['webhooks', 'list', '--output', 'json'], { env: home.env });
  expect(left.stdout).not.toContain('project.created');
});

it('S10 with --create what is not signed is refused, and what is signed in another format is not', async () => {
  const { url, ended } = await startListener(['--create', '--limit', '2'], home.env);
  expect((await post(url, '{}')).status).toBe(401);
  const forged = signedHeaders('{}', { id: 'x', key: 'another', seconds: Math.floor(Date.now() / 1000) });
  expect((await post(url, '{}', forged)).status).toBe(401);
  expect((await post(url, '{"n":1}', { 'x-signature': 'abc' })).status).toBe(200);
  await runBinary(['projects', 'create', '--name', 'Quay'], { env: home.env });
  const { stdout, exit, stderr } = await ended;
  expect(exit, stderr).toBe(0);
  const rows = stdout.trim().split('\n');
  expect(rows.map((row) => JSON.parse(row).signature)).toEqual(['none', 'valid']);
});

const DELIVERED = ['--event', 'project.created', '--require-signature', '--limit', '1'];

it('is judged by the clock of the sandbox, wherever that was moved to, and while it listens', async () => {
  const run = async (...args: string[]) => {
    const { exit, stderr } = await runBinary(args, { env: home.env });
    expect(exit, stderr).toBe(0);
  };
  await run('sandbox', 'clock', 'advance', '15d');
  const { ended } = await startListener(['--create', ...DELIVERED], home.env);
  await run('sandbox', 'clock', 'advance', '2h');
  await run('projects', 'create', '--name', 'Pier');
  const { stdout, exit } = await ended;
  expect([exit, JSON.parse(stdout).signature]).toEqual([0, 'valid']);
});

it('is judged by the clock of a sandbox server', async () => {
  const server = cleanHome();
  try {
    const run = (...args: string[]) => runBinary(args, { env: server.env });
    const started = await run('sandbox', 'start', '--detach', '--port', '0', '--json');
    expect(started.exit, started.stderr).toBe(0);
    const variables = JSON.parse((await run('sandbox', 'env', '--json')).stdout);
    await run('sandbox', 'clock', 'advance', '15d');
    const env = { ...server.env, ...variables };
    const { ended } = await startListener(['--create', ...DELIVERED], env);
    expect((await runBinary(['projects', 'create', '--name', 'Pier'], { env })).exit).toBe(0);
    const { stdout, exit, stderr } = await ended;
    expect([exit, JSON.parse(stdout).signature], stderr).toEqual([0, 'valid']);
  } finally {
    await runBinary(['sandbox', 'stop'], { env: server.env });
    server.remove();
  }
});
