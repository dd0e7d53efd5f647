import { describe, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary, startBinary } from './support/binary.ts';
import { compile, problemsOf } from './support/closed-schema.ts';
import { startListener } from './support/listener.ts';
import { lineFrom } from './support/reading.ts';
import { eventBody, post } from './support/webhook-sender.ts';

/** What test/schemas.test.ts cannot try in its own process: servers, listeners, and sign-ins at one. */

const schemaOf = async (home: Home, line: string) => {
  const { stdout } = await runBinary(['schema', ...line.split(' '), '--output-schema'], { env: home.env });
  return compile(JSON.parse(stdout));
};

const expectNamed = async (home: Home, line: string, printed: unknown): Promise<void> =>
  expect(problemsOf(await schemaOf(home, line), printed, line)).toEqual([]);

const runJson = async (home: Home, line: string, input = ''): Promise<Record<string, unknown>> => {
  const args = [...line.split(' '), '--json'];
  const { stdout, stderr, exit } = await runBinary(args, { env: home.env, input });
  expect(exit, stderr).toBe(0);
  return JSON.parse(stdout);
};

describe('the schemas name every key', () => {
  it('of a server, and of a sign-in at it', async () => {
    const home = cleanHome();
    const server = startBinary(['sandbox', 'start', '--port', '0', '--json'], { env: home.env });
    const ended = new Promise((resolve) => server.once('close', resolve));
    try {
      const [ready] = await lineFrom(server.stdout);
      const { base_url: base, token_url: tokenUrl } = JSON.parse(ready);
      await expectNamed(home, 'sandbox start', JSON.parse(ready));
      await expectNamed(home, 'sandbox env', await runJson(home, 'sandbox env'));
      const app = await runJson(home, 'sandbox app create --name Nightly --grant client-credentials');
      const login = `auth login --client-credentials --base-url ${base} --token-url ${tokenUrl} --client-id ${app['client_id']}`;
      const secret = String(app['client_secret']);
      await expectNamed(home, 'auth login', await runJson(home, `${login} --client-secret-stdin`, secret));
      await expectNamed(home, 'auth refresh', await runJson(home, 'auth refresh'));
    } finally {
      server.kill('SIGTERM');
      await ended;
      home.remove();
    }
  });

  it('of deliveries that are received and replayed', async () => {
    const home = cleanHome();
    const listener = await startListener(['--exec', 'exit 1', '--limit', '2'], home.env);
    for (const id of ['m1', 'm2']) await post(listener.url, eventBody('a'), { 'webhook-id': id });
    const rows = (await listener.lines(2)).map((line) => JSON.parse(line));
    await listener.ended;
    await expectNamed(home, 'webhooks listen', rows);
    await expectNamed(home, 'webhooks received', await runJson(home, 'webhooks received'));
    await expectNamed(home, 'webhooks replay', await runJson(home, 'webhooks replay m1 m2 --exec true'));
    home.remove();
  });
});
