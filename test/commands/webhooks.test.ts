import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  envelope,
  onePage,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from '../support/service.ts';
import { ask, openCli } from '../support/use-cli.ts';
import { eventBody, post, signedHeaders, useListeners } from '../support/webhooks.ts';

/**
 * docs/service.md, Webhooks: `workspace_id` in the query of the reads, and in the body alone of the writes. A create looks
 * for its like before, so that a lost answer can be told.
 */

const LIST = 'GET /webhooks?workspace_id=7&page=1&per_page=100';

describe('records', () => {
  /** The list's own envelope (docs/service.md, Envelope). */
  const bare = (page: number, rows: readonly object[]) => ({
    max_rows: 50,
    current_page: page,
    total_pages: 2,
    data: rows,
  });

  const hook = (n: number) => ({ id: `w${n}`, url: `https://h.example/${n}`, events: ['tracker.started'] });

  it('the list is read whole though its envelope is its own', async () => {
    const first = Array.from({ length: 50 }, (_, i) => hook(i + 1));
    const { exit, stdout, lines } = await ask('webhooks list --output ids', ({ line }) => ({
      body: line.includes('page=2') ? bare(2, [hook(51)]) : bare(1, first),
    }));
    expect(exit).toBe(0);
    expect(stdout.trim().split('\n')).toEqual(Array.from({ length: 51 }, (_, i) => `w${i + 1}`));
    expect(lines).toEqual([LIST, 'GET /webhooks?workspace_id=7&page=2&per_page=100']);
  });

  it.each(['list', 'get w1', 'create --url https://h.example/1 --event tracker.started'])(
    'the token is hidden from people in webhooks %s, unless they ask',
    async (verb) => {
      const record = { ...hook(1), token: 'whsec_canary' };
      const shown = async (flags: string) => {
        const { exit, stdout, stderr } = await ask(`webhooks ${verb} ${flags}`, ({ line }) => ({
          body: line.includes('/webhooks?') ? { ...bare(1, [record]), total_pages: 1 } : envelope(record),
        }));
        expect(exit).toBe(0);
        return stdout + stderr;
      };
      expect(await shown('')).toContain('••••');
      expect(await shown('')).not.toContain('canary');
      expect(await shown('--show-secrets')).toContain('canary');
      expect(await shown('--json')).toContain('canary');
    },
  );

  it('R22: an invitation link is hidden too, in the results of runs in every format', async () => {
    const answer = ({ line }: Recorded) => ({
      body: line.startsWith('GET')
        ? envelope([])
        : envelope({ user_id: 5, invitation_link: 'https://x.example/canary' }),
    });
    const line = 'members invite a@example.com --firstname A --lastname B --role regular-user';
    const bulk = 'members invite --from-file - --yes --json';
    const options = { stdin: 'email,firstname,lastname,role\na@example.com,A,B,regular-user\n' };
    expect((await ask(bulk, answer, options)).stdout).toContain('"invitation_link": "***"');
    expect((await ask(`${bulk} --show-secrets`, answer, options)).stdout).toContain('canary');
    expect((await ask(line, answer)).stdout).not.toContain('canary');
    expect((await ask(`${line} --show-secrets`, answer)).stdout).toContain('canary');
  });

  it('an event has a name', async () => {
    const { exit, stderr } = await ask(['webhooks', 'create', '--url', 'https://h.example/1', '--event', '']);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('--event: needs a value')]);
  });

  it.each([
    ['create', 'traker.started', 'Did you mean tracker.started?'],
    ['update w1', 'nope.evt', 'Known events: tracker.started, '],
    ['create', 'member.invited', undefined],
  ])('an event of any name is sent; %s tells of %s', async (verb, event, told) => {
    const line = `webhooks ${verb} --url https://h.example/1 --event ${event}`;
    const { exit, stderr, lines } = await ask(line, () => ({ body: envelope({ id: 'w1' }) }));
    expect(exit, stderr).toBe(0);
    expect(lines.at(-1)).toContain(`"events":["${event}"]`);
    if (told === undefined) expect(stderr).not.toContain(event);
    else expect(stderr).toContain(`${event} is not a documented event. ${told}`);
  });

  it('a deletion shows what it is about', async () => {
    const cli = await openCli({ service: { webhooks: [{ ...hook(1), url: 'https://h.example/x' }] } });
    const { screen, exit } = await cli.sit('webhooks delete w1', () => 'n\r');
    expect(screen).toContain('https://h.example/x  tracker.started  w1');
    expect(exit).toBe(9);
  });
});

describe('listening', () => {
  /** One that was left behind is told. */
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
      const env = { TTCTL_BASE_URL: 'https://api.example/api/v2' };
      const { exit, stderr } = await ask('webhooks listen --create --port 0', undefined, { env });
      expect([exit, stderr]).toEqual([2, expect.stringContaining('--url')]);
    });
  });

  it('webhooks listen --webhook checks with the token that the service gives', async () => {
    const { url, ended } = await listen(['--webhook', 'w1', '--require-signature', '--limit', '1']);
    expect((await postSigned(url)).status).toBe(200);
    expect((await ended).exit).toBe(0);
    expect(recorder.lines()).toEqual(['GET /webhooks/w1?workspace_id=7']);
  });
});
