import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startConnectProxy, startServer } from '../support/loopback.ts';
import { useCli } from '../support/use-cli.ts';
import { closeKept, keep } from './lanes.ts';

const t = useCli();
closeKept();
const file = (name: string): string => new URL(`../support/tls/${name}`, import.meta.url).pathname;
/** Of a certificate authority of one's own. Node reads it once, when it starts. */
const CA = { NODE_EXTRA_CA_CERTS: file('ca.pem') };

/** A service with a certificate for 127.0.0.1 and service.test, and a proxy that leads every name to it. */
const startService = async (host: string) => {
  const pair = {
    key: readFileSync(file('server.key'), 'utf8'),
    cert: readFileSync(file('server.pem'), 'utf8'),
  };
  const server = keep(await startServer((_received, response) => response.end('{"success":true}'), pair));
  const proxy = keep(await startConnectProxy({ route: () => server.port }));
  t.env['TTCTL_BASE_URL'] = `https://${host.replace('PORT', String(server.port))}`;
  t.env['https_proxy'] = `http://127.0.0.1:${proxy.port}`;
  return server;
};

it.each(['127.0.0.1:PORT', 'service.test'])('https://%s: its certificate can be trusted', async (host) => {
  const server = await startService(host);
  for (const line of ['api DELETE /projects/3', 'api GET /members'])
    expect(await t.process(line, { env: CA })).toMatchObject({ exit: 0, stderr: '' });
  expect(server.received).toMatchObject([
    { method: 'DELETE', url: '/projects/3' },
    { method: 'GET', url: '/members?workspace_id=7' },
  ]);
});

it.each([
  ['127.0.0.1:PORT', {}],
  ['service.test', {}],
  ['localhost:PORT', CA],
  ['other.test', CA],
])(
  'https://%s: one that is not trusted, or not for this name, ends a write before it is sent',
  async (host, env) => {
    const server = await startService(host);
    const { exit, stderr } = await t.process('api DELETE /projects/3 --json', { env });
    expect([exit, JSON.parse(stderr).error]).toMatchObject([
      7,
      { code: 'tls', hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
    ]);
    expect(server.received).toEqual([]);
  },
);
