import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cancelled, EXIT } from '../../src/outcome.ts';
import { runInProcess } from '../support/in-process.ts';
import {
  type Answer,
  envelope,
  onePage,
  type Recorded,
  serviceEnv,
  startRecorder,
} from '../support/recorder.ts';
import { eventBody, post, signedHeaders } from '../support/webhook-sender.ts';

/**
 * `webhooks listen --create`: a webhook for as long as it listens. Requests as in docs/service.md, Webhooks; a create
 * looks for its like before, and one that was left behind is told.
 */

const LIST = 'GET /webhooks?workspace_id=7&page=1&per_page=100';
const TOKEN = 'the-token-of-w9';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-listen-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Course {
  readonly args?: readonly string[];
  /** In place of what the service answers by itself. */
  readonly answer?: (request: Recorded) => Answer | undefined;
  /** What happens once it says that it listens. */
  readonly meanwhile: (url: string, interrupt: () => void) => Promise<unknown>;
}

const urlIn = ({ body }: Recorded): string => String(Reflect.get(Object(body), 'url'));

const course = async ({ args = [], answer, meanwhile }: Course) => {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Cancelled('interrupted', EXIT.interrupted));
  let made: Recorded | undefined;
  const recorder = await startRecorder((request) => {
    const own = answer?.(request);
    const create = request.line === 'POST /webhooks';
    if (create) made = request;
    if (own !== undefined) return own;
    if (create) return { body: envelope({ id: 'w9', url: urlIn(request), events: ['x'], token: TOKEN }) };
    if (!request.line.startsWith('GET /webhooks?')) return { body: envelope({ id: 'w9', token: TOKEN }) };
    return { body: onePage(made === undefined ? [] : [{ id: 'w9', url: urlIn(made), events: ['x'] }]) };
  });
  const line = ['webhooks', 'listen', '--create', '--event', 'x', '--port', '0', '--store', folder];
  let stderr = '';
  const write = async (text: string) => {
    stderr += text;
    if (made !== undefined && text.includes('"listening"')) void meanwhile(urlIn(made), interrupt);
  };
  const outcome = await runInProcess([...line, '--output', 'ndjson', ...args], {
    env: serviceEnv(recorder),
    interrupted: stop.signal,
    machine: { stderr: { isTTY: false, write } },
  });
  await recorder.close();
  return { ...outcome, stderr, lines: recorder.lines() };
};

const createLine = expect.stringMatching(
  /^POST \/webhooks \{"workspace_id":7,"url":"http:\/\/127\.0\.0\.1:\d+\/","events":\["x"\]\}$/,
);
const DELETE = 'DELETE /webhooks/w9 {"workspace_id":7}';

const postSigned = (url: string) => {
  const [body, seconds] = [eventBody('x'), Math.floor(Date.now() / 1000)];
  return post(url, body, signedHeaders(body, { id: 'm', key: TOKEN, seconds }));
};

describe('webhooks listen --create', () => {
  it('makes a webhook, checks with its token, and deletes it', async () => {
    const { exit, lines, stdout, stderr } = await course({ args: ['--limit', '1'], meanwhile: postSigned });
    expect(exit, stderr).toBe(0);
    expect(lines).toEqual([LIST, LIST, createLine, DELETE]);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'm', event: 'x', signature: 'valid' });
    expect(JSON.parse(stderr.split('\n')[0] ?? '')).toMatchObject({ listening: { webhook: 'w9' } });
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  it('tells of one that points here already, and never takes it for its own', async () => {
    const here = 'https://tunnel.example/tt';
    const rows = [
      { id: 'w3', url: here, events: ['x'] },
      { id: 'w4', url: 'https://elsewhere.example/', events: ['x'] },
    ];
    let made = false;
    const { exit, lines, stderr } = await course({
      args: ['--url', here],
      answer: ({ line }) => {
        if (line === 'POST /webhooks') {
          made = true;
          return { cut: true };
        }
        const own = made ? [{ id: 'w9', url: here, events: ['x'] }] : [];
        return line.startsWith('GET /webhooks?') ? { body: onePage([...rows, ...own]) } : undefined;
      },
      meanwhile: async (_url, interrupt) => interrupt(),
    });
    expect(exit).toBe(130);
    expect(stderr).toContain(`webhook w3 already points to ${here}`);
    expect(stderr).toContain('ttctl webhooks delete w3');
    expect(stderr).not.toContain('w4');
    expect(lines.filter((line) => line.startsWith('DELETE'))).toEqual([DELETE]);
  });

  it('deletes one of which the service leaves out an event', async () => {
    const record = { id: 'w9', url: 'https://tunnel.example/tt', events: [], token: TOKEN };
    const { exit, lines } = await course({
      args: ['--url', record.url],
      answer: ({ line }) =>
        /^(POST \/webhooks|GET \/webhooks\/w9)/.test(line) ? { body: envelope(record) } : undefined,
      meanwhile: async (_url, interrupt) => interrupt(),
    });
    expect([exit, lines.at(-1)]).toEqual([130, DELETE]);
  });

  it('deletes it after Ctrl-C', async () => {
    const { exit, lines } = await course({ meanwhile: async (_url, interrupt) => interrupt() });
    expect(exit).toBe(130);
    expect(lines).toEqual([LIST, LIST, createLine, DELETE]);
  });

  it('finds and deletes one whose making was never answered, and sends nothing twice', async () => {
    const { exit, lines, stdout } = await course({
      answer: ({ line }) => (line === 'POST /webhooks' ? { cut: true } : undefined),
      args: ['--limit', '1'],
      meanwhile: postSigned,
    });
    expect(exit).toBe(0);
    expect(lines.filter((line) => line.startsWith('POST'))).toHaveLength(1);
    expect(lines).toContain('GET /webhooks/w9?workspace_id=7');
    expect(lines.at(-1)).toBe(DELETE);
    expect(stdout).toContain('"signature":"valid"');
  });

  it('says what is left behind when it cannot be deleted', async () => {
    const { exit, stderr } = await course({
      answer: ({ line }) =>
        line.startsWith('DELETE')
          ? { status: 403, body: { success: false, message: 'No.', meta: {} } }
          : undefined,
      meanwhile: async (_url, interrupt) => interrupt(),
    });
    expect(exit).toBe(4);
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({
      code: 'left_behind',
      message: 'the webhook w9 still exists: No.',
      hint: 'Remove it with: ttctl webhooks delete w9',
    });
  });

  it('listens for nothing where it is refused, or only planned', async () => {
    const refused = await course({
      answer: ({ line }) =>
        line.startsWith('POST')
          ? { status: 422, body: { success: false, message: 'No.', meta: {} } }
          : undefined,
      meanwhile: async () => {},
    });
    expect(refused.exit).toBe(6);
    expect(refused.lines).toEqual([LIST, LIST, createLine]);
    const planned = await course({ args: ['--dry-run'], meanwhile: async () => {} });
    expect(planned).toMatchObject({ exit: 0, lines: [LIST, LIST] });
    expect(JSON.parse(planned.stdout)).toMatchObject({
      status: 'planned',
      request: { method: 'POST', path: '/webhooks', body: { events: ['x'] } },
    });
  });

  it('asks for an address where the service is elsewhere', async () => {
    const env = { TTCTL_BASE_URL: 'https://api.example/api/v2', TTCTL_TOKEN: 'x', TTCTL_WORKSPACE: '7' };
    const line = ['webhooks', 'listen', '--create', '--port', '0', '--store', folder];
    const { exit, stderr } = await runInProcess(line, { env });
    expect(exit).toBe(2);
    expect(stderr).toContain('--url');
    const tunnel = await course({
      args: ['--url', 'https://tunnel.example/hook'],
      answer: ({ line }) =>
        line.startsWith('POST') ? { body: envelope({ id: 'w9', token: TOKEN }) } : undefined,
      meanwhile: async (url, interrupt) => {
        expect(url).toBe('https://tunnel.example/hook');
        interrupt();
      },
    });
    expect(tunnel.lines.at(-1)).toBe(DELETE);
  });
});

describe('webhooks listen --webhook', () => {
  it('checks with the token that the service gives', async () => {
    const stop = new AbortController();
    const recorder = await startRecorder(() => {
      setTimeout(() => stop.abort(new Cancelled('interrupted', EXIT.interrupted)), 300);
      return { body: envelope({ id: 'w1', token: TOKEN }) };
    });
    const line = ['webhooks', 'listen', '--webhook', 'w1', '--port', '0', '--store', folder];
    const { exit, stderr } = await runInProcess([...line, '--require-signature'], {
      env: serviceEnv(recorder),
      interrupted: stop.signal,
    });
    await recorder.close();
    expect(exit, stderr).toBe(130);
    expect(recorder.lines()).toEqual(['GET /webhooks/w1?workspace_id=7']);
  });
});
