import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type ConnectProxy,
  type LoopbackServer,
  startConnectProxy,
  startServer,
} from './support/loopback.ts';
import { cleanHome, type Home, runBinary } from './support/process.ts';

/** The built program through a real proxy: what is bundled of undici is enough. */

const tls = new URL('support/tls/', import.meta.url).pathname;
const pem = (name: string): string => readFileSync(join(tls, name), 'utf8');

let home: Home;
let server: LoopbackServer;
let proxy: ConnectProxy;

beforeAll(async () => {
  home = cleanHome();
  server = await startServer(
    ({ url }, response) => {
      const page = Number(new URL(url, 'https://service.test').searchParams.get('page') ?? 1);
      const pagination = { total: 2, per_page: 1, current_page: page, last_page: 2, from: page, to: page };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ success: true, message: 'OK', data: [{ id: page }], meta: { pagination } }),
      );
    },
    { key: pem('server.key'), cert: pem('server.pem') },
  );
  proxy = await startConnectProxy({ route: () => server.port });
});
afterAll(async () => {
  await Promise.all([server.close(), proxy.close()]);
  home.remove();
});

it('goes through a tunnel, with a certificate authority of one’s own, and through the same for the next page', async () => {
  const env = {
    ...home.env,
    TTCTL_BASE_URL: 'https://service.test/api/v2',
    TTCTL_TOKEN: 'x',
    TTCTL_WORKSPACE: '7',
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: join(tls, 'ca.pem'),
  };
  const { stdout, stderr, exit } = await runBinary(['members', 'list', '-o', 'ids'], { env });
  expect({ stderr, exit, stdout }).toEqual({ stderr: '', exit: 0, stdout: '1\n2\n' });
  expect(proxy.seen).toEqual(['CONNECT service.test:443']);
});
