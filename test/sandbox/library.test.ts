import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/library.ts';
import { until } from '../support/clocks.ts';
import { makeFolder } from '../support/folder.ts';
import { post, startReceiver } from '../support/webhooks.ts';

/** What a test of other people gets from `createSandbox`: requests in the process and at a port, and the control. */

const NOW = '2026-03-18T10:00:00.000Z';

/** A sandbox at NOW, whose clock stands still, closed after the test. */
const open = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const sandbox = await createSandbox({ now: NOW, frozen: true, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
};

const signIn = (sandbox: Sandbox) => ({
  ...{ authorization: `Bearer ${sandbox.token().token}`, 'content-type': 'application/json' },
});

/** `ask(sandbox, 'POST /projects', { name: 'Quay' })`, in the first workspace, as the owner. */
const ask = async (sandbox: Sandbox, line: string, body?: object, headers: object = signIn(sandbox)) => {
  const [method, path = ''] = line.split(' ');
  const { baseUrl, workspaceId: workspace_id } = sandbox;
  const url = `${baseUrl}${path}${path.includes('?') ? '&' : '?'}workspace_id=${workspace_id}`;
  const text = body && JSON.stringify({ workspace_id, ...body });
  const response = await sandbox.fetch(url, { method, headers: { ...headers }, ...(text && { body: text }) });
  // biome-ignore lint/suspicious/noExplicitAny: tests read literal answers
  const answer: any = await response.json();
  return { status: response.status, headers: response.headers, body: answer };
};

describe('a sandbox', () => {
  it('begins with the demo, at the machine’s time, with the documented limits', async () => {
    const before = Date.now();
    await using sandbox = await createSandbox();
    const { seed, now, workspaces } = await sandbox.control.status();
    expect([seed, workspaces[0]?.id]).toEqual(['demo', sandbox.workspaceId]);
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before);
    expect((await ask(sandbox, 'GET /members')).headers.get('x-ratelimit-remaining')).toBe('149');
  });

  it('begins with any seed: a name, the content of a file, a file', async () => {
    const seed = {
      workspace: 'Two of us',
      members: [
        { email: 'ana@two.example', firstname: 'Ana', lastname: 'Sousa', role: 'Owner' },
        { email: 'bo@two.example', firstname: 'Bo', lastname: 'Li', role: 'Regular User' },
      ],
    };
    const file = join(makeFolder(), 'two.json');
    writeFileSync(file, JSON.stringify(seed));
    const count = async (one: SandboxOptions['seed']) =>
      (await ask(await open({ seed: one ?? '' }), 'GET /members')).body.data.length;
    expect([await count(seed), await count(file), await count('big:7')]).toEqual([2, 2, 7]);
  });

  it('is the same for the same options, and another for another number', async () => {
    const story = async (seedNumber: number) => {
      const sandbox = await open({ seedNumber });
      const made = await ask(sandbox, 'POST /webhooks', { url: 'http://127.0.0.1:9/', events: ['x'] });
      const log = (await sandbox.control.log()).map(({ duration_ms: _, ...row }) => row);
      return { token: sandbox.token().token, made: made.body, log };
    };
    const [one, same, other] = [await story(7), await story(7), await story(8)];
    expect(one).toEqual(same);
    expect([other.token, other.made.data.id]).not.toEqual([one.token, one.made.data.id]);
  });

  it('speaks the dialect that it is asked for, as text or as an object', async () => {
    for (const dialect of ['invalid=422,pagination=top', { invalid: '422', pagination: 'top' }] as const) {
      const sandbox = await open({ dialect });
      expect((await ask(sandbox, 'GET /members')).body.pagination.total).toBe(14);
      expect((await ask(sandbox, 'GET /members?status=none')).status).toBe(422);
    }
  });

  it('keeps the limits of the service, and ends tokens, by its own clock', async () => {
    const sandbox = await open();
    const headers = signIn(sandbox);
    const list = () => ask(sandbox, 'GET /members', undefined, headers);
    for (let left = 150; left > 0; left -= 1) expect((await list()).status).toBe(200);
    expect((await list()).status).toBe(429);
    await sandbox.control.moveClock({ action: 'set', to_ms: Date.parse('2026-09-18T10:00:00Z') });
    expect((await list()).status).toBe(401);
  });

  it('has the control of the command line', async () => {
    const { control, ...sandbox } = await open();
    const { scopes, member } = sandbox.token({ scope: 'read' });
    expect({ scopes, member }).toEqual({ scopes: ['read'], member: 'nora@lindenhof.example' });
    expect(() => sandbox.token({ as: 'mei@lindenhof.example' })).toThrow('cannot have a token');
    await control.addFault({ operation: 'members list', status: 429, retry_after: 3 });
    await control.saveSnapshot({ name: 'one' });
    expect((await sandbox.fetch(`${sandbox.baseUrl}/members`)).headers.get('retry-after')).toBe('3');
    const [row] = await control.log();
    expect(row).toMatchObject({ route: 'GET /members', status: 429 });
    // Those after it; all where it is gone.
    expect(await control.log({ after: row?.id ?? '' })).toEqual([]);
    expect(await control.log({ after: 'gone' })).toHaveLength(1);
    expect(await control.diffSnapshot({ name: 'one' })).toEqual([]);
    expect((await control.reset({ seed: 'empty' })).seed).toBe('empty');
  });

  it('is not turned by the fake clock of a test', async () => {
    vi.useFakeTimers({ now: new Date('2000-01-01') });
    onTestFinished(() => void vi.useRealTimers());
    const sandbox = await open({ now: undefined, frozen: false } as SandboxOptions);
    await sandbox.control.addFault({ operation: 'members list', latency_ms: 5 });
    expect((await ask(sandbox, 'GET /members')).status).toBe(200);
    expect(new Date((await sandbox.control.clock()).now).getUTCFullYear()).toBeGreaterThan(2000);
  });

  it.each([
    [{ seed: 'dmeo' }, 'unknown seed: dmeo'],
    [{ seed: './no-such-file.json' }, 'cannot read the seed file ./no-such-file.json'],
    [{ dialect: { id: 'opaque' } }, 'unknown dialect: id'],
    [{ limits: 'of' }, 'unknown limits: of'],
    [{ seedNumber: 1.5 }, 'seedNumber must be a whole number: 1.5'],
    [{ now: 'noon' }, '"noon" is not a time'],
    [{ autoApprove: 'nobody@example.com' }, 'no user nobody@example.com'],
    [{ allowWebhooksTo: ['http://x'] }, '"http://x" is not a host'],
  ])('with %j is refused', async (options, message) => {
    await expect(createSandbox(options as SandboxOptions)).rejects.toThrow(message);
  });
});

/** The sandbox itself and a server of it, with the `fetch` for each. */
const both = async (sandbox: Sandbox) =>
  [
    [sandbox.baseUrl, sandbox.fetch],
    [(await sandbox.listen()).baseUrl, fetch],
  ] as const;

describe('fetch', () => {
  it('answers as a server does: reads, writes, refusals, unknown places', async () => {
    /** What a caller can see of an answer. */
    const see = ({ status, statusText, ok, url, headers }: Response) => {
      const names = ['content-type', 'date', 'location', 'retry-after', 'x-ratelimit-remaining'];
      const { pathname, search } = new URL(url);
      return { status, statusText, ok, pathname, search, told: names.map((name) => headers.get(name)) };
    };
    const sandbox = await open({ limits: 'off' });
    const headers = signIn(sandbox);
    const [{ id }] = (await ask(sandbox, 'GET /timesheets?status=submitted')).body.data;
    await sandbox.control.saveSnapshot({ name: 'before' });
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
    const answers: object[][] = [];
    for (const [baseUrl, send] of await both(sandbox)) {
      await sandbox.control.restoreSnapshot({ name: 'before' });
      const all: object[] = [];
      for (const [path, init] of cases) {
        const response = await send(`${baseUrl}${path}`, init);
        all.push({ ...see(response), text: await response.text() });
      }
      answers.push(all);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject([200, 200, 400, 401, 400, 404, 404].map((status) => ({ status })));
  });

  it('takes a Request, an address without a host, and any host', async () => {
    const sandbox = await open();
    const init = { headers: signIn(sandbox) };
    const path = `/api/v2/members?workspace_id=${sandbox.workspaceId}`;
    for (const asked of [path, new Request(`https://api.example.com${path}`, init)])
      expect((await sandbox.fetch(asked, init)).status).toBe(200);
  });

  it('fails as a cut connection does', async () => {
    const sandbox = await open({ limits: 'off' });
    const headers = signIn(sandbox);
    for (const [baseUrl, send] of await both(sandbox)) {
      const list = () => send(`${baseUrl}/members?workspace_id=${sandbox.workspaceId}`, { headers });
      await sandbox.control.addFault({ operation: 'members list', drop: 'before' });
      await sandbox.control.addFault({ operation: 'members list', body: 'truncated' });
      const cause = expect.objectContaining({ code: 'UND_ERR_SOCKET' });
      await expect(list()).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed', cause });
      const answer = await list();
      expect(answer.status).toBe(200);
      await expect(answer.json()).rejects.toMatchObject({ name: 'TypeError', message: 'terminated' });
    }
    await sandbox.control.addFault({ operation: 'members list', status: 304 });
    expect((await sandbox.fetch(`${sandbox.baseUrl}/members`)).body).toBeNull();
  });
});

describe('a server', () => {
  it('is the same sandbox, on this machine alone, and is closed with it', async () => {
    const sandbox = await open();
    const [server, second] = [await sandbox.listen({ port: 0 }), await sandbox.listen()];
    const { url } = server;
    expect(url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.baseUrl).toBe(`${url}/api/v2`);
    for (const { baseUrl } of [server, second]) {
      const answer = await fetch(`${baseUrl}/workspaces`, { headers: signIn(sandbox) });
      expect(answer.headers.get('date')).toBe(new Date(NOW).toUTCString());
    }
    expect(await sandbox.control.log()).toHaveLength(2);
    await expect(sandbox.listen({ port: server.port })).rejects.toThrow(/cannot listen on port \d+/);
    await server.close();
    await server.close();
    await expect(fetch(server.baseUrl)).rejects.toThrow();
    await sandbox.close();
    await expect(fetch(second.baseUrl)).rejects.toThrow();
    await expect(sandbox.listen()).rejects.toThrow('the sandbox was closed');
  });

  it('is controlled by who has its secret, and by no other site', async () => {
    const sandbox = await open();
    const { url, env } = await sandbox.listen();
    const { TTCTL_SANDBOX_SECRET: secret = '' } = env();
    const send = async (name: string, more: object, body = '{}') =>
      (await post(`${url}/_sandbox/${name}`, body, { 'x-sandbox-secret': secret, ...more })).status;
    for (const name of ['reset', 'createToken', 'stop'])
      for (const wrong of ['', 'A-secret']) expect(await send(name, { 'x-sandbox-secret': wrong })).toBe(403);
    expect(await send('reset', { origin: 'https://evil.example' })).toBe(403);
    expect(await send('reset', { host: 'evil.example' })).toBe(421);
    expect(await send('reset', {}, '{')).toBe(400);
    expect(await send('other', {})).toBe(404);
    expect(await send('reset', {})).toBe(200);
    expect((await fetch(`${url}/_sandbox/status`)).status).toBe(200);
  });

  it('refuses a foreign Host and a body that is too large', async () => {
    const { baseUrl, port } = await (await open()).listen();
    const send = async (body: string, more = {}) => (await post(`${baseUrl}/members`, body, more)).status;
    expect(await send('{}', { host: 'evil.example' })).toBe(421);
    expect(await send('{}', { host: `localhost:${port}` })).toBe(401);
    expect(await send('x'.repeat(1_048_577))).toBe(413);
  });

  it('reads a body that comes in pieces, and lives on after a request that is never whole', async () => {
    const sandbox = await open();
    const { baseUrl, port } = await sandbox.listen();
    const half = 'POST /api/v2/members HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc';
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(half, () => socket.destroy()));
      socket.on('close', () => resolve());
    });
    const body = new ReadableStream({
      pull(stream) {
        stream.enqueue(Buffer.from(`{"workspace_id":${sandbox.workspaceId},`));
        stream.enqueue(Buffer.from('"weekly_hours_limit":"é"}'));
        stream.close();
      },
    });
    const init = { method: 'PUT', headers: signIn(sandbox), body, duplex: 'half' as const };
    const answer = await fetch(`${baseUrl}/members/102`, init);
    expect(await answer.text()).toContain('The weekly_hours_limit field must be an integer');
  });
});

describe('webhooks', () => {
  it('are sent in the order of events, tried again by the clock that is moved, left where it is closed', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const sandbox = await open({ limits: 'off' });
    const { control } = sandbox;
    const create = (name: string) => ask(sandbox, 'POST /projects', { name });
    const names = () => receiver.received.map(({ body }) => JSON.parse(body).data.name);
    await ask(sandbox, 'POST /webhooks', { url: receiver.url, events: ['project.created'] });
    const first = Array.from({ length: 12 }, (_, n) => `P${n}`);
    for (const name of first) await create(name);
    await until(() => receiver.received.length === 12);
    expect(names()).toEqual(first);
    receiver.answer = 503;
    await create('New roof');
    const again = { status: 'pending', next_attempt_at: '2026-03-18T10:00:05.000Z', attempts: 1 };
    await expect.poll(async () => (await control.deliveries({}))[0]).toMatchObject(again);
    receiver.answer = 200;
    await control.moveClock({ action: 'advance', by_ms: 5000 });
    const delivered = { status: 'delivered', attempts: 2 };
    await expect.poll(async () => (await control.deliveries({}))[0]).toMatchObject(delivered);
    receiver.answer = undefined;
    await create('New door');
    await until(() => receiver.received.length === 15);
    expect(names().slice(12)).toEqual(['New roof', 'New roof', 'New door']);
    await sandbox.close();
    expect((await control.deliveries({}))[0]).toMatchObject({ status: 'pending', attempts: 0 });
  });
});
