import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { post as forward } from '../../src/webhooks/forward.ts';
import { quickClock, until } from '../support/clocks.ts';
import { closing, type LoopbackServer, listening, startServer } from '../support/loopback.ts';
import { eventBody, type ListenerHere, post, useListeners } from '../support/webhooks.ts';

/** What was received is forwarded until it is accepted: where, when, and what the disk and the sender know of it. */

const { advance, file, listen, send, states, ttctl } = useListeners();
let app: LoopbackServer;
/** What it answers; 0: nothing. */
let status = 200;
beforeEach(async () => {
  status = 200;
  app = await startServer((_request, response) => {
    if (status > 0) response.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(100_000));
  });
});
afterEach(() => app.close());

/** @returns what the sender is told */
const answer = ({ url }: ListenerHere, id: string, body = eventBody('a')) =>
  post(url, body, { 'webhook-id': id });
const target = () => `http://127.0.0.1:${app.port}/in`;
const lines = (name: string) => readFileSync(file(name), 'utf8').trim().split('\n');
/** Is accepted once this file is there. */
const mended = () => `test -e ${file('mended')}`;
const mend = () => writeFileSync(file('mended'), '');

/** Every byte there is, and characters of several bytes. */
const BYTES = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, i) => i)), Buffer.from('é€😀\r\n')]);

it('--forward sends it as it came, and answers 200 whatever becomes of it', async () => {
  const listener = await listen(['--forward', target()]);
  const body = eventBody('a', { name: 'é😀\u0000' });
  await post(listener.url, body, { 'webhook-id': 'm1', 'X-Mark': 'y' });
  await listener.shown(1);
  status = 500;
  expect((await answer(listener, 'm2')).status).toBe(200);
  const [one, other] = await listener.shown(2);
  // What was accepted once stays so, though it is forwarded again.
  await answer(listener, 'm1');
  expect((await listener.shown(3)).at(-1)).toMatchObject({ forward: { status: 500 }, state: 'accepted' });
  expect(one).toMatchObject({ forward: { url: target(), status: 200 }, state: 'accepted', attempts: 1 });
  expect(other).toMatchObject({ forward: { status: 500 }, state: 'pending' });
  expect(app.received[0]).toMatchObject({ method: 'POST', url: '/in', body });
  expect(app.received[0]?.headers).toMatchObject({ 'webhook-id': 'm1', 'x-mark': 'y' });
});

it('--forward has the body to the byte and the headers as they came, but hop by hop', async () => {
  const seen: { raw: readonly string[]; body: Buffer }[] = [];
  const server = createServer(async (message, response) => {
    seen.push({ raw: message.rawHeaders, body: Buffer.concat(await message.toArray()) });
    response.writeHead(204).end();
  });
  const url = `http://127.0.0.1:${await listening(server)}/in?a=1`;
  const kept = [
    ['webhook-ID', 'msg_1'],
    ['X-Same', 'one'],
    ['x-same', 'two'],
    ['X-Latin', 'caf\u00e9'],
  ] as const;
  const hops = 'Host Connection Transfer-Encoding Expect Keep-Alive TE Proxy-Authorization'.split(' ');
  const headers = [...hops.map((name) => [name, 'x'] as const), ...kept];
  const limits = { timeoutMs: 500_000, clock: quickClock, interrupted: new AbortController().signal };
  expect(await forward({ headers, body: BYTES }, url, limits)).toMatchObject({ url, status: 204 });
  expect(seen[0]?.body.equals(BYTES)).toBe(true);
  const own = ['Host', new URL(url).host, 'Content-Length', String(BYTES.length)];
  expect(seen.map(({ raw }) => raw)).toEqual([[...own, ...kept.flat(), 'Connection', 'close']]);
  await closing(server, () => server.closeAllConnections());
});

it('--forward is sent once, follows no redirect, gives up after its time, and says why nobody took it', async () => {
  const listener = await listen(['--forward', target(), '--timeout', '3']);
  status = 302;
  await send(listener, 'm1');
  expect((await listener.shown(1)).at(-1)).toMatchObject({ forward: { status: 302 }, state: 'pending' });
  expect(app.received).toHaveLength(1);
  status = 0;
  await send(listener, 'm2');
  await until(() => app.received.length === 2);
  advance(3000);
  expect((await listener.shown(2)).at(-1)).toMatchObject({ forward: { error: 'no response in 3 s' } });
  await app.close();
  await send(listener, 'm3');
  expect((await listener.shown(3)).at(-1)).toMatchObject({ forward: { error: 'connection refused' } });
});

it('--exec runs for each, one after the other, and no word of a delivery reaches the shell', async () => {
  const facts = '|$TTCTL_EVENT|$TTCTL_DELIVERY_ID|$TTCTL_SIGNATURE|$TTCTL_REPEAT';
  const command = `mkdir ${file('alone')} || exit 9; cat >> ${file('out')}; echo "${facts}" >> ${file('out')}; echo hello; sleep 0.1; rmdir ${file('alone')}; exit 3`;
  const listener = await listen(['--exec', command]);
  const evil = `$(touch ${file('owned')});\`touch ${file('owned')}\`\u0000'"`;
  const id = evil.replace('\u0000', '');
  await Promise.all([post(listener.url, eventBody(evil), { 'webhook-id': id }), post(listener.url, 'é')]);
  expect((await listener.shown(2)).map(({ exec }) => exec)).toEqual([{ exit: 3 }, { exit: 3 }]);
  expect(readdirSync(file('.'))).not.toContain('owned');
  const text = readFileSync(file('out'), 'utf8');
  expect(text).toContain(`|${evil.replace('\u0000', '\uFFFD')}|`);
  expect(text).toContain('é||sha256:');
  const { stdout, stderr } = await listener.stop();
  expect(stdout).not.toContain('hello');
  expect(stderr.match(/hello/g)).toHaveLength(2);
});

it.runIf(process.platform !== 'win32')(
  '--exec that takes too long lets what it has started end by itself, though the shell ends at once',
  async () => {
    const program = `trap "sleep 0.2; echo ended >> ${file('out')}; exit" TERM; echo begun >> ${file('out')}; while :; do sleep 0.05; done`;
    const listener = await listen(['--exec', `sh -c '${program}'; true`]);
    await send(listener, 'm');
    await until(() => existsSync(file('out')) && lines('out')[0] === 'begun');
    advance(300_000);
    expect(await listener.shown(1)).toMatchObject([{ exec: { error: 'did not finish within 300 s' } }]);
    expect(lines('out')).toEqual(['begun', 'ended']);
  },
);

it.each([
  ['one that failed: its own code', [3], 6],
  ['several that failed alike: theirs', [3, 4], 6],
  ['some that failed: 8', [0, 3], 8],
  ['none that failed: 0', [0, 0], 0],
])('--exec with --limit ends by what became of them; %s', async (_what, codes, exit) => {
  const listener = await listen(['--exec', 'exit $(cat)', '--limit', String(codes.length)]);
  for (const [n, code] of codes.entries()) await answer(listener, `m${n}`, String(code));
  const end = await listener.ended;
  expect(end.exit, end.stderr).toBe(exit);
  if (exit === 8) expect(end.stderr).toContain('webhooks replay does it now');
});

it('--exec with --answer-after-handler responds once it was accepted', async () => {
  const listener = await listen(['--exec', `cat > /dev/null; ${mended()}`, '--answer-after-handler']);
  expect(await answer(listener, 'm')).toEqual({ status: 503, text: 'stored, but not forwarded: exit 1' });
  mend();
  expect(await answer(listener, 'm')).toEqual({ status: 200, text: 'stored and forwarded' });
});

it('a delivery that is not accepted is tried ten times: after 5 s, 30 s, 2 min, 10 min, 1 h and then hourly; then it has failed', async () => {
  const listener = await listen(['--exec', `echo "$TTCTL_REPEAT" >> ${file('out')}; exit 1`]);
  await send(listener, 'm');
  const waits = [5, 30, 120, 600, 3600, 3600, 3600, 3600, 3600];
  for (const [n, wait] of waits.entries()) {
    expect((await listener.shown(n + 1)).at(-1)).toMatchObject({ attempts: n + 1, state: 'pending' });
    // A moment early it is not tried: the next row would be there before that of the last moment.
    advance(wait * 1000 - 1);
    expect(await states()).toEqual({ m: 'pending' });
    expect(lines('out')).toHaveLength(n + 1);
    advance(1);
  }
  expect((await listener.shown(10)).at(-1)).toMatchObject({ attempts: 10, state: 'failed' });
  expect(await states()).toEqual({ m: 'failed' });
  expect(lines('out')).toEqual(['0', ...Array(9).fill('1')]);
  // The next listener begins anew.
  await listener.stop();
  const next = await listen(['--exec', 'true', '--limit', '1']);
  expect((await next.ended).exit).toBe(0);
  expect(await states()).toEqual({ m: 'accepted' });
});

it('a delivery that is not accepted keeps nobody waiting, and is tried at once when it is sent again, beside its next attempt', async () => {
  const command = `echo "$TTCTL_DELIVERY_ID" >> ${file('out')}; test "$TTCTL_DELIVERY_ID" = b || ${mended()}`;
  const listener = await listen(['--exec', command]);
  await send(listener, 'a', 'b', 'a');
  await listener.shown(3);
  expect(await states()).toEqual({ a: 'pending', b: 'accepted' });
  advance(5000);
  await send(listener, 'c');
  await listener.shown(5);
  expect(lines('out')).toEqual(['a', 'b', 'a', 'a', 'c']);
  mend();
  advance(30_000);
  await listener.shown(7);
  expect(await states()).toEqual({ a: 'accepted', b: 'accepted', c: 'accepted' });
});

it('a delivery that is not accepted is left to whoever has replayed it meanwhile', async () => {
  const listener = await listen(['--exec', `echo x >> ${file('out')}; exit 1`]);
  await send(listener, 'm');
  await listener.shown(1);
  expect((await ttctl('replay', 'm', '--exec', 'true')).exit).toBe(0);
  advance(5000);
  await send(listener, 'n');
  await listener.shown(2);
  expect([lines('out').length, await states()]).toEqual([2, { m: 'accepted', n: 'pending' }]);
});

it('the next listener forwards what is left, in the order it came, and counts it with --limit', async () => {
  const first = await listen(['--exec', 'exit 1']);
  await send(first, 'm1', 'm2');
  await first.shown(2);
  expect((await first.stop()).stdout).not.toContain('accepted');
  // Of other events, and where nothing is forwarded, it stays.
  const deaf = await listen([]);
  await send(deaf, 'none');
  await deaf.stop();
  const other = await listen(['--exec', 'true', '--event', 'other']);
  expect((await other.stop()).stdout).toBe('');
  const second = await listen(['--exec', 'test "$TTCTL_DELIVERY_ID $TTCTL_REPEAT" = "m2 1"', '--limit', '2']);
  const { exit, stderr, stdout } = await second.ended;
  expect([exit, stderr]).toEqual([8, expect.stringContaining('1 of 2 deliveries not forwarded')]);
  expect(stdout.match(/"id":"m."/g)).toEqual(['"id":"m1"', '"id":"m2"']);
  expect(await states()).toEqual({ m1: 'pending', m2: 'accepted', none: null });
});

it('the next listener forwards what one without --exec had kept, once that is sent again', async () => {
  const first = await listen([]);
  await send(first, 'm');
  await first.stop();
  const second = await listen(['--exec', 'exit 1']);
  await send(second, 'm');
  expect(await second.shown(1)).toMatchObject([{ repeat: true, state: 'pending' }]);
  await second.stop();
  expect(await states()).toEqual({ m: 'pending' });
});

it('the next listener is alone: two never forward from one folder', async () => {
  const first = await listen(['--exec', 'true']);
  const second = await ttctl('listen', '--port', '0', '--exec', 'true', '--limit', '1');
  expect([second.exit, second.stderr]).toEqual([1, expect.stringContaining('is in use by process')]);
  await first.stop();
  const next = await listen(['--exec', 'true', '--limit', '1']);
  await send(next, 'm');
  expect((await next.ended).exit).toBe(0);
});

it('forwards one after the other, and answers who waits when it is stopped', async () => {
  const held: (() => void)[] = [];
  const slow = await startServer((_request, response) => held.push(() => response.end()));
  const address = `http://127.0.0.1:${slow.port}/`;
  const listener = await listen(['--forward', address, '--answer-after-handler']);
  const answers = Array.from({ length: 5 }, (_, n) => answer(listener, `m${n}`));
  const areKept = async () => Object.values(await states()).join() === Array(5).fill('pending').join();
  await until(async () => held.length === 1 && (await areKept()));
  held[0]?.();
  await until(() => held.length === 2);
  await listener.stop();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 503, 503, 503, 503]);
  expect([
    held.length,
    Object.values(await states())
      .sort()
      .join(),
  ]).toEqual([2, 'accepted,pending,pending,pending,pending']);
  await slow.close();
});

const keep = async (...ids: string[]) => {
  const listener = await listen([]);
  await send(listener, ...ids);
  await listener.stop();
};

it('webhooks replay forwards what was kept to the letter, marked', async () => {
  const listener = await listen([]);
  const headers = { 'webhook-id': 'm1', 'X-Case': 'kept', 'content-type': 'application/x-bytes' };
  await post(listener.url, BYTES, headers);
  await listener.stop();
  const command = `cat > '${file('body')}'; test "$TTCTL_REPLAY" = 1`;
  const done = await ttctl('replay', 'm1', '--forward', target(), '--exec', command, '--json');
  expect(JSON.parse(done.stdout)).toEqual([
    {
      ...{ target: 'm1', operation: 'webhooks.replay', status: 'done' },
      message: expect.stringMatching(/^200 in \d+ ms, exit 0$/),
    },
  ]);
  expect(readFileSync(file('body')).equals(BYTES)).toBe(true);
  expect(app.received[0]?.headers).toMatchObject({ 'ttctl-replay': 'true', 'x-case': 'kept' });
});

it('webhooks replay fails with the code of what was answered', async () => {
  await keep('m1', 'm2');
  const exitOf = async (...args: string[]) => (await ttctl('replay', ...args)).exit;
  const isFirst = 'test "$TTCTL_DELIVERY_ID" = m1';
  status = 400;
  expect(await exitOf('m1', '--forward', target())).toBe(6);
  status = 503;
  expect(await exitOf('m1', 'm2', '--forward', target())).toBe(7);
  expect(await exitOf('m1', '--exec', 'exit 9')).toBe(6);
  expect(await exitOf('m1', 'm2', '--exec', isFirst)).toBe(8);
  expect(await exitOf('m1')).toBe(2);
  expect(await exitOf('m1', '--failed', '--exec', 'true')).toBe(2);
  const before = app.received.length;
  expect(await exitOf('m1', 'nobody', '--forward', target())).toBe(2);
  expect(await exitOf('m1', '--forward', target(), '--dry-run')).toBe(0);
  expect(app.received).toHaveLength(before);
});

it('webhooks replay --failed forwards whatever was not accepted, the earliest first, and then it is', async () => {
  await keep('none');
  const listener = await listen(['--exec', 'test "$TTCTL_DELIVERY_ID" = m2']);
  await send(listener, 'm1', 'm2', 'm3');
  await listener.shown(3);
  await listener.stop();
  const replay = (command: string, ...args: string[]) =>
    ttctl('replay', '--failed', '--exec', command, '--json', ...args);
  expect((await replay('exit 3', '--dry-run')).stdout).toContain('"planned"');
  expect((await replay('exit 3')).exit).toBe(6);
  expect((await replay(`echo "$TTCTL_DELIVERY_ID" >> ${file('out')}`)).exit).toBe(0);
  expect(lines('out')).toEqual(['m1', 'm3']);
  expect(await states()).toEqual({ none: null, m1: 'accepted', m2: 'accepted', m3: 'accepted' });
  expect(await replay('true')).toMatchObject({ exit: 0, stdout: '[]\n' });
});

const store = () => file('webhooks');
const change = (id: string, facts: object) => {
  for (const name of readdirSync(store()).filter((one) => one.endsWith('.json'))) {
    const path = join(store(), name);
    const stored = JSON.parse(readFileSync(path, 'utf8'));
    if (stored.id === id) writeFileSync(path, JSON.stringify({ ...stored, ...facts }), { mode: 0o600 });
    utimesSync(path, 0, 0);
  }
};
const prune = (...args: string[]) => ttctl('received', 'prune', '--older-than', '30d', ...args);

it('webhooks received prune removes what is old, once it is confirmed, what is pending only by name, and nothing unreadable', async () => {
  const listener = await listen(['--exec', 'true']);
  await send(listener, 'accepted', 'failed', 'pending', 'none', 'new', 'damaged');
  await listener.shown(6);
  await listener.stop();
  const received_at = '2020-01-01T00:00:00Z';
  for (const state of ['accepted', 'failed', 'pending']) change(state, { received_at, state });
  change('none', { received_at, state: null });
  change('damaged', { key: 'x' });
  const idsOf = async () =>
    Object.keys(await states())
      .filter((id) => !/^[0-9a-f]{32}$/.test(id))
      .sort();
  expect(await prune()).toMatchObject({ exit: 2, stderr: expect.stringContaining('--yes') });
  const planned = await prune('--dry-run', '--json');
  expect(JSON.parse(planned.stdout)).toMatchObject({ deliveries: 3, planned: true });
  const failed = await prune('--state', 'failed', '--yes', '--json');
  expect(JSON.parse(failed.stdout)).toMatchObject({ deliveries: 1 });
  expect(await idsOf()).toEqual(['accepted', 'new', 'none', 'pending']);
  const rest = await prune('--yes');
  expect([rest.exit, rest.stderr]).toEqual([0, expect.stringContaining('1 delivery is still pending')]);
  expect(await idsOf()).toEqual(['new', 'pending']);
  expect((await prune('--yes', '--state', 'pending')).exit).toBe(0);
  expect(await idsOf()).toEqual(['new']);
  expect(readdirSync(store()).filter((name) => name.endsWith('.json'))).toHaveLength(2);
});
