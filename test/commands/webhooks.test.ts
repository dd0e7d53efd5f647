import { describe, expect, it } from 'vitest';
import { type Answer, envelope, onePage, type Recorded } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';
import { eventBody, post, signedHeaders, useListeners } from '../support/webhooks.ts';

/**
 * docs/service.md, Webhooks: `workspace_id` in the query of the reads, and in the body alone of the writes. A create looks
 * for its like before, so that a lost answer can be told.
 */

const LIST = 'GET /webhooks?workspace_id=7&page=1&per_page=100';
/** The list's own envelope (docs/service.md, Envelope). */
const ownPage = (page: number, of: number, rows: readonly object[]) => ({
  body: { max_rows: 50, current_page: page, total_pages: of, data: rows },
});

it('the list is read whole though its envelope is its own', async () => {
  const rows = Array.from({ length: 51 }, (_, i) => ({
    id: `w${i + 1}`,
    url: 'https://h.example/',
    events: [],
  }));
  const { stdout, lines } = await ask('webhooks list --output ids', ({ line }) =>
    line.includes('page=2') ? ownPage(2, 2, rows.slice(50)) : ownPage(1, 2, rows.slice(0, 50)),
  );
  expect(stdout).toBe(rows.map(({ id }) => `${id}\n`).join(''));
  expect(lines).toEqual([LIST, 'GET /webhooks?workspace_id=7&page=2&per_page=100']);
});

it.each([
  ['webhooks list', '••••'],
  ['webhooks get w1', '••••'],
  ['webhooks create --url https://h.example/2 --event tracker.started', '••••'],
  ['members invite a@example.com --firstname A --lastname B --role regular-user', '••••'],
  // R22: in the results of runs in every format.
  ['members invite --from-file - --yes --json', '"invitation_link": "***"'],
])('secrets are hidden from people unless they ask: %s', async (line, mark) => {
  const hook = { id: 'w1', url: 'https://h.example/1', events: ['tracker.started'], token: 'whsec_canary' };
  const answer = (request: Recorded) => {
    if (request.line.startsWith('GET /webhooks?')) return ownPage(1, 1, [hook]);
    if (request.line.includes('webhooks')) return { body: envelope(hook) };
    if (request.line.startsWith('GET')) return { body: onePage([]) };
    return { body: envelope({ user_id: 5, invitation_link: 'https://x.example/canary' }) };
  };
  const stdin = 'email,firstname,lastname,role\na@example.com,A,B,regular-user\n';
  const shown = async (flags: string) => {
    const { exit, stdout, stderr } = await ask(`${line} ${flags}`, answer, { stdin });
    expect(exit, stderr).toBe(0);
    return stdout + stderr;
  };
  expect(await shown('')).toContain(mark);
  expect(await shown('')).not.toContain('canary');
  expect(await shown('--show-secrets')).toContain('canary');
  // Programs get what was asked for.
  if (line.startsWith('webhooks')) expect(await shown('--json')).toContain('canary');
});

it.each([
  ['create', 'traker.started', 'is not a documented event. Did you mean tracker.started?'],
  [
    'update w1',
    'timesheet.submitted',
    'is not documented and may never be delivered: the API has no timesheet events. Known events: tracker.started, ',
  ],
  ['create', 'project.left', 'is not documented and may never be delivered. Known events: tracker.started, '],
  ['create', 'member.invited', undefined],
])('an event of any name is sent; %s tells of %s', async (verb, event, told) => {
  const line = `webhooks ${verb} --url https://h.example/1 --event ${event}`;
  const { exit, stderr, sent } = await ask(line, () => ({ body: envelope({ id: 'w1' }) }));
  expect([exit, sent], stderr).toEqual([0, [expect.stringContaining(`"events":["${event}"]`)]]);
  if (told === undefined) expect(stderr).not.toContain(event);
  else expect(stderr).toContain(`${event} ${told}`);
});

it.each(['webhooks trigger tracker.started', 'webhooks deliveries', 'status', 'reset', 'env'])(
  'sandbox %s where something else answers is an error, and no fault',
  async (line) => {
    const { exit, stdout, stderr } = await ask(`sandbox ${line}`, () => ({ body: envelope([]) }));
    expect([exit, stdout, stderr]).toEqual([7, '', expect.stringContaining(' is not a sandbox of ttctl\n')]);
  },
);

it('webhooks listen --create asks for an address where the service is elsewhere', async () => {
  const env = { TTCTL_BASE_URL: 'https://api.example/api/v2' };
  const { exit, stderr } = await ask('webhooks listen --create --port 0', undefined, { env });
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--url')]);
});

describe('webhooks listen', () => {
  const DELETE = 'DELETE /webhooks/w9 {"workspace_id":7}';
  const TOKEN = 'the-token-of-w9';
  const TUNNEL = 'https://tunnel.example/tt';
  const REFUSAL = { success: false, message: 'No.', meta: {} };

  const { listen: start, t } = useListeners();
  /** @param answer in place of what the service answers by itself */
  const listen = (flags: string, answer: (request: Recorded) => Answer | undefined = () => undefined) => {
    const rows: object[] = [];
    t.answer = (request) => {
      const { line, body } = request;
      const record = { id: 'w9', url: Reflect.get(Object(body), 'url'), events: ['x'] };
      if (line === 'POST /webhooks') rows.push(record);
      const list = line.startsWith('GET /webhooks?') ? { body: onePage(rows) } : undefined;
      return answer(request) ?? list ?? { body: envelope({ ...record, token: TOKEN }) };
    };
    return start(['--event', 'x', ...flags.split(' ')]);
  };
  const postSigned = (url: string) => {
    const [body, seconds] = [eventBody('x'), Math.floor(Date.now() / 1000)];
    return post(url, body, signedHeaders(body, { id: 'm', key: TOKEN, seconds }));
  };

  it('--create makes a webhook, checks with its token, and deletes it', async () => {
    const { url, ready, ended } = await listen('--create --limit 1');
    await postSigned(url);
    const { exit, stdout, stderr } = await ended;
    expect(exit, stderr).toBe(0);
    const create = `POST /webhooks {"workspace_id":7,"url":"${url}","events":["x"]}`;
    expect(t.lines()).toEqual([LIST, create, DELETE]);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'm', event: 'x', signature: 'valid' });
    expect(ready).toMatchObject({ webhook: 'w9' });
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  it('--create never takes one that points here already for its own', async () => {
    const rows: object[] = [
      { id: 'w3', url: TUNNEL, events: ['x'] },
      { id: 'w4', url: 'https://elsewhere.example/', events: ['x'] },
    ];
    const { stop } = await listen(`--create --url ${TUNNEL}`, ({ line }) => {
      if (line.startsWith('GET /webhooks?')) return { body: onePage(rows) };
      if (line !== 'POST /webhooks') return undefined;
      rows.push({ id: 'w9', url: TUNNEL, events: ['x'] });
      return { cut: true };
    });
    expect((await stop()).exit).toBe(130);
    expect(t.sent().slice(1)).toEqual([DELETE]);
  });

  it('--create deletes one of which the service leaves out an event', async () => {
    const record = { id: 'w9', url: TUNNEL, events: [], token: TOKEN };
    const { stop } = await listen(`--create --url ${TUNNEL}`, ({ line }) =>
      /^(POST \/webhooks|GET \/webhooks\/w9)/.test(line) ? { body: envelope(record) } : undefined,
    );
    expect([(await stop()).exit, t.lines().at(-1)]).toEqual([130, DELETE]);
  });

  it('--create finds and deletes one whose making was never answered, and sends nothing twice', async () => {
    const { url, ended } = await listen('--create --limit 1', ({ line }) =>
      line === 'POST /webhooks' ? { cut: true } : undefined,
    );
    await postSigned(url);
    const { exit, stdout } = await ended;
    expect([exit, t.sent()]).toEqual([0, [expect.stringMatching(/^POST/), DELETE]]);
    expect(t.lines()).toContain('GET /webhooks/w9?workspace_id=7');
    expect(stdout).toContain('"signature":"valid"');
  });

  it('--create says what is left behind when it cannot be deleted', async () => {
    const { stop } = await listen('--create', ({ line }) =>
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

  it('--create listens for nothing where it is refused', async () => {
    const { ended } = await listen('--create', ({ line }) =>
      line.startsWith('POST') ? { status: 422, body: REFUSAL } : undefined,
    );
    expect([(await ended).exit, t.writes()]).toEqual([6, ['POST /webhooks']]);
  });

  it('--create --dry-run shows what it would make', async () => {
    const { exit, stdout } = await (await listen('--create --dry-run')).ended;
    expect([exit, t.lines()]).toEqual([0, [LIST]]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'planned',
      request: { method: 'POST', path: '/webhooks', body: { events: ['x'] } },
    });
  });

  it('--webhook checks with the token that the service gives', async () => {
    const { url, ended } = await listen('--webhook w1 --require-signature --limit 1');
    expect((await postSigned(url)).status).toBe(200);
    expect([(await ended).exit, t.lines()]).toEqual([0, ['GET /webhooks/w1?workspace_id=7']]);
  });
});
