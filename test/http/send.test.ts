import { expect, it } from 'vitest';
import { exchangeWithDeadline, findProxy } from '../../src/http/send.ts';
import { realClock } from '../../src/platform/machine.ts';
import { request } from '../wire/lanes.ts';

/** Which proxy is taken, and what is told of a secure connection (test/wire/ has the wire itself). */

it.each([
  ...['UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...[
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_TLSV1_ALERT',
    'EPROTO',
    'CRL_HAS_EXPIRED',
    'HOSTNAME_MISMATCH',
  ],
])('%s is told as a matter of the secure connection', async (code) => {
  const fail = () => Promise.reject(Object.assign(new Error('no'), { code }));
  const options = { timeoutMs: 60_000, clock: realClock, host: 'h', proxy: undefined };
  await expect(exchangeWithDeadline(request('https://h'), fail, options)).rejects.toMatchObject({
    code: 'tls',
  });
});

const PROXY = 'http://proxy.test:3128';
const applies = (url: string, noProxy?: string): boolean =>
  findProxy(new URL(url), { http_proxy: PROXY, https_proxy: PROXY, no_proxy: noProxy }) !== undefined;

it.each([
  ['http://api.test/x', { HTTP_PROXY: PROXY }, `${PROXY}/`],
  ['https://api.test/x', { HTTPS_PROXY: PROXY }, `${PROXY}/`],
  ['https://api.test/x', { HTTP_PROXY: PROXY }, undefined],
  ['http://api.test/x', {}, undefined],
  ['http://api.test/x', { http_proxy: 'http://lower.test', HTTP_PROXY: PROXY }, 'http://lower.test/'],
  ['http://api.test/x', { http_proxy: '', HTTP_PROXY: PROXY }, undefined],
  ['https://api.test/x', { HTTPS_PROXY: 'proxy.test:8080' }, 'http://proxy.test:8080/'],
  ['https://api.test/x', { HTTPS_PROXY: 'https://a:b@proxy.test' }, 'https://a:b@proxy.test/'],
])('which proxy: %s with %o', (url, env, expected) => {
  expect(findProxy(new URL(url), env)).toBe(expected);
});

it.each(['socks5://a:geheim@proxy.test:1080', 'http://', '::::geheim'])(
  'HTTPS_PROXY=%s is refused, and not shown',
  (value) => {
    const attempt = () => findProxy(new URL('https://api.test'), { HTTPS_PROXY: value });
    expect(attempt).toThrow(/^HTTPS_PROXY is not the URL of an http or https proxy$/);
  },
);

it.each([
  ['https://api.test', '*', false],
  ['https://api.test', 'api.test', false],
  ['https://API.test', 'Api.Test', false],
  ['https://api.test', '.test', false],
  ['https://api.test', '*.test', false],
  ['https://a.b.api.test', 'api.test', false],
  ['https://notapi.test', 'api.test', true],
  ['https://api.test', 'a.api.test', true],
  ['https://api.test', 'x.test, api.test', false],
  ['https://api.test', ', ,', true],
  ['https://api.test', '.', true],
  ['https://api.test', 'api.test:443', false],
  ['http://api.test', 'api.test:443', true],
  ['http://api.test:8080', 'api.test:80', true],
  ['http://10.1.2.3', '10.0.0.0/8', true],
  ['http://[2001:db8::1]', '[2001:db8::1]', false],
  ['http://[2001:db8::1]', '[2001:db8::1]:80', false],
  ['http://[2001:db8::1]:81', '[2001:db8::1]:80', true],
])('%s with NO_PROXY=%s', (url, list, proxied) => {
  expect(applies(url, list)).toBe(proxied);
});

it.each([
  ...['http://localhost:4747', 'http://LOCALHOST', 'http://localhost.', 'http://app.localhost'],
  ...['http://127.9.9.9', 'http://[::1]:80', 'http://0x7f.1'],
])('loopback is never proxied: %s', (url) => expect(applies(url)).toBe(false));
