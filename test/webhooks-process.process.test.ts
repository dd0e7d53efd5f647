import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from './support/clocks.ts';
import { useCli } from './support/use-cli.ts';
import { eventBody, type Listener, post, startListener, useListeners } from './support/webhooks.ts';

/** `webhooks listen` as a process: signals, kills, a terminal; and what nobody well-meaning sends or writes. */

const t = useCli();
const start = (...args: string[]) => startListener(args, t.processEnv());

it('ends with 143 when it is terminated, and frees its port', async () => {
  const { child, ended, ready } = await start();
  child.kill('SIGTERM');
  expect((await ended).exit).toBe(143);
  await start('--port', String(ready['port']));
  const second = await t.process(`webhooks listen --port ${ready['port']}`);
  expect(second.exit).toBe(1);
  expect(second.stderr).toMatch(/cannot listen on 127\.0\.0\.1, port \d+[\s\S]*--port 0/);
});

it('leaves to the next one what it has not forwarded, whatever ends it', async () => {
  const states = async () => (await t.rows('webhooks received')).map(({ state }) => state);
  const output = () => (existsSync(t.file('out')) ? t.text('out') : '');
  const sendTo = async ({ url }: Listener, id: string) =>
    expect((await post(url, eventBody('a'), { 'webhook-id': id })).status).toBe(200);
  const hangs = `echo $$ >> ${t.file('out')}; exec sleep 60`;

  const first = await start('--exec', hangs);
  for (const id of ['m1', 'm2']) await sendTo(first, id);
  await until(() => output().endsWith('\n'));
  first.child.kill('SIGTERM');
  expect((await first.ended).exit).toBe(143);
  // The command got the signal too.
  expect(() => process.kill(Number(output()), 0)).toThrow('ESRCH');
  expect(await states()).toEqual(['pending', 'pending']);

  const second = await start('--exec', hangs);
  await until(() => output().split('\n').length === 3);
  second.child.kill('SIGKILL');
  await second.ended;
  process.kill(Number(output().split('\n')[1]));

  const third = await start('--exec', `echo "$TTCTL_DELIVERY_ID" >> ${t.file('out')}`, '--limit', '2');
  expect((await third.ended).exit).toBe(0);
  expect(output()).toMatch(/^\d+\n\d+\nm1\nm2\n$/);
  expect(await states()).toEqual(['accepted', 'accepted']);
});

it('makes what comes harmless to a terminal', async () => {
  const terminal = t.terminal('webhooks listen --port 0');
  await terminal.until(/Listening on (\S+)\s/);
  const url = /Listening on (\S+)\s/.exec(terminal.screen())?.[1] ?? '';
  const steer = '\u001b]0;owned\u0007\u202eevil\n::error::x';
  await post(url, eventBody(`a${steer}`, { name: steer }), { 'webhook-id': 'id' });
  await post(url, `plain ${steer}`, { 'content-type': 'text/plain' });
  await terminal.until(/not readable/);
  terminal.type('\u0003');
  const { screen, exit } = await terminal.ended;
  expect(exit).toBe(130);
  expect(screen).toContain('\\x1b]0;owned\\x07\\u202eevil');
  expect(screen).not.toContain('\u001b]0;');
  expect(screen).not.toContain('\u202e');
});

const { file, listen, received, send, ttctl } = useListeners();
const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);

it('answers every hostile body, keeps it, shows it in every format, and hands it on', async () => {
  const hostile: Readonly<Record<string, string | Uint8Array>> = {
    '5,000 lists in one another': nested(5_000),
    '100,000 lists in one another': nested(100_000),
    '5,000 objects in one another': `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    'an event with deep data': `{"event":"deep","data":${nested(5_000)}}`,
    'lists that do not end': '['.repeat(200_000),
    'members with the names of methods': '{"toString":1,"event":{"toString":1},"data":{"toString":{}}}',
    'a prototype': '{"__proto__":{"event":"x"},"constructor":null}',
    '20,000 members': `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join()}}`,
    'numbers beyond all measure': '{"id":1e400,"n":123456789012345678901234567890}',
    'one text of a megabyte': JSON.stringify('x'.repeat(1_000_000)),
    'controls and marks of CI runners': '{"event":"\\u001b[2J","data":"##vso[task]\\u202e"}',
    'bytes that are no text': Uint8Array.of(0xff, 0xfe, 0x00, 0xd8),
    'zero bytes': new Uint8Array(1_000),
    'half a surrogate': '"\\ud800"',
    nothing: '',
  };
  // What the first keeps is a repeat to the second.
  for (const output of ['ndjson', 'table']) {
    const listener = await listen(['--output', output]);
    for (const [name, body] of Object.entries(hostile))
      expect([200, 400, 413], name).toContain((await post(listener.url, body)).status);
    expect((await post(listener.url, eventBody('member.invited'))).status).toBe(200);
    const { exit, stderr } = await listener.stop();
    expect([exit, stderr.includes('error')]).toEqual([130, false]);
  }
  const rows = await received();
  expect(rows).toHaveLength(readdirSync(file('webhooks')).length);
  expect(rows.map(({ event }) => event)).toContain('member.invited');
  const unread = rows.filter(({ summary }) => String(summary).startsWith('not readable as JSON'));
  // All that nest too deep, and bytes that are no text.
  expect(unread).toHaveLength(7);
  for (const format of ['table', 'ids', 'csv', 'markdown'])
    expect((await ttctl('received', '--output', format)).exit, format).toBe(0);
  for (const [n, { key }] of unread.entries()) {
    const shown = await ttctl('received', String(key), '--output', n % 2 ? 'ndjson' : 'table');
    expect([shown.exit, shown.stderr]).toEqual([0, '']);
  }
  const keys = rows.map(({ key }) => String(key));
  const replayed = await ttctl('replay', ...keys, '--exec', `wc -c >> ${file('sums')}`, '--json');
  expect(replayed.exit).toBe(0);
  expect(readFileSync(file('sums'), 'utf8').trim().split('\n')).toHaveLength(rows.length);
});

it('passes over what is no delivery, says so, and keeps new ones', async () => {
  const listener = await listen([]);
  await send(listener, 'good');
  const keyOf = (n: number) => String(n).repeat(32);
  const lies: readonly ((path: string) => void)[] = [
    (path) => writeFileSync(path, '{"version":1,"id":"a","bo'),
    (path) => writeFileSync(path, nested(100_000)),
    (path) => writeFileSync(path, Buffer.alloc(17 * 1024 * 1024, ' ')),
    (path) => void execFileSync('mkfifo', [path]),
    (path) => mkdirSync(path),
    (path) => symlinkSync('/dev/zero', path),
    (path) => symlinkSync('nowhere', path),
    (path) => writeFileSync(path, JSON.stringify({ version: 1, body: '' })),
  ];
  for (const [n, lay] of lies.entries()) lay(join(file('webhooks'), `delivery.${keyOf(n + 1)}.json`));
  expect((await received()).map(({ id }) => id)).toEqual(['good']);
  const listed = await ttctl('received');
  expect(listed.stdout).toContain(' BYTES ');
  expect([listed.exit, listed.stderr.match(/^warning: /gm)?.length]).toEqual([0, lies.length]);
  // Only what is damaged is to be removed.
  expect(listed.stderr).toContain('Move it away: mv ');
  expect(listed.stderr).toContain('Remove it: rm ');

  const { exit, stderr } = await ttctl('received', keyOf(4));
  expect([exit, stderr]).toEqual([1, expect.stringContaining(`delivery ${keyOf(4)} cannot be read`)]);
  const replayed = await ttctl('replay', keyOf(4), 'good', keyOf(1), '--exec', 'true', '--json');
  const statuses = JSON.parse(replayed.stdout).map(({ status }: { status: string }) => status);
  expect([replayed.exit, statuses]).toEqual([8, ['failed', 'done', 'failed']]);
  await send(listener, 'new');
  expect(await received()).toHaveLength(2);
});
