import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRemoteControl } from '../../src/sandbox/control-client.ts';
import { type ListeningSocket, listenOnSocket } from '../../src/sandbox/listen.ts';
import { type OpenSandbox, openSandbox } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { createMemoryState, type MemoryState } from '../../src/sandbox/state-access.ts';
import type { World } from '../../src/sandbox/world.ts';
import { NOW } from './bench.ts';
import { CALLBACK } from './oauth-bench.ts';

/** OAuth2 on a socket, and the control of its applications from afar. */

let server: ListeningSocket;
let hosted: OpenSandbox<MemoryState>;
let saved: World | undefined;
let root: string;

let drawn: number;
/** Nobody waits, and nothing is cut for being slow. */
const clock = {
  now: () => NOW,
  sleep: () => new Promise<void>(() => {}),
  random: () => {
    drawn = (drawn * 48271) % 2147483647;
    return drawn / 2147483647;
  },
};

beforeEach(async () => {
  drawn = 1;
  const state = createMemoryState(await createSeed('demo', { now: NOW }), (world) => {
    saved = structuredClone(world);
  });
  hosted = openSandbox({ state, clock, autoApprove: 'nora@lindenhof.example' });
  server = await listenOnSocket(hosted, { port: 0, clock, secret: 'a-secret' });
  root = `http://127.0.0.1:${server.port}`;
});
afterEach(() => server.close());

const authorize = async (): Promise<string> => {
  const query = new URLSearchParams({
    client_id: 'sbx_app_demo',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'read write',
  });
  const answer = await fetch(`${root}/oauth/authorize?${query}`, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
};

const token = async (fields: Record<string, string>) => {
  const body = new URLSearchParams({
    client_id: 'sbx_app_demo',
    client_secret: 'sbx_secret_demo',
    ...fields,
  });
  const answer = await fetch(`${root}/oauth/token`, { method: 'POST', body });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
};

describe('OAuth2 on a socket', () => {
  it('signs in with the application of the demo, refreshes, and calls the API', async () => {
    const code = await authorize();
    expect(saved?.oauth?.codes[code]?.spent).toBe(false);
    const first = await token({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
    expect(first.status).toBe(200);
    expect(saved?.oauth?.codes[code]?.spent).toBe(true);
    const refresh_token = first.body['refresh_token'] ?? '';
    const all = await Promise.all(
      Array.from({ length: 8 }, () => token({ grant_type: 'refresh_token', refresh_token })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
    const access = all.find(({ status }) => status === 200)?.body['access_token'];
    const members = await fetch(`${root}/api/v2/members?workspace_id=101`, {
      headers: { authorization: `Bearer ${access}` },
    });
    expect(members.status).toBe(200);
    expect((await createRemoteControl(root, 'a-secret').status()).token_requests).toEqual({
      authorization_code: 1,
      refresh_token: 8,
      client_credentials: 0,
    });
    const log = await hosted.control.log();
    expect(log.slice(0, 2).map(({ route }) => route)).toEqual(['GET /oauth/authorize', 'POST /oauth/token']);
  });

  it('refuses a foreign Host', async () => {
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const headers = { host: 'evil.example' };
      request(`${root}/oauth/authorize`, { headers }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(421);
  });

  it('begins again with a reset', async () => {
    const code = await authorize();
    await createRemoteControl(root, 'a-secret').reset({ seed: 'demo' });
    const answer = await token({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
    expect(answer.body['error']).toBe('invalid_grant');
  });
});

describe('applications', () => {
  it('are registered and listed from afar; the secret is told once', async () => {
    const control = createRemoteControl(root, 'a-secret');
    const issued = await control.createApp({ name: ' My app ', redirect_uri: 'http://127.0.0.1:9/cb' });
    expect(issued).toEqual({
      client_id: expect.stringMatching(/^sbx_app_\w{20}$/),
      client_secret: expect.stringMatching(/^sbx_secret_\w{40}$/),
      name: 'My app',
      grant: 'authorization-code',
      redirect_uri: 'http://127.0.0.1:9/cb',
      member: 'nora@lindenhof.example',
      created_at: '2026-03-18T10:00:00.000Z',
    });
    const rows = await control.apps();
    expect(rows.map(({ name }) => name)).toEqual(['ttctl', 'My app']);
    expect(JSON.stringify(rows)).not.toContain('secret');
    expect(saved?.oauth?.apps[issued.client_id]?.client_secret).toBe(issued.client_secret);
  });

  it('need the secret of the server, and a loopback page', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${root}/_sandbox/createApp`, { method: 'POST', headers, body: '{"name":"x"}' });
    expect((await post({})).status).toBe(403);
    expect((await post({ 'x-sandbox-secret': 'a-secret', origin: 'https://evil.example' })).status).toBe(403);
    expect(
      (await fetch(`${root}/_sandbox/apps`, { headers: { origin: 'https://evil.example' } })).status,
    ).toBe(403);
  });

  it.each([
    [{ name: ' ', redirect_uri: CALLBACK }, 2],
    [{ name: 'x'.repeat(101), redirect_uri: CALLBACK }, 2],
    [{ name: 'X' }, 2],
    [{ name: 'X', redirect_uri: 'callback' }, 2],
    [{ name: 'X', redirect_uri: 'javascript:alert(1)' }, 2],
    [{ name: 'X', redirect_uri: `${CALLBACK}#x` }, 2],
    [{ name: 'X', redirect_uri: 'http://ana:hunter2@127.0.0.1:8484/callback' }, 2],
    [{ name: 'X', redirect_uri: 'http://127.0.0.1:0/callback' }, 2],
    [{ name: 'X', redirect_uri: 'http://127.0.0.1:8484/größe' }, 2],
    [{ name: 'X', redirect_uri: `${CALLBACK}/\r\nx: y` }, 2],
    [{ name: 'X', redirect_uri: CALLBACK, grant: 'password' }, 2],
    [{ name: 'X', redirect_uri: CALLBACK, as: 'nobody@x.example' }, 5],
    [{ name: 'X', redirect_uri: CALLBACK, as: 'mei@lindenhof.example' }, 4],
  ])('%j is refused with exit %i', async (wish, exit) => {
    await expect(createRemoteControl(root, 'a-secret').createApp(wish)).rejects.toMatchObject({ exit });
    expect(await createRemoteControl(root, 'a-secret').apps()).toHaveLength(1);
  });
});
