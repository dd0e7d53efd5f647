import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxControl } from '../../src/sandbox/control.ts';
import { type ListeningSocket, listenOnSocket } from '../../src/sandbox/listen.ts';
import { createOAuthHost } from '../../src/sandbox/oauth.ts';
import { type OpenSandbox, open } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { createMemoryStore, type MemoryStore } from '../../src/sandbox/state.ts';
import { createRemoteControl } from '../../src/sandbox-host/host.ts';
import { NOW } from './bench.ts';

let server: ListeningSocket;
let hosted: OpenSandbox<MemoryStore>;
let control: SandboxControl;
let saved: number;
let stopped: boolean;

/** Nobody waits, and nothing is cut for being slow. */
const clock = { now: () => NOW, sleep: () => new Promise<void>(() => {}), random: () => 0.5 };

beforeEach(async () => {
  saved = 0;
  stopped = false;
  const store = createMemoryStore(await createSeed('demo', { now: NOW }), () => {
    saved += 1;
  });
  hosted = open({
    ...{ store, clock, oauth: createOAuthHost() },
    stop: async () => {
      stopped = true;
    },
  });
  server = await listenOnSocket(hosted, 0, clock);
  control = createRemoteControl(`http://127.0.0.1:${server.port}`, server.secret);
});
afterEach(() => server.close());

const issue = () => control.createToken({ as: 'nora@lindenhof.example', scopes: ['read', 'write'] });

const ask = (
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    // Node sends the body of a DELETE unframed unless its length is told.
    const length = String(Buffer.byteLength(body));
    const all = { connection: 'close', 'content-length': length, ...headers };
    const outgoing = request(
      { port: server.port, host: '127.0.0.1', path, method, headers: all },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }));
      },
    );
    outgoing.on('error', reject).end(body);
  });

describe('listen', () => {
  it('answers under the base path, and nowhere else', async () => {
    const { token } = await issue();
    const authorization = `Bearer ${token}`;
    const answer = await ask('/api/v2/members?workspace_id=101&status=inactive', {
      headers: { authorization },
    });
    expect(JSON.parse(answer.body).data).toHaveLength(1);
    expect((await ask('/members', { headers: { authorization } })).status).toBe(404);
    expect((await ask('/api/v2x/members', { headers: { authorization } })).status).toBe(404);
    expect((await ask('/api/v2/members?workspace_id=101')).status).toBe(401);
  });

  it('saves after a write that succeeded', async () => {
    const { token } = await issue();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const before = saved;
    await ask('/api/v2/workspaces', { headers });
    await ask('/api/v2/members/1', { method: 'DELETE', headers, body: '{"workspace_id":101}' });
    expect(saved).toBe(before);
    const id = Object.keys(hosted.store.world().spaces['101']?.webhooks ?? {})[0];
    await ask(`/api/v2/webhooks/${id}`, { method: 'DELETE', headers, body: '{"workspace_id":101}' });
    expect(saved).toBe(before + 1);
  });

  it('refuses a foreign Host, a body that is too large, and a second server on the port', async () => {
    expect((await ask('/api/v2/members', { headers: { host: 'evil.example' } })).status).toBe(421);
    expect((await ask('/api/v2/members', { headers: { host: `localhost:${server.port}` } })).status).toBe(
      401,
    );
    expect((await ask('/api/v2/members', { method: 'POST', body: 'x'.repeat(1_048_577) })).status).toBe(413);
    await expect(listenOnSocket(hosted, server.port, clock)).rejects.toMatchObject({
      code: 'port_unavailable',
    });
  });

  it('reads a body that comes in pieces, its length not told', async () => {
    const { token } = await issue();
    const text = await new Promise<string>((resolve, reject) => {
      const head = `PUT /api/v2/members/102 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close`;
      const pieces = ['{"workspace_id":101,', '"weekly_hours_limit":"é"}'];
      const chunks = pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
      const socket = connect(server.port, '127.0.0.1');
      let got = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        got += part;
      });
      socket.on('error', reject).on('close', () => resolve(got));
      socket.write(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks[0]}`, () => {
        socket.write(`${chunks[1]}0\r\n\r\n`);
      });
    });
    expect(text).toContain('The weekly_hours_limit field must be an integer');
  });

  it('answers on one connection several times, and lives on after one that breaks', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1');
      let got = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        got += part;
        if (got.split('HTTP/1.1 401').length === 3) socket.destroy();
      });
      socket.on('error', reject).on('close', () => resolve(got));
      socket.write('GET /api/v2/members HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2));
    });
    expect(text.match(/HTTP\/1\.1 401/g)).toHaveLength(2);
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(
          'POST /api/v2/members HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc',
          () => {
            socket.destroy();
            resolve();
          },
        );
      });
    });
    expect((await ask('/api/v2/members')).status).toBe(401);
  });
});

describe('controls', () => {
  it('tell, reset, issue and stop from afar, and pass failures on', async () => {
    const status = { kind: 'server', running: true, seed: 'demo', state: null };
    expect(await control.status()).toMatchObject(status);
    await expect(control.reset({ seed: 'dmeo' })).rejects.toMatchObject({
      exit: 2,
      hint: expect.stringMatching(/demo/),
    });
    expect(await control.reset({ seed: 'empty' })).toMatchObject({ seed: 'empty' });
    expect(hosted.store.world().seed).toBe('empty');
    const { scopes } = await control.createToken({ as: 'owner@new.example', scopes: ['read'] });
    expect(scopes).toEqual(['read']);
    await control.stop();
    expect(stopped).toBe(true);
  });

  it('need the secret to change anything, and refuse other sites', async () => {
    const origin = 'https://evil.example';
    expect((await ask('/_sandbox/status')).status).toBe(200);
    expect((await ask('/_sandbox/status', { headers: { origin } })).status).toBe(403);
    expect((await ask('/_sandbox/status', { headers: { host: 'evil.example' } })).status).toBe(421);
    for (const name of ['reset', 'createToken', 'stop']) {
      expect((await ask(`/_sandbox/${name}`, { method: 'POST', body: '{}' })).status).toBe(403);
      const headers = { 'x-sandbox-secret': 'A-secret' };
      expect((await ask(`/_sandbox/${name}`, { method: 'POST', headers, body: '{}' })).status).toBe(403);
    }
    const headers = { 'x-sandbox-secret': server.secret };
    expect((await ask('/_sandbox/reset', { method: 'POST', headers, body: '{' })).status).toBe(400);
    expect((await ask('/_sandbox/other', { method: 'POST', headers, body: '{}' })).status).toBe(404);
    expect(stopped).toBe(false);
  });

  it('are answered on the port as in the process', async () => {
    await control.addFault({ operation: 'members list', status: 500, times: 2 });
    await control.saveSnapshot({ name: 'one' });
    await control.moveClock({ action: 'advance', by_ms: 60_000 });
    await control.trigger({ event: 'project.created', data: { size: 1 } });
    for (const [name, args] of [
      ['clock', {}],
      ['faults', {}],
      ['log', { after: undefined }],
      ['deliveries', { status: 'refused' }],
      ['snapshots', {}],
      ['diffSnapshot', { name: 'one' }],
    ] as const) {
      const call = (of: SandboxControl) => (of[name] as (args: object) => Promise<unknown>)(args);
      expect(await call(control), name).toEqual(await call(hosted.control));
    }
    expect(await control.status()).toMatchObject(await hosted.control.status());
    expect(await control.faults()).toMatchObject([{ route: 'GET /members', left: 2, status: 500 }]);
  });

  it('say when nobody answers', async () => {
    await server.close();
    await expect(control.status()).rejects.toMatchObject({ exit: 7 });
  });
});
