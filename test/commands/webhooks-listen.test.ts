import { afterEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import {
  type Answer,
  envelope,
  onePage,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from '../support/service.ts';
import { eventBody, post, signedHeaders, useListeners } from '../support/webhooks.ts';

/**
 * `webhooks listen --create`: a webhook for as long as it listens. Requests as in docs/service.md, Webhooks; a create
 * looks for its like before, and one that was left behind is told.
 */

const LIST = 'GET /webhooks?workspace_id=7&page=1&per_page=100';
const DELETE = 'DELETE /webhooks/w9 {"workspace_id":7}';
const TOKEN = 'the-token-of-w9';
const TUNNEL = 'https://tunnel.example/tt';
const REFUSAL = { success: false, message: 'No.', meta: {} };

const { listen: start } = useListeners();
let recorder: Recorder;
afterEach(() => recorder.close());

/** @param answer in place of what the service answers by itself */
const listen = async (
  args: readonly string[],
  answer: (request: Recorded) => Answer | undefined = () => undefined,
) => {
  const rows: object[] = [];
  recorder = await startRecorder((request) => {
    const isCreate = request.line === 'POST /webhooks';
    const record = { id: 'w9', url: Reflect.get(Object(request.body), 'url'), events: ['x'] };
    if (isCreate) rows.push(record);
    const own = answer(request);
    if (own !== undefined) return own;
    if (request.line.startsWith('GET /webhooks?')) return { body: onePage(rows) };
    return { body: envelope({ ...record, token: TOKEN }) };
  });
  return start(['--event', 'x', ...args], { env: serviceEnv(recorder) });
};
const sent = (start: string) => recorder.lines().filter((line) => line.startsWith(start));
const postSigned = (url: string) => {
  const [body, seconds] = [eventBody('x'), Math.floor(Date.now() / 1000)];
  return post(url, body, signedHeaders(body, { id: 'm', key: TOKEN, seconds }));
};

describe('webhooks listen --create', () => {
  it('makes a webhook, checks with its token, and deletes it', async () => {
    const { url, ready, ended } = await listen(['--create', '--limit', '1']);
    await postSigned(url);
    const { exit, stdout, stderr } = await ended;
    expect(exit, stderr).toBe(0);
    const create = `POST /webhooks {"workspace_id":7,"url":"${url}","events":["x"]}`;
    expect(recorder.lines()).toEqual([LIST, create, DELETE]);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'm', event: 'x', signature: 'valid' });
    expect(ready).toMatchObject({ webhook: 'w9' });
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  it('never takes one that points here already for its own', async () => {
    const rows: object[] = [
      { id: 'w3', url: TUNNEL, events: ['x'] },
      { id: 'w4', url: 'https://elsewhere.example/', events: ['x'] },
    ];
    const { stop } = await listen(['--create', '--url', TUNNEL], ({ line }) => {
      if (line === 'POST /webhooks') rows.push({ id: 'w9', url: TUNNEL, events: ['x'] });
      if (line === 'POST /webhooks') return { cut: true };
      return line.startsWith('GET /webhooks?') ? { body: onePage(rows) } : undefined;
    });
    expect((await stop()).exit).toBe(130);
    expect(sent('DELETE')).toEqual([DELETE]);
  });

  it('deletes one of which the service leaves out an event', async () => {
    const record = { id: 'w9', url: TUNNEL, events: [], token: TOKEN };
    const { stop } = await listen(['--create', '--url', TUNNEL], ({ line }) =>
      /^(POST \/webhooks|GET \/webhooks\/w9)/.test(line) ? { body: envelope(record) } : undefined,
    );
    expect([(await stop()).exit, recorder.lines().at(-1)]).toEqual([130, DELETE]);
  });

  it('finds and deletes one whose making was never answered, and sends nothing twice', async () => {
    const { url, ended } = await listen(['--create', '--limit', '1'], ({ line }) =>
      line === 'POST /webhooks' ? { cut: true } : undefined,
    );
    await postSigned(url);
    const { exit, stdout } = await ended;
    expect([exit, sent('POST').length]).toEqual([0, 1]);
    expect(recorder.lines()).toContain('GET /webhooks/w9?workspace_id=7');
    expect(recorder.lines().at(-1)).toBe(DELETE);
    expect(stdout).toContain('"signature":"valid"');
  });

  it('says what is left behind when it cannot be deleted', async () => {
    const { stop } = await listen(['--create'], ({ line }) =>
      line.startsWith('DELETE') ? { status: 403, body: REFUSAL } : undefined,
    );
    const { exit, stderr } = await stop();
    expect(exit).toBe(4);
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
      code: 'left_behind',
      message: 'the webhook w9 still exists: No.',
      hint: 'Remove it with: ttctl webhooks delete w9',
    });
  });

  it('listens for nothing where it is refused, or only planned', async () => {
    const refused = await listen(['--create'], ({ line }) =>
      line.startsWith('POST') ? { status: 422, body: REFUSAL } : undefined,
    );
    expect((await refused.ended).exit).toBe(6);
    expect(sent('DELETE')).toEqual([]);
    await recorder.close();
    const { exit, stdout } = await (await listen(['--create', '--dry-run'])).ended;
    expect([exit, recorder.lines()]).toEqual([0, [LIST]]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'planned',
      request: { method: 'POST', path: '/webhooks', body: { events: ['x'] } },
    });
  });

  it('asks for an address where the service is elsewhere', async () => {
    const env = { TTCTL_BASE_URL: 'https://api.example/api/v2', TTCTL_TOKEN: 'x', TTCTL_WORKSPACE: '7' };
    const { exit, stderr } = await runInProcess(['webhooks', 'listen', '--create', '--port', '0'], { env });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('--url')]);
  });
});

it('webhooks listen --webhook checks with the token that the service gives', async () => {
  const { url, ended } = await listen(['--webhook', 'w1', '--require-signature', '--limit', '1']);
  expect((await postSigned(url)).status).toBe(200);
  expect((await ended).exit).toBe(0);
  expect(recorder.lines()).toEqual(['GET /webhooks/w1?workspace_id=7']);
});
