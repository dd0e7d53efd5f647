import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from './support/clocks.ts';
import { useCli } from './support/use-cli.ts';
import { eventBody, type Listener, post, startListener, useListeners } from './support/webhooks.ts';

/** `webhooks listen` as a process: signals, kills, commands that hang, a terminal; and what nobody well-meaning sends. */

describe('as a process', () => {
  const t = useCli();
  const start = (...args: string[]) => startListener(args, t.processEnv(), []);
  const listStates = async () => (await t.rows('webhooks received')).map(({ state }) => state);
  const sendTo = async ({ url }: Listener, ...ids: string[]) => {
    for (const id of ids) expect((await post(url, eventBody('a'), { 'webhook-id': id })).status).toBe(200);
  };
  const output = () => (existsSync(t.file('out')) ? t.text('out') : '');
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('ends with 143 when it is terminated, and frees its port', async () => {
    const { child, ended, ready } = await start();
    child.kill('SIGTERM');
    expect((await ended).exit).toBe(143);
    await start('--port', String(ready['port']));
    const second = await t.process(['webhooks', 'listen', '--port', String(ready['port'])]);
    expect(second.exit).toBe(1);
    expect(second.stderr).toMatch(/cannot listen on 127\.0\.0\.1, port \d+[\s\S]*--port 0/);
  });

  it.runIf(process.platform !== 'win32')(
    'leaves to the next one what it has not forwarded, whatever ends it',
    async () => {
      const first = await start('--exec', `echo $$ >> ${t.file('out')}; exec sleep 60`);
      await sendTo(first, 'm1', 'm2');
      await until(() => output().endsWith('\n'));
      first.child.kill('SIGTERM');
      expect((await first.ended).exit).toBe(143);
      // The command got the signal too.
      expect(isAlive(Number(output()))).toBe(false);
      expect(await listStates()).toEqual(['pending', 'pending']);
      const second = await start('--exec', `echo $$ >> ${t.file('out')}; exec sleep 60`);
      await until(() => output().split('\n').length === 3);
      second.child.kill('SIGKILL');
      await second.ended;
      process.kill(Number(output().split('\n')[1]));
      const third = await start('--exec', `echo "$TTCTL_DELIVERY_ID" >> ${t.file('out')}`, '--limit', '2');
      expect((await third.ended).exit).toBe(0);
      expect(output()).toMatch(/^\d+\n\d+\nm1\nm2\n$/);
      expect(await listStates()).toEqual(['accepted', 'accepted']);
    },
  );

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
});

describe('bodies and files that nobody well-meaning sends or writes', () => {
  const { file, listen, received, send, ttctl } = useListeners();

  const nested = (depth: number, open = '[', close = ']'): string => open.repeat(depth) + close.repeat(depth);

  const HOSTILE: readonly [name: string, body: string | Uint8Array][] = [
    ['5,000 lists in one another', nested(5_000)],
    ['half a million lists in one another', nested(500_000)],
    ['5,000 objects in one another', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
    ['an event with deep data', `{"event":"deep","data":${nested(5_000)}}`],
    ['lists that do not end', '['.repeat(1_000_000)],
    ['members with the names of methods', '{"toString":1,"event":{"toString":1},"data":{"toString":{}}}'],
    ['a prototype', '{"__proto__":{"event":"x"},"constructor":null}'],
    ['100,000 members', `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":${i}`).join()}}`],
    ['numbers beyond all measure', '{"id":1e400,"n":123456789012345678901234567890}'],
    ['one text of a megabyte', JSON.stringify('x'.repeat(1_000_000))],
    ['controls and marks of CI runners', '{"event":"\\u001b[2J","data":"##vso[task]\\u202e"}'],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x00, 0xd8)],
    ['zero bytes', new Uint8Array(1_000)],
    ['half a surrogate', '"\\ud800"'],
    ['nothing', ''],
  ];

  it.each(['ndjson', 'table'])(
    'answers every hostile body, keeps it, and goes on: --output %s',
    async (output) => {
      const listener = await listen(['--output', output]);
      for (const [name, body] of HOSTILE)
        expect([200, 400, 413], name).toContain((await post(listener.url, body)).status);
      expect((await post(listener.url, eventBody('member.invited'))).status).toBe(200);
      const { exit, stderr } = await listener.stop();
      expect([exit, stderr.includes('error')]).toEqual([130, false]);
      const rows = await received();
      expect(rows).toHaveLength(readdirSync(file('webhooks')).length);
      expect(rows.map(({ event }) => event)).toContain('member.invited');
      const deep = rows.filter(({ summary }) => String(summary).startsWith('not readable as JSON'));
      // All that nest too deep, and bytes that are no text.
      expect(deep).toHaveLength(7);
      for (const format of ['table', 'ids', 'csv', 'markdown'])
        expect((await ttctl('received', '--output', format)).exit, format).toBe(0);
      for (const { key } of deep) {
        const shown = await ttctl('received', String(key), '--output', output);
        expect([shown.exit, shown.stderr]).toEqual([0, '']);
      }
      const keys = rows.map(({ key }) => String(key));
      const replayed = await ttctl('replay', ...keys, '--exec', `wc -c >> ${file('sums')}`, '--json');
      expect(replayed.exit).toBe(0);
      expect(readFileSync(file('sums'), 'utf8').trim().split('\n')).toHaveLength(rows.length);
    },
  );

  /** What lies where a delivery should. */
  const KEY = (n: number): string => String(n).repeat(32);
  const LYING: Readonly<Record<string, (path: string) => void>> = {
    'a torn file': (path) => writeFileSync(path, '{"version":1,"id":"a","bo'),
    'a file that is too deep': (path) => writeFileSync(path, nested(100_000)),
    'a file that is far too large': (path) => writeFileSync(path, Buffer.alloc(17 * 1024 * 1024, ' ')),
    'a pipe': (path) => void execFileSync('mkfifo', [path]),
    'a folder': (path) => mkdirSync(path),
    'a link': (path) => symlinkSync('/dev/zero', path),
    'a link to nothing': (path) => symlinkSync('nowhere', path),
    'a file of other members': (path) => writeFileSync(path, JSON.stringify({ version: 1, body: '' })),
  };

  it('passes over what is no delivery, says so, and keeps new ones', async () => {
    const listener = await listen([]);
    await send(listener, 'good');
    const lies = Object.values(LYING);
    for (const [n, lay] of lies.entries()) lay(join(file('webhooks'), `delivery.${KEY(n + 1)}.json`));
    expect((await received()).map(({ id }) => id)).toEqual(['good']);
    const listed = await ttctl('received');
    expect(listed.stdout).toContain(' BYTES ');
    expect([listed.exit, listed.stderr.match(/^warning: /gm)?.length]).toEqual([0, lies.length]);
    // Only what is damaged is to be removed.
    expect(listed.stderr).toContain('Move it away: mv ');
    expect(listed.stderr).toContain('Remove it: rm ');

    const { exit, stderr } = await ttctl('received', KEY(4));
    expect([exit, stderr]).toEqual([1, expect.stringContaining(`delivery ${KEY(4)} cannot be read`)]);
    const replayed = await ttctl('replay', KEY(4), 'good', KEY(1), '--exec', 'true', '--json');
    expect(JSON.parse(replayed.stdout).map(({ status }: { status: string }) => status)).toEqual([
      ...['failed', 'done', 'failed'],
    ]);
    expect(replayed.exit).toBe(8);
    await send(listener, 'new');
    expect(await received()).toHaveLength(2);
  });
});
