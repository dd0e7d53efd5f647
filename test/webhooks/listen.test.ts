import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { eventBody, post, signedHeaders, useListeners } from '../support/webhooks.ts';

/** What `webhooks listen` receives and keeps, and what `received` shows of it. */

const TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const KEY = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
const withToken = { env: { TTCTL_WEBHOOK_TOKEN: TOKEN } };

const { file, listen, ttctl } = useListeners();
const store = () => file('webhooks');
const kept = () => readdirSync(store()).filter((name) => name.endsWith('.json'));
const sign = (body: string, id: string, key: Uint8Array = KEY) =>
  signedHeaders(body, { id, key, seconds: Math.floor(Date.now() / 1000) });

it('shows, keeps and answers; a repeat is told and kept once', async () => {
  const { url, shown, ready } = await listen([], withToken);
  const body = eventBody('project.created', { id: 1108, name: 'Website' });
  const headers = sign(body, 'msg_1');
  expect(await post(url, body, headers)).toEqual({ status: 200, text: 'kept' });
  expect(await post(url, body, headers)).toEqual({ status: 200, text: 'kept' });
  expect((await post(url, body, sign(body, 'msg_2', Buffer.from('x')))).status).toBe(200);
  expect((await post(`${url}a?b=1`, 'a=1', { 'content-type': 'text/plain' })).status).toBe(200);
  const rows = await shown(4);
  expect(rows[0]).toEqual({
    id: 'msg_1',
    event: 'project.created',
    received_at: expect.stringMatching(/^20\d\d-.*Z$/),
    size: Buffer.byteLength(body),
    signature: 'valid',
    signature_detail: null,
    path: '/',
    state: null,
    key: expect.stringMatching(/^[0-9a-f]{32}$/),
    repeat: false,
    attempts: 0,
    summary: '{"id":1108,"name":"Website"}',
    payload: JSON.parse(body),
    text: null,
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
});

it('says where other machines can reach it, and whether signatures are checked', async () => {
  const said = async (args: readonly string[], more: object = {}) => {
    const listener = await listen(['--output', 'table', ...args], more);
    return (await listener.stop()).stderr;
  };
  const wild = ['--host', '0.0.0.0'];
  expect(await said([])).not.toMatch(/other machines|signature/i);
  expect(await said(wild)).toMatch(/Other machines can reach the listener[\s\S]*Signatures are not verified/);
  expect(await said(wild, withToken)).not.toMatch(/signature/i);
});

it('shows only the events named, and keeps all; ends after --limit with 0', async () => {
  const { url, ended } = await listen(['--event', 'a,b', '--event', 'c', '--limit', '2']);
  for (const event of ['x', 'b', 'y', 'c']) await post(url, eventBody(event));
  const { stdout, exit } = await ended;
  expect(stdout.match(/"event":"."/g)).toEqual(['"event":"b"', '"event":"b"', '"event":"c"', '"event":"c"']);
  expect([exit, kept().length]).toEqual([0, 4]);
});

it('with --require-signature refuses what is not signed, and keeps nothing of it', async () => {
  const { url } = await listen(['--require-signature'], withToken);
  const body = eventBody('a');
  for (const headers of [{}, { 'x-token': TOKEN }, sign(body, 'm', Buffer.from('x'))])
    expect((await post(url, body, headers)).status).toBe(401);
  expect(kept()).toEqual([]);
  expect((await post(url, body, sign(body, 'm'))).status).toBe(200);
  expect(kept()).toHaveLength(1);
  const without = await ttctl('listen', '--require-signature');
  expect(without).toMatchObject({ exit: 2, stderr: expect.stringContaining('TTCTL_WEBHOOK_TOKEN') });
});

it('never shows its token', async () => {
  const { url, ended } = await listen(['--limit', '1', '--debug'], withToken);
  const body = eventBody('a', { token: TOKEN, note: `see ${TOKEN}` });
  await post(url, body, { ...sign(body, 'm'), 'x-token': TOKEN });
  const { stdout, stderr } = await ended;
  expect(JSON.parse(stdout)).toMatchObject({ signature: 'valid', payload: { data: { token: '***' } } });
  expect(stdout + stderr).not.toContain(TOKEN.slice(6));
});

it('answers 503, and says why, where it cannot keep a delivery', async () => {
  const { url, stop, shown } = await listen([]);
  rmSync(store(), { recursive: true });
  writeFileSync(store(), 'a file in its place');
  const refusal = { status: 503, text: 'it could not be stored; send it again' };
  expect(await post(url, eventBody('a'))).toEqual(refusal);
  renameSync(store(), `${store()}.away`);
  expect((await post(url, eventBody('a'))).status).toBe(503);
  const trial = await ttctl('listen', '--port', '0', '--limit', '1', '--store', `${store()}.away`);
  expect(trial).toMatchObject({ exit: 1, stderr: expect.stringContaining('webhooks.away') });
  await ttctl('listen', '--port', '0', '--dry-run');
  expect((await post(url, eventBody('a'))).status).toBe(200);
  await shown(1);
  expect((await stop()).stderr.match(/^warning: /gm)).toHaveLength(2);
});

it.each([
  ['--port 70000', '--port: "70000" is not a port'],
  ['--forward localhost:3000', 'is not a web address'],
  ['--answer-after-handler', '--answer-after-handler needs --forward or --exec'],
  ['--url https://x.example', '--url needs --create'],
  ['--create --webhook x', '--webhook and --create cannot be used together'],
  ['--port 4794 --forward http://localhost:4794/x', 'names this listener itself'],
  ['--port 4794 --forward http://0.0.0.0:4794/x --limit 1', 'names this listener itself'],
  ['--limit 0', '--limit'],
  ['--pass-env A', '--pass-env needs --exec'],
  ['--exec true --pass-env NOBODY_SETS_IT', 'there is no variable NOBODY_SETS_IT'],
])('finds wrong flags before it listens: %s', async (flags = '', words) => {
  const { exit, stderr } = await ttctl('listen', ...flags.split(' '));
  expect([exit, stderr]).toEqual([2, expect.stringContaining(String(words))]);
});

it('webhooks received lists in every format, and hides secrets of one unless told', async () => {
  const { url, stop } = await listen([]);
  const body = eventBody('a', { token: 'tok-canary-123', name: 'Ana' });
  const secrets = { 'webhook-signature': 'v1,canary', 'x-api-key': 'key-canary' };
  await post(url, body, { 'webhook-id': 'm1', ...secrets });
  await stop();
  for (const format of FORMAT_NAMES)
    for (const id of [[], ['m1']]) {
      const { stdout, exit } = await ttctl('received', ...id, '--output', format);
      expect([exit, stdout]).toEqual([0, expect.stringContaining('m1')]);
      expect(stdout).not.toContain('canary');
    }
  const whole = await ttctl('received', 'm1', '--show-secrets', '--json');
  expect(JSON.parse(whole.stdout)).toMatchObject({
    event: 'a',
    signature: 'unchecked',
    headers: secrets,
    payload: JSON.parse(body),
  });
  expect((await ttctl('received', '--store', file('none'), '--json')).stdout).toBe('[]\n');
  expect((await ttctl('received', '--event', 'b', '--json')).stdout).toBe('[]\n');
});

it.each([
  ['none', 'no delivery none is stored'],
  ['m1 --state failed', '--state cannot be used'],
  ['--state failed prune', 'Put --state after prune.'],
  ['prune', 'missing --older-than'],
])('webhooks received refuses %s', async (line, words) => {
  const { exit, stderr } = await ttctl('received', ...line.split(' '));
  expect([exit, stderr]).toEqual([2, expect.stringContaining(words)]);
});
