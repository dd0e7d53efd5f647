import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxControl } from '../../src/sandbox/control.ts';
import { type ListeningSocket, listenOnSocket } from '../../src/sandbox/listen.ts';
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
  const stop = async () => {
    stopped = true;
  };
  hosted = open({ store, clock, stop });
  server = await listenOnSocket(hosted, 0, clock);
  control = createRemoteControl(server.url, server.secret);
});
afterEach(() => server.close());

const issue = () => control.createToken({ as: 'nora@lindenhof.example', scopes: ['read', 'write'] });

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const ask = (path: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    // Node sends the body of a DELETE unframed unless its length is told.
    const all = { connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers };
    const outgoing = request(`${server.url}${path}`, { method, headers: all }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }));
    });
    outgoing.on('error', reject).end(body);
  });

/** What comes back on a socket of its own until the other side ends it. */
const speak = (...parts: readonly string[]) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    let got = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      got += part;
    });
    socket.on('error', reject).on('close', () => resolve(got));
  });

describe('listen', () => {
  it('answers under the base path, and nowhere else', async () => {
    const headers = { authorization: `Bearer ${(await issue()).token}` };
    const answer = await ask('/api/v2/members?workspace_id=101&status=inactive', { headers });
    expect(JSON.parse(answer.body).data).toHaveLength(1);
    for (const path of ['/members', '/api/v2x/members', '/oauth/token'])
      expect((await ask(path, { headers })).status).toBe(404);
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
    const own = { host: `localhost:${server.port}` };
    expect((await ask('/api/v2/members', { headers: own })).status).toBe(401);
    expect((await ask('/api/v2/members', { method: 'POST', body: 'x'.repeat(1_048_577) })).status).toBe(413);
    const second = listenOnSocket(hosted, server.port, clock);
    await expect(second).rejects.toMatchObject({ code: 'port_unavailable' });
  });

  it('reads a body that comes in pieces, and lives on after a request that is never whole', async () => {
    const { token } = await issue();
    const head = `PUT /api/v2/members/102 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close`;
    const pieces = ['{"workspace_id":101,', '"weekly_hours_limit":"é"}'];
    const chunks = pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
    const text = await speak(
      `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks[0]}`,
      `${chunks[1]}0\r\n\r\n`,
    );
    expect(text).toContain('The weekly_hours_limit field must be an integer');
    const half = 'POST /api/v2/members HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc';
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write(half, () => socket.destroy()));
      socket.on('close', () => resolve());
    });
    expect((await ask('/api/v2/members')).status).toBe(401);
  });
});

describe('controls', () => {
  it('tell, reset, issue and stop from afar, and pass failures on', async () => {
    const status = { kind: 'server', running: true, seed: 'demo', state: null };
    expect(await control.status()).toMatchObject(status);
    const unknown = { exit: 2, hint: expect.stringMatching(/demo/) };
    await expect(control.reset({ seed: 'dmeo' })).rejects.toMatchObject(unknown);
    expect(await control.reset({ seed: 'empty' })).toMatchObject({ seed: 'empty' });
    expect(hosted.store.world().seed).toBe('empty');
    const { scopes } = await control.createToken({ as: 'owner@new.example', scopes: ['read'] });
    expect(scopes).toEqual(['read']);
    await control.addFault({ operation: 'members list', status: 500, times: 2 });
    await control.saveSnapshot({ name: 'one' });
    // With what is sent in a query, too.
    for (const [name, args] of [
      ['faults', {}],
      ['log', { after: undefined }],
      ['diffSnapshot', { name: 'one' }],
    ] as const) {
      const call = (of: SandboxControl) => (of[name] as (args: object) => Promise<unknown>)(args);
      expect(await call(control), name).toEqual(await call(hosted.control));
    }
    await control.stop();
    expect(stopped).toBe(true);
    await server.close();
    await expect(control.status()).rejects.toMatchObject({ exit: 7 });
  });

  it('need the secret to change anything, and refuse other sites', async () => {
    const post = async (name: string, secret?: string, body = '{}') => {
      const headers: Record<string, string> = secret === undefined ? {} : { 'x-sandbox-secret': secret };
      return (await ask(`/_sandbox/${name}`, { method: 'POST', headers, body })).status;
    };
    const look = async (headers: Record<string, string>) =>
      (await ask('/_sandbox/status', { headers })).status;
    expect(await look({})).toBe(200);
    expect(await look({ origin: 'https://evil.example' })).toBe(403);
    expect(await look({ host: 'evil.example' })).toBe(421);
    for (const name of ['reset', 'createToken', 'stop'])
      expect([await post(name), await post(name, 'A-secret')]).toEqual([403, 403]);
    expect(await post('reset', server.secret, '{')).toBe(400);
    expect(await post('other', server.secret)).toBe(404);
    expect(stopped).toBe(false);
  });
});
