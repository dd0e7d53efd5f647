import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from '../../src/platform/machine.ts';
import {
  type Attempt,
  addDelivery,
  claimDelivery,
  getNextDelay,
  listDue,
  parseHosts,
  recordAttempt,
  recordEvent,
} from '../../src/sandbox/deliveries.ts';
import { signDelivery } from '../../src/sandbox/post.ts';
import type { StoredDelivery, Webhook } from '../../src/sandbox/world.ts';
import { createRemoteControl } from '../../src/sandbox-host/host.ts';
import { type RunningSandbox, type ServeOptions, startSandbox } from '../../src/sandbox-host/serve.ts';
import { createTurnedClock, type ManualClock, until } from '../support/clocks.ts';
import { makeFolder } from '../support/folder.ts';
import { type HookReceiver, startReceiver } from '../support/webhooks.ts';
import { type Bench, createBench, NOW } from './bench.ts';

/** What is sent to webhooks: its signature, to whom, when, and by whom. */

describe('a signature', () => {
  // The test vector of the Standard Webhooks libraries; openssl computes the same.
  const signed = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  };

  it('is that of the published vector', () => {
    expect(signDelivery('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', signed)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it.each([
    // printf %s "$id.$timestamp.$body" | openssl dgst -sha256 -hmac '<token>' -binary | base64
    ['whsec_not*base64', 'v1,snoo2vxz886mjGi6hcIGqrk6T8gTYFoa8UWl8TbXw0k='],
    ['another-secret', 'v1,kgARwTNyR/4TNKTaMYTl9xe3PMicUpleXfmNj056srA='],
  ])('takes the whole of %s as the key, since it cannot be decoded', (token, expected) => {
    expect(signDelivery(token, signed)).toBe(expected);
  });
});

describe('where may be sent to', () => {
  it.each([
    'http://127.0.0.1:8787/x',
    'http://127.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://LOCALHOST:1/',
    'https://[::1]:8443/',
    'http://127.9.9.9/',
  ])('%s, this machine', (url) => expect(refusal(url)).toBeNull());

  it.each([
    'https://hooks.lindenhof.example/',
    'http://localhost.example.com/',
    'http://127.0.0.1.example.com/',
    'http://127.0.0.1@hooks.example.com/',
    'http://0.0.0.0/',
    'http://[::ffff:127.0.0.1]/',
    'http://10.0.0.1/',
    'http://localtest.me/',
  ])('not %s', (url) => expect(refusal(url)).toMatch(/is not this machine .*--allow-webhooks-to/));

  it('what was allowed by name, whatever its case and port', () => {
    const allowed = parseHosts(['Hooks.Example.com', '[fd00::1]', '10.1']);
    expect(refusal('https://hooks.example.com:8443/a', allowed)).toBeNull();
    expect(refusal('https://[fd00:0::1]/a', allowed)).toBeNull();
    expect(refusal('http://10.0.0.1/', allowed)).toBeNull();
    expect(refusal('https://x.hooks.example.com/', allowed)).toContain('x.hooks.example.com');
    for (const wrong of ['', 'https://a.example/', 'a.example:80', 'a.example/x', 'a@b', 'a b', '*']) {
      expect(() => parseHosts([wrong]), wrong).toThrow(/is not a host/);
    }
  });
});

let bench: Bench;
let hook: Webhook;
beforeEach(async () => {
  bench = await createBench({ seed: 'empty' });
  hook = { id: 'h1', url: 'http://127.0.0.1:9/x', events: ['a.b'], token: 'whsec_c2VjcmV0' };
  bench.space.webhooks = { h1: hook };
});

const event = (name = 'a.b') => ({ event: name, workspace_id: bench.space.id, data: { n: 1 }, at_ms: NOW });
const add = (): StoredDelivery => addDelivery(bench.world, hook, event());
/** Why a webhook with this address gets nothing. */
const refusal = (url: string, allowed: readonly string[] = []) => {
  hook.url = url;
  const delivery = add();
  claimDelivery(bench.world, hook.id, NOW, allowed);
  return delivery.reason;
};
const answered = (status: number): Attempt => ({ status, reason: status < 300 ? null : 'no' });

describe('an event', () => {
  it('is put down for those of its workspace that subscribe to it', () => {
    bench.space.webhooks['h2'] = { ...hook, id: 'h2', events: ['a.b', 'c'] };
    bench.space.webhooks['h3'] = { ...hook, id: 'h3', events: ['c'] };
    recordEvent(bench.world, event());
    const deliveries = bench.world.deliveries ?? [];
    expect(deliveries.map((row) => row.webhook_id)).toEqual(['h1', 'h2']);
    expect(new Set(deliveries.map((row) => row.id)).size).toBe(2);
    const [first] = deliveries;
    expect(first?.id).toMatch(/^msg_\w{16}$/);
    expect(first?.body).toBe(
      `{"id":"${first?.id}","event":"a.b","workspace_id":101,"created_at":"2026-03-18T10:00:00.000Z","data":{"n":1}}`,
    );
  });
});

describe('the schedule', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h after each failure, then gives up', () => {
    const delivery = add();
    let now = NOW;
    const waits: (number | undefined)[] = [];
    while (delivery.status === 'pending') {
      expect(claimDelivery(bench.world, 'h1', now - 1, [])).toBeUndefined();
      expect(claimDelivery(bench.world, 'h1', now, [])).toMatchObject({ id: delivery.id });
      recordAttempt(bench.world, delivery.id, answered(500), now);
      const wait = getNextDelay(bench.world, now);
      waits.push(wait === undefined ? undefined : wait / 1000);
      now += wait ?? 0;
    }
    expect(waits).toEqual([5, 300, 1800, 7200, 18000, 36000, 36000, undefined]);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 8, next_ms: null, reason: 'no' });
  });

  it('stands still with a frozen clock, but for what is due', () => {
    const delivery = add();
    bench.world.time.frozen_ms = NOW;
    expect(getNextDelay(bench.world, NOW)).toBe(0);
    recordAttempt(bench.world, delivery.id, answered(500), NOW);
    expect(getNextDelay(bench.world, NOW)).toBeUndefined();
  });
});

describe('a claim', () => {
  it('keeps others away until its holder is given up', () => {
    const delivery = add();
    expect(claimDelivery(bench.world, 'h1', NOW, [])).toBeDefined();
    expect(claimDelivery(bench.world, 'h1', NOW, [])).toBeUndefined();
    expect(listDue(bench.world, NOW + 14_999)).toEqual([]);
    expect(getNextDelay(bench.world, NOW + 5_000)).toBe(10_000);
    expect(listDue(bench.world, NOW + 15_000)).toEqual([delivery]);
  });

  it('goes where the webhook points by then, and ends what has no place to go', () => {
    const [moved, gone] = [add(), add()];
    hook.url = 'http://localhost:7/new';
    hook.token = 'whsec_bmV3';
    expect(claimDelivery(bench.world, 'h1', NOW, [])).toMatchObject({
      url: hook.url,
      token: 'whsec_bmV3',
    });
    expect(moved.url).toBe(hook.url);
    hook.url = 'https://else.example/';
    expect(claimDelivery(bench.world, 'h1', NOW, [])).toBeUndefined();
    expect(gone).toMatchObject({ status: 'refused', reason: expect.stringContaining('else.example') });
    const third = add();
    delete bench.space.webhooks['h1'];
    expect(claimDelivery(bench.world, 'h1', NOW, [])).toBeUndefined();
    expect(third).toMatchObject({ status: 'failed', reason: 'the webhook was deleted' });
  });
});

describe('what is kept', () => {
  it('is what waits, and 200 that have ended; the oldest go first', () => {
    const first = add();
    for (let n = 0; n < 210; n += 1) add();
    expect(bench.world.deliveries).toHaveLength(211);
    for (const { id } of bench.world.deliveries ?? []) recordAttempt(bench.world, id, answered(200), NOW);
    const last = add();
    expect(bench.world.deliveries).toHaveLength(201);
    expect(bench.world.deliveries?.at(-1)).toBe(last);
    expect(bench.world.deliveries).not.toContain(first);
  });
});

/** Its clock is turned by the test. */
describe('a server delivers by itself', () => {
  let folder: string;
  let clock: ManualClock;
  let receiver: HookReceiver;
  let server: RunningSandbox | undefined;
  let token: string;

  const file = () => join(folder, 'state.json');
  const kept = () => JSON.parse(readFileSync(file(), 'utf8')).deliveries;

  const start = async (wish: Partial<ServeOptions> = {}): Promise<RunningSandbox> => {
    const machine = { clock, pid: process.pid } as unknown as Machine;
    server = await startSandbox(machine, { port: 0, state: file(), ...wish });
    token = (await server.control.createToken({ as: 'nora@lindenhof.example', scopes: ['read', 'write'] }))
      .token;
    return server;
  };

  const call = async (method: string, path: string, body: object): Promise<{ data: { id: string } }> => {
    const answer = await fetch(`${server?.locator.base_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspace_id: 101, ...body }),
    });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { data: { id: string } };
  };
  const subscribe = (event: string, url = receiver.url) =>
    call('POST', '/webhooks', { url, events: [event] });
  const control = () => createRemoteControl(server?.locator.url ?? '', server?.locator.secret ?? '');
  const first = async () => (await control().deliveries())[0];

  beforeEach(async () => {
    folder = makeFolder();
    clock = createTurnedClock(NOW);
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await receiver.close();
  });

  it('gives a slow receiver ten seconds, and others are not kept waiting by it', async () => {
    await start();
    const slow = await startReceiver();
    slow.answer = undefined;
    await subscribe('project.created', slow.url);
    await subscribe('project.created');
    await call('POST', '/projects', { name: 'Quay' });
    await until(() => slow.received.length === 1 && receiver.received.length === 1);
    await call('POST', '/projects', { name: 'Pier' });
    await until(() => receiver.received.length === 2);
    expect(slow.received).toHaveLength(1);
    clock.advance(10_000);
    // The second one was waiting for the first.
    await until(() => slow.received.length === 2);
    const row = (await control().deliveries({ status: 'pending' })).at(-1);
    expect(row).toMatchObject({ attempts: 1, last_status: null, reason: 'no answer within 10 s' });
    await slow.close();
  });

  it('ends what is on its way when it is stopped; the next server on the state sends it', async () => {
    const { close } = await start();
    await subscribe('project.created');
    receiver.answer = undefined;
    await call('POST', '/projects', { name: 'Quay' });
    await until(() => receiver.received.length === 1);
    await close();
    expect(kept()).toMatchObject([{ status: 'pending', attempts: 0 }]);
    receiver.answer = 200;
    await start();
    await until(() => receiver.received.length === 2);
    await until(async () => (await first())?.status === 'delivered');
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
  });

  it('sends in the order of events to one webhook', async () => {
    await start();
    await subscribe('project.created');
    const names = Array.from({ length: 12 }, (_, n) => `P${n}`);
    for (const name of names) await call('POST', '/projects', { name });
    await until(() => receiver.received.length === 12);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.name)).toEqual(names);
  });
});
