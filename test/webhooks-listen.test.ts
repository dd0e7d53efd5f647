import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, finished, type Home, runBinary, startBinary } from './support/binary.ts';
import { type Listener, startListener } from './support/listener.ts';
import { type LoopbackServer, startServer } from './support/loopback-server.ts';
import { openTerminal } from './support/pty.ts';
import { lineFrom } from './support/reading.ts';
import { eventBody, post, signedHeaders } from './support/webhook-sender.ts';

/** `webhooks listen`, `received` and `replay` as processes. */

const TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const KEY = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');

let home: Home;
const running: Listener[] = [];
beforeEach(() => {
  home = cleanHome();
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  home.remove();
});

const listen = async (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) => {
  const listener = await startListener(args, { ...home.env, ...env });
  running.push(listener);
  return listener;
};
const ttctl = (...args: string[]) => runBinary(args, { env: home.env });
const store = () => join(home.folder, '.local/state/ttctl/webhooks');
const kept = () => readdirSync(store()).filter((name) => name.endsWith('.json'));

const sign = (body: string, id: string, key: Uint8Array = KEY) =>
  signedHeaders(body, { id, key, seconds: Math.floor(Date.now() / 1000) });

describe('webhooks listen', () => {
  it('shows, keeps and answers; a repeat is told and kept once', async () => {
    const { url, lines, child, ended, ready } = await listen([], { TTCTL_WEBHOOK_TOKEN: TOKEN });
    const body = eventBody('project.created', { id: 1108, name: 'Website' });
    const headers = sign(body, 'msg_1');
    expect(await post(url, body, headers)).toEqual({ status: 200, text: 'kept' });
    expect(await post(url, body, headers)).toEqual({ status: 200, text: 'kept' });
    expect((await post(url, body, sign(body, 'msg_2', Buffer.from('x')))).status).toBe(200);
    expect((await post(`${url}a?b=1`, 'a=1', { 'content-type': 'text/plain' })).status).toBe(200);
    const rows = (await lines(4)).map((line) => JSON.parse(line));
    expect(rows[0]).toEqual({
      id: 'msg_1',
      event: 'project.created',
      received_at: expect.stringMatching(/^20\d\d-.*Z$/),
      size: Buffer.byteLength(body),
      signature: 'valid',
      signature_detail: null,
      path: '/',
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      repeat: false,
      state: null,
      attempts: 0,
      next_attempt_at: null,
      last_error: null,
      summary: 'id 1108, name Website',
      payload: JSON.parse(body),
      text: null,
      base64: null,
    });
    expect(rows.map(({ signature, repeat }) => [signature, repeat])).toEqual([
      ['valid', false],
      ['valid', true],
      ['invalid', false],
      ['none', false],
    ]);
    expect(rows[3]).toMatchObject({ event: null, path: '/a?b=1', text: 'a=1', payload: null });
    expect(kept()).toHaveLength(3);
    expect(ready).toMatchObject({ url, store: store() });
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ exit: 130 });
  });

  it('says where other machines can reach it, and whether signatures are checked', async () => {
    const said = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const line = ['webhooks', 'listen', '--port', '0', ...args];
      const child = startBinary(line, { env: { ...home.env, ...env } });
      const ended = finished(child);
      await lineFrom(child.stderr, /Ctrl-C/);
      child.kill('SIGINT');
      return (await ended).stderr;
    };
    const wild = ['--host', '0.0.0.0'];
    const [alone, open, checked, strict] = await Promise.all([
      said([]),
      said(wild),
      said(wild, { TTCTL_WEBHOOK_TOKEN: TOKEN }),
      said([...wild, '--require-signature'], { TTCTL_WEBHOOK_TOKEN: TOKEN }),
    ]);
    expect(alone).not.toMatch(/other machines|signature/i);
    for (const text of [open, checked, strict])
      expect(text).toContain('Other machines can reach the listener');
    expect(open).toContain('Signatures are not verified');
    expect(checked).toContain('To refuse them, add --require-signature.');
    expect(strict).not.toMatch(/signature/i);
  });

  it('ends with 143 when it is terminated, and frees its port', async () => {
    const { child, ended, ready } = await listen();
    child.kill('SIGTERM');
    expect((await ended).exit).toBe(143);
    const again = await startListener(['--port', String(ready['port'])], home.env);
    running.push(again);
    const second = await ttctl('webhooks', 'listen', '--port', String(ready['port']));
    expect(second.exit).toBe(1);
    expect(second.stderr).toMatch(/cannot listen on 127\.0\.0\.1, port \d+[\s\S]*--port 0/);
  });

  it('shows only the events named, and keeps all; ends after --limit with 0', async () => {
    const { url, ended } = await listen(['--event', 'a,b', '--event', 'c', '--limit', '2']);
    for (const event of ['x', 'b', 'y', 'c']) await post(url, eventBody(event));
    const { stdout, exit } = await ended;
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['b', 'c']);
    expect(exit).toBe(0);
    expect(kept()).toHaveLength(4);
  });

  it('with --require-signature refuses what is not signed, and keeps nothing of it', async () => {
    const { url } = await listen(['--require-signature'], { TTCTL_WEBHOOK_TOKEN: TOKEN });
    const body = eventBody('a');
    expect((await post(url, body)).status).toBe(401);
    expect((await post(url, body, { 'x-token': TOKEN })).status).toBe(401);
    expect((await post(url, body, sign(body, 'm', Buffer.from('x')))).status).toBe(401);
    expect(kept()).toEqual([]);
    expect((await post(url, body, sign(body, 'm'))).status).toBe(200);
    expect(kept()).toHaveLength(1);
    const without = await ttctl('webhooks', 'listen', '--require-signature');
    expect(without).toMatchObject({ exit: 2, stderr: expect.stringContaining('TTCTL_WEBHOOK_TOKEN') });
  });

  it('takes its token from stdin too, and never shows it', async () => {
    const child = startBinary(
      ['webhooks', 'listen', '--port', '0', '--token-stdin', '--limit', '1', '--json', '--debug'],
      { env: home.env },
    );
    const end = finished(child, `${TOKEN}\n`);
    const [, url = ''] = await lineFrom(child.stderr, /"url":"([^"]+)"/);
    const body = eventBody('a', { token: TOKEN, note: `see ${TOKEN}` });
    await post(url, body, { ...sign(body, 'm'), 'x-token': TOKEN });
    const { stdout, stderr } = await end;
    expect(JSON.parse(stdout)).toMatchObject({ signature: 'valid', payload: { data: { token: '***' } } });
    expect(stdout + stderr).not.toContain(TOKEN.slice(6));
  });

  it('makes what comes harmless to a terminal', async () => {
    const terminal = openTerminal(['webhooks', 'listen', '--port', '0', '--show-body'], { env: home.env });
    await terminal.until(/Listening on (\S+)\s/);
    const url = /Listening on (\S+)\s/.exec(terminal.screen())?.[1] ?? '';
    const steer = '\u001b]0;owned\u0007\u202eevil\n::error::x';
    await post(url, eventBody(`a${steer}`, { name: steer }), { 'webhook-id': 'id' });
    await post(url, `plain ${steer}`, { 'content-type': 'text/plain' });
    await terminal.until(/plain/);
    terminal.type('\u0003');
    const { screen, exit } = await terminal.ended;
    expect(exit).toBe(130);
    expect(screen).toContain('\\x1b]0;owned\\x07\\u202eevil');
    expect(screen).not.toContain('\u001b]0;');
    expect(screen).not.toContain('\u202e');
    expect(screen).toMatch(/2 deliveries stored in/);
  });

  it('answers 503, and says why, where it cannot keep a delivery', async () => {
    const { url, child, ended, lines } = await listen();
    rmSync(store(), { recursive: true });
    writeFileSync(store(), 'a file in its place');
    expect(await post(url, eventBody('a'))).toEqual({
      status: 503,
      text: 'it could not be stored; send it again',
    });
    renameSync(store(), `${store()}.away`);
    expect((await post(url, eventBody('a'))).status).toBe(503);
    const trial = await ttctl(
      'webhooks',
      'listen',
      '--port',
      '0',
      '--limit',
      '1',
      '--store',
      `${store()}.away`,
    );
    expect(trial).toMatchObject({ exit: 1, stderr: expect.stringContaining('webhooks.away') });
    await runBinary(['webhooks', 'listen', '--port', '0', '--dry-run'], { env: home.env });
    expect((await post(url, eventBody('a'))).status).toBe(200);
    await lines(1);
    child.kill('SIGINT');
    const { stderr } = await ended;
    expect(stderr.match(/"error":\{"code"/g)).toHaveLength(2);
  });

  it('finds wrong flags before it listens', async () => {
    for (const [flags, words] of [
      [['--port', '70000'], '--port: "70000" is not a port'],
      [['--path', 'hook'], 'does not begin with /'],
      [['--forward', 'localhost:3000'], 'is not a web address'],
      [['--forward-status'], '--forward-status needs --forward'],
      [['--url', 'https://x.example'], '--url needs --create'],
      [['--create', '--webhook', 'x'], '--webhook and --create cannot be used together'],
      [['--port', '4794', '--forward', 'http://localhost:4794/x'], 'names this listener itself'],
      [['--limit', '0'], '--limit'],
    ] as const) {
      const { exit, stderr } = await ttctl('webhooks', 'listen', ...flags);
      expect(exit, stderr).toBe(2);
      expect(stderr).toContain(words);
    }
  });
});

describe('handing on', () => {
  let app: LoopbackServer;
  let status = 200;
  beforeEach(async () => {
    status = 200;
    app = await startServer((_request, response) => response.writeHead(status).end('said'));
  });
  afterEach(() => app.close());
  const target = () => `http://127.0.0.1:${app.port}/in`;

  it('forwards as it came, and answers 200 whatever becomes of it', async () => {
    const { url, lines } = await listen(['--forward', target()]);
    const body = eventBody('a', { name: 'é😀\u0000' });
    await post(url, body, { 'webhook-id': 'm1', 'X-Mark': 'y' });
    await lines(1);
    status = 500;
    expect((await post(url, body, { 'webhook-id': 'm2' })).status).toBe(200);
    const rows = (await lines(2)).map((line) => JSON.parse(line));
    expect(rows[0].forward).toEqual({ url: target(), status: 200, ms: expect.any(Number) });
    expect(rows[1].forward.status).toBe(500);
    expect(app.received[0]).toMatchObject({ method: 'POST', url: '/in', body });
    expect(app.received[0]?.headers).toMatchObject({ 'webhook-id': 'm1', 'x-mark': 'y' });
  });

  it('with --forward-status passes the answer on, and a repeat is forwarded again', async () => {
    const { url } = await listen(['--forward', target(), '--forward-status']);
    const send = async () => (await post(url, eventBody('a'), { 'webhook-id': 'm' })).status;
    status = 422;
    expect(await send()).toBe(422);
    status = 302;
    expect(await send()).toBe(502);
    status = 204;
    expect(await send()).toBe(204);
    expect(app.received).toHaveLength(3);
    expect(kept()).toHaveLength(1);
    await app.close();
    expect(await send()).toBe(502);
  });

  it('runs a command for each, one after the other, and no word of a delivery reaches the shell', async () => {
    const out = join(home.folder, 'out');
    const command = `cat >> '${out}'; echo "|$TTCTL_EVENT|$TTCTL_DELIVERY_ID|$TTCTL_SIGNATURE|$TTCTL_REPEAT" >> '${out}'; echo hello; exit 3`;
    const { url, lines, child, ended } = await listen(['--exec', command]);
    const evil = `$(touch ${home.folder}/owned);\`touch ${home.folder}/owned\`\u0000'"`;
    await Promise.all([
      post(url, eventBody(evil), { 'webhook-id': evil.replace('\u0000', '') }),
      post(url, 'é'),
    ]);
    const rows = (await lines(2)).map((line) => JSON.parse(line));
    expect(rows.map(({ exec }) => exec)).toEqual([{ exit: 3 }, { exit: 3 }]);
    expect(readdirSync(home.folder)).not.toContain('owned');
    const text = readFileSync(out, 'utf8');
    expect(text).toContain(`|${evil.replace('\u0000', '\uFFFD')}|`);
    expect(text).toContain('é||sha256:');
    child.kill('SIGINT');
    const { stdout, stderr } = await ended;
    expect(stdout).not.toContain('hello');
    expect(stderr.match(/hello/g)).toHaveLength(2);
  });

  it.each([
    ['one that failed: its own code', [3], 6],
    ['several that failed alike: theirs', [3, 4], 6],
    ['some that failed: 8', [0, 3], 8],
    ['none that failed: 0', [0, 0], 0],
  ])('with --limit ends by what became of them; %s', async (_what, codes, exit) => {
    const command = 'exit $(cat)';
    const { url, ended } = await listen(['--exec', command, '--limit', String(codes.length)]);
    for (const code of codes) await post(url, String(code), { 'webhook-id': `m${code}` });
    const end = await ended;
    expect(end.exit, end.stderr).toBe(exit);
    if (exit === 8) expect(end.stderr).toContain('webhooks replay');
  });

  it('with --limit ends with the code of what --forward was told', async () => {
    const { url, ended } = await listen(['--forward', target(), '--limit', '1']);
    status = 503;
    await post(url, eventBody('a'));
    expect((await ended).exit).toBe(7);
  });

  it('says how to hand it on again by a line that does that, whatever the sender called it', async () => {
    const listener = startBinary(['webhooks', 'listen', '--port', '0', '--exec', 'exit 3', '--limit', '1'], {
      env: home.env,
    });
    const ended = finished(listener);
    const [, url = ''] = await lineFrom(listener.stderr, /Listening on (\S+)$/);
    await post(url, eventBody('a'), { 'webhook-id': 'x; touch owned' });
    const line = /Forward it again with: ttctl (.*)/.exec((await ended).stderr)?.[1];
    expect(line).toBe("webhooks replay 'x; touch owned' --exec 'exit 3'");
    const again = await ttctl('webhooks', 'replay', 'x; touch owned', '--exec', 'exit 0');
    expect(again.exit, again.stderr).toBe(0);
  });

  it('replays what was kept to the letter, marked', async () => {
    const { url, child, ended } = await listen([]);
    const first = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, i) => i)), Buffer.from('é')]);
    await post(url, first, { 'webhook-id': 'm1', 'X-Case': 'kept', 'content-type': 'application/x-bytes' });
    await post(url, eventBody('b'), { 'webhook-id': 'm2' });
    child.kill('SIGINT');
    await ended;
    const list = await ttctl('webhooks', 'received', '--output', 'ids');
    expect(list.stdout.trim().split('\n').sort()).toEqual(['m1', 'm2']);
    const file = join(home.folder, 'body');
    const done = await ttctl(
      'webhooks',
      'replay',
      'm1',
      '--forward',
      target(),
      '--exec',
      `cat > '${file}'; test "$TTCTL_REPLAY" = 1`,
      '--json',
    );
    expect(done.exit).toBe(0);
    expect(JSON.parse(done.stdout)).toEqual([
      {
        target: 'm1',
        operation: 'webhooks.replay',
        status: 'done',
        message: expect.stringMatching(/^200 in \d+ ms, exit 0$/),
      },
    ]);
    expect(readFileSync(file).equals(first)).toBe(true);
    expect(app.received[0]?.headers).toMatchObject({
      'ttctl-replay': 'true',
      'x-case': 'kept',
      'webhook-id': 'm1',
    });
    expect(app.received[0]?.body).toBe(first.toString());
    const both = await runBinary(['webhooks', 'replay', '-', '--forward', target()], {
      env: home.env,
      input: list.stdout,
    });
    expect(both).toMatchObject({ exit: 0, stderr: expect.stringContaining('2 replayed') });
  });

  it('fails with the code of what was answered', async () => {
    const { url, child, ended } = await listen([]);
    await post(url, '{}', { 'webhook-id': 'm1' });
    await post(url, '{}', { 'webhook-id': 'm2' });
    child.kill('SIGINT');
    await ended;
    const replay = (...args: string[]) => ttctl('webhooks', 'replay', ...args);
    status = 400;
    expect((await replay('m1', '--forward', target())).exit).toBe(6);
    status = 503;
    expect((await replay('m1', 'm2', '--forward', target())).exit).toBe(7);
    expect((await replay('m1', '--exec', 'exit 9')).exit).toBe(6);
    expect((await replay('m1', '--exec', 'test "$TTCTL_DELIVERY_ID" = m1')).exit).toBe(0);
    expect((await replay('m1', 'm2', '--exec', 'test "$TTCTL_DELIVERY_ID" = m1')).exit).toBe(8);
    expect(await replay('m1')).toMatchObject({ exit: 2, stderr: expect.stringContaining('--forward') });
    const before = app.received.length;
    expect((await replay('m1', 'nobody', '--forward', target())).exit).toBe(2);
    expect((await replay('m1', '--forward', target(), '--dry-run')).exit).toBe(0);
    expect(app.received).toHaveLength(before);
  });
});

describe('webhooks received', () => {
  it('lists in every format, and hides secrets of one unless told', async () => {
    const { url, child, ended } = await listen([]);
    const body = eventBody('a', { token: 'tok-canary-123', name: 'Ana' });
    await post(url, body, {
      'webhook-id': 'm1',
      'webhook-signature': 'v1,canary',
      'x-api-key': 'key-canary',
    });
    child.kill('SIGINT');
    await ended;
    for (const format of ['table', 'json', 'ndjson', 'csv', 'tsv', 'markdown', 'ids']) {
      const { stdout, exit } = await ttctl('webhooks', 'received', '--output', format);
      expect(exit).toBe(0);
      expect(stdout).toContain('m1');
      expect(stdout).not.toContain('canary');
      const one = await ttctl('webhooks', 'received', 'm1', '--output', format);
      expect(one.stdout).toContain('m1');
      expect(one.stdout).not.toContain('canary');
    }
    const whole = await ttctl('webhooks', 'received', 'm1', '--show-secrets', '--json');
    expect(JSON.parse(whole.stdout)).toMatchObject({
      event: 'a',
      signature: 'unchecked',
      headers: { 'webhook-signature': 'v1,canary', 'x-api-key': 'key-canary' },
      payload: JSON.parse(body),
    });
    expect(await ttctl('webhooks', 'received', 'none')).toMatchObject({ exit: 2 });
    expect((await ttctl('webhooks', 'received', '--store', join(home.folder, 'none'), '--json')).stdout).toBe(
      '[]\n',
    );
    expect((await ttctl('webhooks', 'received', '--event', 'b', '--json')).stdout).toBe('[]\n');
  });
});
