import { beforeEach, expect, it } from 'vitest';
import * as deliveries from '../../src/sandbox/deliveries.ts';
import { open } from '../../src/sandbox/open.ts';
import { signDelivery } from '../../src/sandbox/post.ts';
import { createMemoryStore } from '../../src/sandbox/state.ts';
import type { Webhook } from '../../src/sandbox/world.ts';
import { createTurnedClock, until } from '../support/clocks.ts';
import { startReceiver } from '../support/webhooks.ts';
import { NOW, useBench } from './bench.ts';

/** What is sent to webhooks: its signature, to whom, and when. How it arrives: sandbox-webhooks.test.ts. */

const bench = useBench();
let hook: Webhook;
beforeEach(() => {
  hook = { id: 'h1', url: 'http://127.0.0.1:9/x', events: ['a.b'], token: 'whsec_c2VjcmV0' };
  bench.space.webhooks = { h1: hook };
});
const event = () => ({ event: 'a.b', workspace_id: bench.space.id, data: { n: 1 }, at_ms: NOW });
const add = () => deliveries.addDelivery(bench.world, hook, event());
const claim = (now = NOW, allowed: readonly string[] = []) =>
  deliveries.claimDelivery(bench.world, 'h1', now, allowed);
const answered = (id: string, status: number, now = NOW) =>
  deliveries.recordAttempt(bench.world, id, { status, reason: status < 300 ? null : 'no' }, now);
/** Why a webhook with this address gets nothing. */
const refusal = (url: string, allowed?: readonly string[]) => {
  hook.url = url;
  const delivery = add();
  claim(NOW, allowed);
  return delivery.reason;
};

it.each([
  // The test vector of the Standard Webhooks libraries; openssl computes the same.
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
  // What cannot be decoded is the key as a whole: printf %s "$id.$timestamp.$body" |
  // openssl dgst -sha256 -hmac '<token>' -binary | base64
  ['whsec_not*base64', 'v1,snoo2vxz886mjGi6hcIGqrk6T8gTYFoa8UWl8TbXw0k='],
  ['another-secret', 'v1,kgARwTNyR/4TNKTaMYTl9xe3PMicUpleXfmNj056srA='],
])('a delivery is signed with the token %s as the published vector is', (token, expected) => {
  const signed = { timestamp: 1614265330, body: '{"test": 2432232314}' };
  expect(signDelivery(token, { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', ...signed })).toBe(expected);
});

it.each([
  'http://127.0.0.1:8787/x',
  'http://127.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://LOCALHOST:1/',
  'https://[::1]:8443/',
  'http://127.9.9.9/',
])('%s is this machine, and may be sent to', (url) => expect(refusal(url)).toBeNull());

it.each([
  'https://hooks.lindenhof.example/',
  'http://localhost.example.com/',
  'http://127.0.0.1.example.com/',
  'http://127.0.0.1@hooks.example.com/',
  'http://0.0.0.0/',
  'http://[::ffff:127.0.0.1]/',
  'http://10.0.0.1/',
  'http://localtest.me/',
])('%s is not', (url) => expect(refusal(url)).toMatch(/is not this machine .*--allow-webhooks-to/));

it('what was allowed by name may be sent to, whatever its case and port', () => {
  const allowed = deliveries.parseHosts(['Hooks.Example.com', '[fd00::1]', '10.1']);
  expect(refusal('https://hooks.example.com:8443/a', allowed)).toBeNull();
  expect(refusal('https://[fd00:0::1]/a', allowed)).toBeNull();
  expect(refusal('http://10.0.0.1/', allowed)).toBeNull();
  expect(refusal('https://x.hooks.example.com/', allowed)).toContain('x.hooks.example.com');
  for (const wrong of ['', 'https://a.example/', 'a.example:80', 'a.example/x', 'a@b', 'a b', '*'])
    expect(() => deliveries.parseHosts([wrong]), wrong).toThrow(/is not a host/);
});

it('an event is put down for those of its workspace that subscribe to it', () => {
  bench.space.webhooks['h2'] = { ...hook, id: 'h2', events: ['a.b', 'c'] };
  bench.space.webhooks['h3'] = { ...hook, id: 'h3', events: ['c'] };
  deliveries.recordEvent(bench.world, event());
  const [first, second, ...others] = bench.world.deliveries ?? [];
  expect([first?.webhook_id, second?.webhook_id, others]).toEqual(['h1', 'h2', []]);
  expect(first?.id).toMatch(/^msg_\w{16}$/);
  expect(second?.id).not.toBe(first?.id);
  expect(first?.body).toBe(
    `{"id":"${first?.id}","event":"a.b","workspace_id":101,"created_at":"2026-03-18T10:00:00.000Z","data":{"n":1}}`,
  );
});

it('it is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, then given up', () => {
  const delivery = add();
  let now = NOW;
  const waits: (number | undefined)[] = [];
  while (delivery.status === 'pending') {
    expect(claim(now - 1)).toBeUndefined();
    expect(claim(now)).toMatchObject({ id: delivery.id });
    answered(delivery.id, 500, now);
    const wait = deliveries.getNextDelay(bench.world, now);
    waits.push(wait === undefined ? undefined : wait / 1000);
    now += wait ?? 0;
  }
  expect(waits).toEqual([5, 300, 1800, 7200, 18000, 36000, 36000, undefined]);
  expect(delivery).toMatchObject({ status: 'failed', attempts: 8, next_ms: null, reason: 'no' });
});

it('with a frozen clock only what is due is sent', () => {
  const { id } = add();
  bench.world.time.frozen_ms = NOW;
  expect(deliveries.getNextDelay(bench.world, NOW)).toBe(0);
  answered(id, 500);
  expect(deliveries.getNextDelay(bench.world, NOW)).toBeUndefined();
});

it('who takes a delivery keeps others away for 15 s', () => {
  const delivery = add();
  expect(claim()).toBeDefined();
  expect(claim()).toBeUndefined();
  expect(deliveries.listDue(bench.world, NOW + 14_999)).toEqual([]);
  expect(deliveries.getNextDelay(bench.world, NOW + 5_000)).toBe(10_000);
  expect(deliveries.listDue(bench.world, NOW + 15_000)).toEqual([delivery]);
});

it('a delivery goes where its webhook points by then, or ends where it has no place to go', () => {
  const [moved, gone] = [add(), add()];
  Object.assign(hook, { url: 'http://localhost:7/new', token: 'whsec_bmV3' });
  expect(claim()).toMatchObject({ url: hook.url, token: 'whsec_bmV3' });
  expect(moved.url).toBe(hook.url);
  hook.url = 'https://else.example/';
  expect(claim()).toBeUndefined();
  expect(gone).toMatchObject({ status: 'refused', reason: expect.stringContaining('else.example') });
  const third = add();
  delete bench.space.webhooks['h1'];
  expect(claim()).toBeUndefined();
  expect(third).toMatchObject({ status: 'failed', reason: 'the webhook was deleted' });
});

it('what waits is kept, and the latest 200 that have ended', () => {
  const first = add();
  for (let n = 0; n < 210; n += 1) add();
  expect(bench.world.deliveries).toHaveLength(211);
  for (const { id } of bench.world.deliveries ?? []) answered(id, 200);
  const last = add();
  expect(bench.world.deliveries).toHaveLength(201);
  expect(bench.world.deliveries?.at(-1)).toBe(last);
  expect(bench.world.deliveries).not.toContain(first);
});

it('a server gives a slow receiver ten seconds, and others are not kept waiting by it', async () => {
  const clock = createTurnedClock(NOW);
  const sandbox = open({ store: createMemoryStore(bench.world), clock, keepsSending: true });
  const [quick, slow] = [await startReceiver(), await startReceiver()];
  slow.answer = undefined;
  hook.url = slow.url;
  bench.space.webhooks['h2'] = { ...hook, id: 'h2', url: quick.url };
  const happen = () => {
    deliveries.recordEvent(bench.world, event());
    sandbox.wake();
  };
  happen();
  await until(() => slow.received.length === 1 && quick.received.length === 1);
  happen();
  await until(() => quick.received.length === 2);
  expect(slow.received).toHaveLength(1);
  clock.advance(10_000);
  // The second one was waiting for the first.
  await until(() => slow.received.length === 2);
  const row = (await sandbox.control.deliveries({ status: 'pending' })).at(-1);
  expect(row).toMatchObject({ attempts: 1, last_status: null, reason: 'no answer within 10 s' });
  await quick.close();
  await slow.close();
});
