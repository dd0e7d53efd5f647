import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectedSignature, type HookReceiver, startReceiver } from '../../support/hook-receiver.ts';
import { type Json, open } from './open.ts';

/** Webhooks of a sandbox in a test: real requests to a real receiver, retries by the clock that the test moves. */

let receiver: HookReceiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const sandboxWithHook = async (url = receiver.url, options: Parameters<typeof open>[0] = {}) => {
  const sandbox = await open(options);
  const headers = { authorization: `Bearer ${sandbox.token().token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object): Promise<Json> => {
    const init = {
      method: 'POST',
      headers,
      body: JSON.stringify({ workspace_id: sandbox.workspaceId, ...body }),
    };
    return (await sandbox.fetch(`${sandbox.baseUrl}${path}`, init)).json();
  };
  const { data } = await post('/webhooks', { url, events: ['project.created'] });
  return { sandbox, post, hook: data };
};

it('sends what happens, signed', async () => {
  const { sandbox, post, hook } = await sandboxWithHook();
  const { data: project } = await post('/projects', { name: 'New roof' });
  await sandbox.webhooks.settled();
  const [got] = receiver.received;
  expect(receiver.received).toHaveLength(1);
  if (got === undefined) throw new Error('nothing came');
  expect(JSON.parse(got.body)).toMatchObject({
    event: 'project.created',
    workspace_id: sandbox.workspaceId,
    created_at: '2026-03-18T10:00:00.000Z',
    data: { id: project.id },
  });
  expect(got.headers['webhook-signature']).toBe(expectedSignature(got, hook.token));
  const [row] = sandbox.webhooks.deliveries({ webhook: hook.id });
  expect(row).toMatchObject({ event: 'project.created', status: 'delivered', attempts: 1, last_status: 200 });
  expect(sandbox.webhooks.delivery(row?.id ?? '')).toMatchObject({
    request: { url: receiver.url, body: got.body, headers: { 'webhook-id': row?.id } },
    history: [{ status: 200, answer: 'answer 200' }],
  });
  expect(() => sandbox.webhooks.delivery('msg_none')).toThrow('no delivery msg_none in the sandbox');
});

it('tries again when the clock says so, and when it is asked', async () => {
  receiver.answer = 503;
  const { sandbox } = await sandboxWithHook();
  const [row] = await sandbox.webhooks.trigger('project.created');
  expect(row).toMatchObject({ status: 'pending', attempts: 1, next_attempt_at: '2026-03-18T10:00:05.000Z' });
  sandbox.clock.advance('4s');
  await sandbox.webhooks.settled();
  expect(receiver.received).toHaveLength(1);
  sandbox.clock.advance('1s');
  // By itself: settled() would send what is due.
  await expect.poll(() => receiver.received.length).toBe(2);
  await sandbox.webhooks.settled();
  expect((await sandbox.webhooks.deliver()).map(({ attempts }) => attempts)).toEqual([3]);
  receiver.answer = 204;
  expect(await sandbox.webhooks.redeliver(row?.id ?? '')).toMatchObject([
    { status: 'delivered', attempts: 4 },
  ]);
});

it('goes by the running clock too, and by moves from another process', async () => {
  receiver.answer = 500;
  const { sandbox } = await sandboxWithHook();
  const server = await sandbox.listen();
  await sandbox.webhooks.trigger('project.created');
  await sandbox.webhooks.settled();
  receiver.answer = 200;
  await fetch(`${server.url}/_sandbox/clock`, {
    method: 'POST',
    headers: { 'x-sandbox-secret': server.env().TTCTL_SANDBOX_SECRET ?? '' },
    body: JSON.stringify({ action: 'advance', by_ms: 5000 }),
  });
  await expect.poll(() => receiver.received.length).toBe(2);
  await sandbox.webhooks.settled();
  expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  receiver.answer = 500;
  await sandbox.webhooks.trigger('project.created');
  await sandbox.webhooks.settled();
  // 20 ms before the next attempt; then nobody moves the clock any more.
  sandbox.clock.advance(4980);
  sandbox.clock.resume();
  receiver.answer = 200;
  await expect.poll(() => receiver.received.length).toBe(4);
});

it('sends the data that it is given, to the webhook that is named', async () => {
  const { sandbox, hook } = await sandboxWithHook();
  await sandbox.webhooks.trigger('my.event', { webhook: hook.id, data: { id: 7 } });
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { event: 'my.event', data: { id: 7 } },
  ]);
  await expect(sandbox.webhooks.trigger('my.event', { webhook: 'none' })).rejects.toThrow('no webhook none');
  expect(await sandbox.webhooks.trigger('other.event')).toEqual([]);
});

it('sends to this machine alone, unless another is allowed', async () => {
  const { sandbox } = await sandboxWithHook('http://hooks.example.com/');
  expect(await sandbox.webhooks.trigger('project.created')).toMatchObject([
    { status: 'refused', attempts: 0 },
  ]);
  await expect(open({ allowWebhooksTo: ['http://x'] })).rejects.toThrow('"http://x" is not a host');
});

it('leaves what is on its way when it is closed', async () => {
  receiver.answer = undefined;
  const { sandbox, post } = await sandboxWithHook();
  await post('/projects', { name: 'New roof' });
  await expect.poll(() => receiver.received.length).toBe(1);
  await sandbox.close();
  expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: 'pending' }]);
});

it('forgets deliveries with a reset, and brings them back with a snapshot', async () => {
  receiver.answer = 500;
  const { sandbox } = await sandboxWithHook();
  await sandbox.webhooks.trigger('project.created');
  const snapshot = sandbox.snapshot();
  await sandbox.reset();
  expect(sandbox.webhooks.deliveries()).toEqual([]);
  sandbox.restore(snapshot);
  receiver.answer = 200;
  sandbox.clock.advance('5s');
  await sandbox.webhooks.settled();
  expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: 'delivered' }]);
});
