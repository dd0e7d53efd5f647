import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/http/transport.ts';
import { makeFolder } from '../support/folder.ts';
import {
  type ConnectProxy,
  type LoopbackServer,
  startConnectProxy,
  startServer,
} from '../support/loopback.ts';
import { request, senderFor } from './lanes.ts';

const tlsFolder = new URL('../support/tls/', import.meta.url).pathname;
const pem = (name: string): string => readFileSync(join(tlsFolder, name), 'utf8');

const folder = makeFolder();
let server: LoopbackServer;
let proxy: ConnectProxy;

beforeAll(async () => {
  await build({
    entryPoints: [new URL('tls-client.ts', import.meta.url).pathname],
    outfile: join(folder, 'client.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  server = await startServer((_received, response) => response.end('{"success":true}'), {
    key: pem('server.key'),
    cert: pem('server.pem'),
  });
  proxy = await startConnectProxy({ route: () => server.port });
});

afterAll(async () => {
  await Promise.all([server.close(), proxy.close()]);
});

interface Report {
  readonly ends: readonly unknown[];
  readonly https: boolean;
}

/** `NODE_EXTRA_CA_CERTS` is read once, when Node starts: so a process for each setting. */
const inProcess = async (
  requests: readonly HttpRequest[],
  env: Record<string, string>,
  ca?: string,
): Promise<Report> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(folder, 'client.cjs'), JSON.stringify({ requests, env })],
    {
      env: {
        PATH: process.env['PATH'],
        ...(ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: join(tlsFolder, ca) }),
      },
      timeout: 100_000,
    },
  );
  return JSON.parse(stdout);
};

const write = { method: 'DELETE', path: '/projects/3', body: { workspace_id: 7 } } as const;

describe.each([
  { name: 'direct', base: () => `https://127.0.0.1:${server.port}`, env: () => ({}) },
  {
    name: 'through a proxy',
    base: () => 'https://service.test',
    env: () => ({ https_proxy: `http://127.0.0.1:${proxy.port}` }),
  },
])('https $name', ({ base, env }) => {
  test('a certificate authority of one’s own works by NODE_EXTRA_CA_CERTS', async () => {
    const before = server.received.length;
    const report = await inProcess([request(base(), write), request(base())], env(), 'ca.pem');
    expect(report.ends).toMatchObject([
      { status: 200, body: '{"success":true}' },
      { status: 200, body: '{"success":true}' },
    ]);
    expect(server.received.slice(before)).toMatchObject([
      { method: 'DELETE', url: '/projects/3', body: '{"workspace_id":7}' },
      { method: 'GET', url: '/members' },
    ]);
  });

  test('a certificate that is not trusted ends before anything is sent', async () => {
    const before = server.received.length;
    const sender = senderFor(env());
    const error = await sender.transport(request(base(), write)).catch((e: unknown) => e);
    await sender.close();
    expect(error).toMatchObject({
      code: 'tls',
      sent: false,
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    expect(server.received).toHaveLength(before);
  });
});

test('a certificate for another name is refused, with and without a proxy', async () => {
  const env = { https_proxy: `http://127.0.0.1:${proxy.port}`, no_proxy: 'localhost' };
  const bases = ['https://other.test', `https://localhost:${server.port}`];
  const report = await inProcess(
    bases.map((base) => request(base, write)),
    env,
    'ca.pem',
  );
  expect(report.ends).toEqual([
    { code: 'tls', sent: false },
    { code: 'tls', sent: false },
  ]);
});
