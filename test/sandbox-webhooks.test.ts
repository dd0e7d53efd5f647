import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOperation } from '../src/api/operations.ts';
import { EVENTS, ROUTES } from '../src/sandbox/routes.ts';
import { samples } from './samples.ts';
import { createTurnedClock, until } from './support/clocks.ts';
import type { Received } from './support/loopback.ts';
import { useCli } from './support/use-cli.ts';
import { expectedSignature, type HookReceiver, startReceiver } from './support/webhooks.ts';

/** Webhooks of the embedded sandbox, from the command line to a real receiver, by a clock that the test turns. */

const NOW = Date.parse('2026-03-18T10:00:00.250Z');
const clock = createTurnedClock(NOW);
const t = useCli({ sandbox: 'demo', clock });
let receiver: HookReceiver;
beforeEach(async () => {
  clock.set(NOW);
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const { run, json } = t;
const world = () => JSON.parse(t.text('state/sandbox/world.json'));
/** A webhook that points to the receiver, or elsewhere. */
const subscribe = (events: string, url = receiver.url): Promise<{ id: string; token: string }> =>
  json(`webhooks create --url ${url} --event ${events} --show-secrets`);
const deliveries = (flags = '') => json(`sandbox webhooks deliveries ${flags}`);

describe('what happens', () => {
  it('is one signed POST, to the letter', async () => {
    const { id, token } = await subscribe('tracker.stopped');
    expect(await json('time-tracking stop')).toMatchObject({ stopped_at: '2026-03-18T10:00:00.250Z' });
    expect(receiver.received).toHaveLength(1);
    const [got] = receiver.received as readonly [Received];
    const [row] = await deliveries();
    expect(got).toEqual({
      method: 'POST',
      url: '/hook?x=1',
      headers: {
        host: `127.0.0.1:${receiver.port}`,
        connection: 'close',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(got.body)),
        'user-agent': 'ttctl-sandbox',
        'webhook-id': row.id,
        'webhook-timestamp': '1773828000',
        'webhook-signature': expectedSignature(got, token),
      },
      body:
        `{"id":"${row.id}","event":"tracker.stopped","workspace_id":101,"created_at":"2026-03-18T10:00:00.250Z",` +
        '"data":{"user_id":102,"workspace_id":101,"contract_id":128,"task_id":null,' +
        '"started_at":"2026-03-18T09:13:00.250Z","stopped_at":"2026-03-18T10:00:00.250Z"}}',
    });
    expect(row).toEqual({
      id: expect.stringMatching(/^msg_\w{16}$/),
      event: 'tracker.stopped',
      status: 'delivered',
      attempts: 1,
      last_status: 200,
      reason: null,
      next_attempt_at: null,
      created_at: '2026-03-18T10:00:00.250Z',
      webhook_id: id,
      workspace_id: 101,
      url: receiver.url,
    });
  });

  it.each(samples)('is told once by $operation', async ({ operation: name, line, list, before }) => {
    if (before !== undefined) await t.read(before);
    const [{ id } = { id: / (\d+)/.exec(line)?.[1] }] = list === undefined ? [] : await json(list);
    const { token } = await subscribe(EVENTS.join(','));
    const { exit, stderr } = await run(`${line.replace('ID', String(id))} --yes`);
    expect([exit, stderr]).toEqual([0, expect.any(String)]);
    const operation = findOperation(name);
    const { events = [] } = ROUTES.find(({ route }) => route === operation?.route) ?? {};
    expect(receiver.events()).toEqual(events);
    for (const got of receiver.received) {
      expect(got.headers['webhook-signature']).toBe(expectedSignature(got, token));
      const { data, ...told } = JSON.parse(got.body);
      expect(told).toMatchObject({ id: got.headers['webhook-id'], workspace_id: 101 });
      if (operation?.path.includes('{') && operation.joins !== true) expect(String(data.id)).toBe(String(id));
      expect(got.body).not.toMatch(/"rate/);
      if (told.event.startsWith('project.')) expect(data.status).toBe(name === 'projects.archive' ? 0 : 1);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(events.length);
  });
});

describe('a receiver that fails', () => {
  it('is tried again by the next command when the time has come, signed anew', async () => {
    const { token } = await subscribe('project.created');
    receiver.answer = 500;
    expect((await run('projects create --name Quay')).exit).toBe(0);
    const [{ id, next_attempt_at: next }] = await deliveries('--status pending');
    expect(next).toBe('2026-03-18T10:00:05.250Z');
    clock.advance(4_999);
    await run('members list');
    clock.advance(1);
    // These only look.
    await run('members list --dry-run');
    await run('sandbox webhooks deliveries');
    expect(receiver.received).toHaveLength(1);
    receiver.answer = 200;
    await run('members list');
    expect(receiver.received).toHaveLength(2);
    const [first, second] = receiver.received as readonly [Received, Received];
    expect([second.body, second.headers['webhook-id']]).toEqual([first.body, id]);
    expect(second.headers['webhook-timestamp']).toBe('1773828005');
    expect(second.headers['webhook-signature']).toBe(expectedSignature(second, token));
    const [row] = await deliveries();
    expect(row).toMatchObject({ status: 'delivered', attempts: 2, last_status: 200, next_attempt_at: null });
  });

  const status =
    (code: number): HookReceiver['answer'] =>
    (_request, response) =>
      response.writeHead(code, { location: `http://127.0.0.1:${receiver.port}/else` }).end();
  const CUT = 'the connection was closed before a response arrived';

  it.each<[string, HookReceiver['answer'], object]>([
    ['is moved', status(302), { status: 'pending', reason: 'answered with 302: redirects are not followed' }],
    ['is gone', status(410), { status: 'failed', reason: expect.stringContaining('answered with 410') }],
    ['says nothing at all', status(204), { status: 'delivered', reason: null }],
    [
      'speaks no HTTP',
      (_, { socket }) => socket?.end('nope\r\n\r\n'),
      { reason: 'the response is not HTTP' },
    ],
    ['cuts the line', (_, { socket }) => socket?.destroy(), { reason: CUT }],
  ])('that %s', async (_what, answer, row) => {
    await subscribe('project.created');
    receiver.answer = answer;
    await run('projects create --name Quay');
    expect(await deliveries()).toMatchObject([row]);
    expect(receiver.received).toHaveLength(1);
  });

  it('and is down does not fail the command, which says nothing of it', async () => {
    await subscribe('project.created', 'http://localhost:1/x');
    const { exit, stderr } = await run('projects create --name Quay --output ids');
    expect([exit, stderr]).toEqual([0, expect.not.stringMatching(/webhook|deliver/)]);
    const row = { status: 'pending', last_status: null, reason: 'connection refused' };
    expect((await deliveries())[0]).toMatchObject(row);
  });

  it('is left at once when the person leaves, and nothing counts as tried', async () => {
    await subscribe('project.created');
    receiver.answer = undefined;
    const leave = new AbortController();
    const one = run('projects create --name Quay', { interrupted: leave.signal });
    await until(() => receiver.received.length === 1);
    leave.abort(new Error('left'));
    expect((await one).exit).toBe(0);
    expect(world().deliveries[0]).toMatchObject({ status: 'pending', attempts: 0 });
    receiver.answer = 200;
    await run('members list');
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]?.headers['webhook-id']).toBe(receiver.received[1]?.headers['webhook-id']);
  });
});

it('a delivery that may not be sent says so, and stays refused until the webhook points elsewhere', async () => {
  const { id } = await subscribe('project.created', 'https://hooks.example.com/x');
  await run('projects create --name Quay');
  const [row] = await deliveries('--status refused');
  const reason = expect.stringMatching(/^hooks\.example\.com is not this machine/);
  expect(row).toMatchObject({ attempts: 0, reason });
  const again = () => json(`sandbox webhooks redeliver ${row.id}`);
  expect(await again()).toMatchObject([{ id: row.id, status: 'refused' }]);
  await run(`webhooks update ${id} --url ${receiver.url} --event project.created`);
  expect(await again()).toMatchObject([{ status: 'delivered', attempts: 1, url: receiver.url }]);
});

describe('sandbox webhooks', () => {
  it('deliveries filters, and every format has it', async () => {
    await subscribe('project.created,member.invited');
    await run('projects create --name Quay');
    await run('members invite ana@example.com --firstname A --lastname S --role regular-user');
    // The webhook of the seed for people gets nothing: it is another machine.
    const statuses = (await deliveries()).map(({ status }: { status: string }) => status);
    expect(statuses.sort()).toEqual(['delivered', 'delivered', 'refused']);
    expect(await deliveries('--status delivered')).toHaveLength(2);
    expect(await deliveries('--status failed')).toEqual([]);
    expect(await deliveries('--limit 2')).toEqual((await deliveries()).slice(0, 2));
    expect((await run('sandbox webhooks deliveries --limit 2')).stderr).toContain('Showing 2 of 3.');
    const wrong = await run('sandbox webhooks deliveries --status sent');
    const known = expect.stringContaining('pending, delivered, failed, refused');
    expect(wrong).toMatchObject({ exit: 2, stderr: known });
    const csv = await t.read('sandbox webhooks deliveries --output csv --columns event,status,last_status');
    expect(csv).toMatch(/^event,status,last_status\r\nmember\.invited,delivered,200\r\n/);
    expect((await run('sandbox webhooks deliveries')).stdout).toMatch(/^EVENT +STATUS +TRIES +ANSWER.* ID$/m);
  });

  it('redeliver sends the same again, several at a time, or none', async () => {
    await subscribe('project.created');
    await run('projects create --name One');
    await run('projects create --name Two');
    const ids = (await t.read('sandbox webhooks deliveries --output ids')).trim().split('\n');
    clock.advance(60_000);
    const again = await json(`sandbox webhooks redeliver ${ids.join(' ')} ${ids[0]}`);
    expect(again).toMatchObject(ids.map((id) => ({ id, status: 'delivered', attempts: 2 })));
    const got = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(got.sort()).toEqual([...ids, ...ids].sort());
    expect(receiver.received[2]?.headers['webhook-timestamp']).toBe('1773828060');
    const wrong = await run(`sandbox webhooks redeliver ${ids[0]} msg_none`);
    expect(wrong).toMatchObject({ exit: 5, stderr: expect.stringContaining('sandbox webhooks deliveries') });
    expect(receiver.received).toHaveLength(4);
  });

  it('trigger makes an event of a record, of what is given, of any name', async () => {
    await subscribe('tracker.started,timesheet.approved,my.own');
    const before = world();
    // The webhook of the seed subscribes too, and nobody listens there.
    expect(await json('sandbox webhooks trigger tracker.started')).toMatchObject([
      { event: 'tracker.started', status: 'pending', url: 'http://127.0.0.1:8787/events' },
      { event: 'tracker.started', status: 'delivered', url: receiver.url },
    ]);
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).toEqual({
      user_id: 102,
      workspace_id: 101,
      contract_id: 128,
      task_id: null,
      started_at: '2026-03-18T09:13:00.250Z',
    });
    await run('sandbox webhooks trigger timesheet.approved');
    expect(JSON.parse(receiver.received[1]?.body ?? '').data).toHaveProperty('date_from');
    const file = t.file('data.json', '{"n": [1, "é"]}');
    for (const data of [`'{"n":[1,"é"]}'`, `"@${file}"`])
      await run(`sandbox webhooks trigger my.own --data ${data}`);
    for (const got of receiver.received.slice(2)) expect(JSON.parse(got.body).data).toEqual({ n: [1, 'é'] });
    expect(receiver.received).toHaveLength(4);
    const { deliveries: _made, generator: _drawn, ...after } = world();
    const { deliveries: _none, generator: _before, ...then } = before;
    expect(after).toEqual(then);
  });

  it('trigger says when nobody hears of it, and suggests a name', async () => {
    await subscribe('project.created');
    const nobody = await run('sandbox webhooks trigger project.deleted');
    expect(nobody).toMatchObject({ exit: 0, stdout: '' });
    expect(nobody.stderr).toContain('no webhook subscribes to project.deleted');
    expect(nobody.stderr).toMatch(/ttctl webhooks create .* --profile sandbox\n/);
    const misspelt = await run('sandbox webhooks trigger project.creatd');
    expect(misspelt.stderr).toContain('The sandbox itself never sends project.creatd.');
    for (const wrong of ["x.y --data '{'", `x.y --data @${t.folder}/none.json`, "''"])
      expect((await run(`sandbox webhooks trigger ${wrong}`)).exit, wrong).toBe(2);
  });
});
