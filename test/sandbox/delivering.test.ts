import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from '../../src/platform/machine.ts';
import { addDelivery, createDeliverySender } from '../../src/sandbox/deliveries.ts';
import type { PostOptions } from '../../src/sandbox/post.ts';
import { createMemoryStore } from '../../src/sandbox/state.ts';
import { createRemoteControl } from '../../src/sandbox-host/host.ts';
import { type RunningSandbox, type ServeOptions, startSandbox } from '../../src/sandbox-host/serve.ts';
import { createTurnedClock, type ManualClock, until } from '../support/clocks.ts';
import { makeFolder } from '../support/folder.ts';
import { type HookReceiver, startReceiver } from '../support/webhooks.ts';
import { createBench, NOW } from './bench.ts';

/** A server delivers by itself: at once, and when the time has come. Its clock is turned by the test. */

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
const subscribe = (event: string, url = receiver.url) => call('POST', '/webhooks', { url, events: [event] });
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

describe('a server', () => {
  it('delivers at once, while the request is answered', async () => {
    await start();
    await subscribe('project.created');
    await call('POST', '/projects', { name: 'Quay' });
    await until(() => receiver.received.length === 1);
    await until(async () => (await first())?.status === 'delivered');
    expect(kept()).toMatchObject([{ status: 'delivered', attempts: 1, next_ms: null }]);
  });

  it('tries again by itself when the time has come, also what was made up from afar', async () => {
    await start();
    await subscribe('my.own');
    receiver.answer = 500;
    await control().trigger({ event: 'my.own' });
    for (const [index, seconds] of [5, 300, 1800].entries()) {
      clock.advance(seconds * 1000 - 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(receiver.received).toHaveLength(index + 1);
      clock.advance(1);
      await until(async () => (await first())?.attempts === index + 2);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size).toBe(4);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
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

describe('a host that was allowed', () => {
  it('is sent to, and no other', async () => {
    const { world, space } = await createBench({ seed: 'empty' });
    const sent: PostOptions[] = [];
    const allowed = ['hooks.example.com'];
    for (const [id, host] of [
      ['h1', 'hooks.example.com'],
      ['h2', 'other.example.com'],
    ] as const) {
      const hook = { id, url: `https://${host}/x`, events: ['a'], token: 'whsec_c2VjcmV0' };
      space.webhooks[id] = hook;
      addDelivery(world, hook, { event: 'a', workspace_id: space.id, data: {}, at_ms: NOW });
    }
    const sender = createDeliverySender({
      store: createMemoryStore(world),
      clock,
      timers: clock,
      allowed,
      signal: new AbortController().signal,
      send: async (wish) => {
        sent.push(wish);
        return { status: 200, reason: null };
      },
    });
    await sender.run();
    expect(sent.map(({ url }) => url)).toEqual(['https://hooks.example.com/x']);
    expect(world.deliveries?.map(({ status }) => status)).toEqual(['delivered', 'refused']);
  });
});
