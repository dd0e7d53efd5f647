import { describe, expect, it } from 'vitest';
import type { Sandbox, SandboxServer } from '../../../src/sandbox/library/types.ts';
import { until } from '../../support/turned-clock.ts';
import { first, NOW, open, sheets } from './open.ts';

/** `sandbox.fetch` beside the global `fetch` at a server of the same sandbox: callers see no difference. */

const both = async (sandbox: Sandbox): Promise<[string, Sandbox | SandboxServer, typeof fetch][]> => {
  const server = await sandbox.listen();
  return [
    ['in the process', sandbox, sandbox.fetch],
    ['over a socket', server, fetch],
  ];
};

/** What a caller can see of an answer. */
const seen = async (answer: Promise<Response>) => {
  const response = await answer;
  const { status, statusText, ok, url, headers } = response;
  const names = ['content-type', 'date', 'location', 'retry-after', 'x-ratelimit-remaining'];
  const kept = Object.fromEntries(names.map((name) => [name, headers.get(name)]));
  const { pathname, search } = new URL(url);
  return { status, statusText, ok, place: pathname + search, kept, body: await response.text() };
};

const thrown = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error)) return error;
    const cause =
      error.cause instanceof Error ? Object.entries(error.cause).flat().includes('UND_ERR_SOCKET') : null;
    return { name: error.name, message: error.message, closed: cause };
  }
  return 'nothing was thrown';
};

describe('fetch', () => {
  it('answers as a server does: reads, writes, refusals, unknown places', async () => {
    const sandbox = await open({ limits: 'off' });
    const headers = { authorization: `Bearer ${sandbox.token().token}`, 'content-type': 'application/json' };
    const id = first(sheets(sandbox, 'submitted'));
    const before = sandbox.snapshot();
    const workspace_id = sandbox.workspaceId;
    const write = { method: 'PUT', headers, body: JSON.stringify({ workspace_id }) };
    const cases: [string, RequestInit][] = [
      [`/members?workspace_id=${workspace_id}&status=active&per_page=3`, { headers }],
      [`/timesheets/${id}/approve`, write],
      [`/timesheets/${id}/approve`, write],
      [`/members?workspace_id=${workspace_id}`, {}],
      ['/members', { headers, method: 'POST', body: 'no json' }],
      ['/nowhere%2F', { headers }],
      ['x/../../../elsewhere', { headers }],
    ];
    const answers: unknown[] = [];
    for (const [, { baseUrl }, send] of await both(sandbox)) {
      sandbox.restore(before);
      const all: unknown[] = [];
      for (const [path, init] of cases) all.push(await seen(send(`${baseUrl}${path}`, init)));
      answers.push(all);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject([
      { status: 200, kept: { date: 'Wed, 18 Mar 2026 10:00:00 GMT', 'content-type': 'application/json' } },
      { status: 200 },
      { status: 400 },
      { status: 401 },
      { status: 400 },
      { status: 404 },
      { status: 404 },
    ]);
  });

  it('takes a Request, a URL, an address without a host, and any host', async () => {
    const sandbox = await open();
    const headers = { authorization: `Bearer ${sandbox.token().token}` };
    const path = `/api/v2/members?workspace_id=${sandbox.workspaceId}`;
    const asked = [
      sandbox.fetch(path, { headers }),
      sandbox.fetch(new URL(path, 'https://api.example.com'), { headers }),
      sandbox.fetch(new Request(`https://api.example.com${path}`, { headers })),
      sandbox.fetch(new Request(`https://api.example.com${path}`), { headers }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('fails as a cut connection does', async () => {
    const sandbox = await open({ limits: 'off' });
    const headers = { authorization: `Bearer ${sandbox.token().token}` };
    for (const [where, { baseUrl }, send] of await both(sandbox)) {
      const ask = () => send(`${baseUrl}/members?workspace_id=${sandbox.workspaceId}`, { headers });
      sandbox.faults.add('members list', { drop: 'before' });
      sandbox.faults.add('members list', { body: 'truncated' });
      expect(await thrown(ask), where).toEqual({ name: 'TypeError', message: 'fetch failed', closed: true });
      const answer = await ask();
      expect(answer.status).toBe(200);
      expect(await thrown(() => answer.json()), where).toMatchObject({
        name: 'TypeError',
        message: 'terminated',
      });
    }
  });

  it('is aborted while it waits, and before it begins', async () => {
    const sandbox = await open();
    const init = { headers: { authorization: `Bearer ${sandbox.token().token}` } };
    const url = `${sandbox.baseUrl}/members?workspace_id=${sandbox.workspaceId}`;
    sandbox.faults.add('members list', { latency: '1h' });
    const controller = new AbortController();
    const late = sandbox.fetch(url, { ...init, signal: controller.signal });
    const aborted = expect(late).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => sandbox.log().length === 1);
    controller.abort();
    await aborted;
    expect(sandbox.log()).toHaveLength(1);
    await expect(sandbox.fetch(url, { ...init, signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(sandbox.log()).toHaveLength(1);
  });

  it('ends what waits when the sandbox is closed', async () => {
    const sandbox = await open();
    sandbox.faults.add('members list', { latency: '1h' });
    const late = sandbox.fetch(`${sandbox.baseUrl}/members`);
    const ended = expect(late).rejects.toThrow('the sandbox was closed');
    await until(() => sandbox.log().length === 1);
    await sandbox.close();
    await ended;
  });

  it('gives answers without a body where HTTP has none', async () => {
    const sandbox = await open();
    sandbox.faults.add('members list', { status: 304 });
    const answer = await sandbox.fetch(`${sandbox.baseUrl}/members`);
    expect([answer.status, answer.body]).toEqual([304, null]);
  });

  it('signs in by OAuth2, and returns redirects in place of following them', async () => {
    const sandbox = await open({ autoApprove: 'nora@lindenhof.example' });
    const redirectUri = 'https://app.example.com/callback';
    const app = sandbox.application({ name: 'Payroll', redirectUri });
    const wish = { response_type: 'code', client_id: app.client_id, redirect_uri: redirectUri, state: 's1' };
    const page = await sandbox.fetch(`${sandbox.authUrl}/oauth/authorize?${new URLSearchParams(wish)}`);
    expect(page.status).toBe(302);
    const location = new URL(page.headers.get('location') ?? '');
    expect(location.searchParams.get('state')).toBe('s1');
    const granted = await sandbox.fetch(`${sandbox.tokenUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: location.searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        client_id: app.client_id,
        client_secret: app.client_secret,
      }),
    });
    expect(await granted.json()).toMatchObject({ token_type: 'Bearer', expires_in: 1_296_000 });
  });
});

describe('a server', () => {
  it('is the same sandbox, on this machine alone, and is closed with it', async () => {
    const sandbox = await open();
    const server = await sandbox.listen({ port: 0 });
    const second = await sandbox.listen();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server).toMatchObject({
      baseUrl: `${server.url}/api/v2`,
      authUrl: server.url,
      tokenUrl: server.url,
    });
    const headers = { authorization: `Bearer ${sandbox.token().token}` };
    for (const { baseUrl } of [server, second]) {
      const answer = await fetch(`${baseUrl}/workspaces`, { headers });
      expect(answer.headers.get('date')).toBe(new Date(NOW).toUTCString());
    }
    expect(sandbox.log()).toHaveLength(2);
    await expect(sandbox.listen({ port: server.port })).rejects.toThrow(
      /cannot listen on port \d+.*EADDRINUSE/,
    );
    await server.close();
    await server.close();
    await expect(fetch(server.baseUrl)).rejects.toThrow();
    await sandbox.close();
    await expect(fetch(second.baseUrl)).rejects.toThrow();
    await expect(sandbox.listen()).rejects.toThrow('the sandbox was closed');
  });

  it('is controlled from afar only by who has its secret', async () => {
    const sandbox = await open();
    const server = await sandbox.listen();
    const env = server.env();
    const move = (secret: string) =>
      fetch(`${server.url}/_sandbox/clock`, {
        method: 'POST',
        headers: { 'x-sandbox-secret': secret },
        body: JSON.stringify({ action: 'advance', by_ms: 1000 }),
      });
    expect((await move('guess')).status).toBe(403);
    expect((await move(env.TTCTL_SANDBOX_SECRET ?? '')).status).toBe(200);
    expect(sandbox.clock.state().now).toBe('2026-03-18T10:00:01.000Z');
    expect((await open().then((other) => other.listen())).env().TTCTL_SANDBOX_SECRET).not.toBe(
      env.TTCTL_SANDBOX_SECRET,
    );
  });
});
