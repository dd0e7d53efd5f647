import { describe, expect, it } from 'vitest';
import { createHostedSandbox } from '../../src/sandbox/hosted.ts';
import { DOCUMENTED_LIMITS } from '../../src/sandbox/limits.ts';
import { createBoard } from '../../src/sandbox/page/board/board.ts';
import { buildPageUrl } from '../../src/sandbox/page/board/page-access.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { NOW } from './bench.ts';

/** The page of a server, without a socket: what it shows, to whom, and what its forms do. */

const HOST = '127.0.0.1:4747';
const ORIGIN = `http://${HOST}`;
const SECRET = 'a secret of the locator file';

const open = async (name = 'demo') => {
  const clock = { now: () => NOW, sleep: async () => {}, random: () => 0.42 };
  const hosted = await createHostedSandbox(await createSeed(name, { now: NOW }), { clock });
  const { control, world, now } = hosted;
  const board = createBoard({ control, world, now, limits: DOCUMENTED_LIMITS, secret: SECRET });
  const get = (path: string, headers: Record<string, string> = {}) => {
    const [bare = '', search = ''] = path.split('?');
    const query = [...new URLSearchParams(search)];
    return board({ method: 'GET', path: bare, query, headers: { host: HOST, ...headers }, body: '' });
  };
  const entered = await get(buildPageUrl(ORIGIN, SECRET).slice(ORIGIN.length));
  const cookie = (entered.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  const page = async (path = '') => (await get(`/_sandbox/${path}`, { cookie })).body;
  const word = /name="word" value="(\w+)"/.exec(await page())?.[1] ?? '';
  const post = (act: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    board({
      method: 'POST',
      path: `/_sandbox/do/${act}`,
      query: [],
      // Empty: the header is not there.
      headers: Object.fromEntries(
        Object.entries({ host: HOST, origin: ORIGIN, cookie, ...headers }).filter(
          ([, value]) => value !== '',
        ),
      ),
      body: new URLSearchParams({ word, back: '/_sandbox/', ...fields }).toString(),
    });
  /** Does it and follows back: what the page says then. */
  const act = async (name: string, fields: Record<string, string> = {}) => {
    const { status, headers } = await post(name, fields);
    const { body } = await get(headers['location'] ?? '', { cookie });
    const notice = /<p class="notice (\w+)" role="status">(.*?)<\/p>/.exec(body);
    return { status, tone: notice?.[1], said: notice?.[2] };
  };
  return { hosted, board, get, entered, cookie, page, word, post, act };
};

const RECORDS = [
  'people',
  'projects',
  'contracts',
  'tasks',
  'timesheets',
  'leaves',
  'time-requests',
  'expenses',
  'webhooks',
];
const VIEWS = [
  '',
  ...[...RECORDS, 'log', 'deliveries', 'faults', 'tokens', 'snapshots'].map((name) => `view/${name}`),
];

const rowsOf = (page: string): number => (page.match(/<tr>/g)?.length ?? 1) - 1;

describe('what is shown', () => {
  it.each(['demo', 'messy', 'empty', 'month-end'])('every view, of the seed %s', async (name) => {
    const { get } = await open(name);
    for (const view of VIEWS) {
      const { status, headers, body } = await get(`/_sandbox/${view}`);
      expect(status, view).toBe(200);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'/,
      );
      expect(policy).not.toContain('unsafe');
      expect(body.match(/<script/g)).toHaveLength(1);
      expect(body).not.toMatch(/ on\w+=| style=|<(img|script)[^>]+src|<link[^>]+href="(?!data:)|url\(/);
      expect(body.match(/<h1>/g)).toHaveLength(1);
    }
  });

  it('what came is text: no name becomes markup', async () => {
    const { page } = await open('messy');
    const people = await page('view/people');
    expect(people).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(people).not.toContain('<script>alert');
    expect(people).not.toContain('\u202e');
    expect(people).not.toContain('\u001b');
    const found = await page(`view/people?q=${encodeURIComponent('"><b>x')}`);
    expect(found).toContain('value="&quot;&gt;&lt;b&gt;x"');
    expect(found).toContain('No matches.');
  });

  it('large tables in pages, found by words, status and workspace', async () => {
    const { page } = await open('big:120');
    expect(rowsOf(await page('view/people'))).toBe(50);
    const last = await page('view/people?page=3');
    expect(rowsOf(last)).toBe(20);
    expect(last).toContain('101 to 120 of 120');
    expect(rowsOf(await page('view/people?page=999'))).toBe(20);
    expect(rowsOf(await page('view/people?page=-1&status=archived'))).toBe(0);
    expect(await page('view/people?q=farah&status=active')).toContain('Farah');
    const demo = await open();
    expect(rowsOf(await demo.page('view/timesheets?status=submitted'))).toBe(8);
    expect(rowsOf(await demo.page('view/timesheets?status=submitted&workspace=101'))).toBe(7);
    expect(rowsOf(await demo.page('view/timesheets?q=nora%20submitted&workspace=101'))).toBe(1);
  });

  it('one record whole, and nothing of what is not there', async () => {
    const { get, page, hosted } = await open();
    const owner = hosted.world().spaces['101']?.owner_id;
    expect(await page(`view/people/101/${owner}`)).toMatch(
      /weekly_hours_limit[\s\S]*nora@lindenhof\.example/,
    );
    for (const path of [
      'view/people/101/999',
      'view/people/1/1',
      'view/nobody',
      'view/log/x',
      'view/people/%zz/1',
      'view/__proto__',
    ]) {
      expect((await get(`/_sandbox/${path}`)).status, path).toBe(404);
    }
  });

  it('no token, no secret', async () => {
    const { hosted, page } = await open();
    const { token } = await hosted.control.createToken({ as: 'nora@lindenhof.example', scopes: ['read'] });
    const app = await hosted.control.createApp({ name: 'Payroll', redirect_uri: 'http://127.0.0.1:1/' });
    const [webhook] = Object.values(hosted.world().spaces['101']?.webhooks ?? {});
    const request = { method: 'GET', path: '/members', query: [], headers: {}, body: '' };
    hosted.app({ ...request, headers: { authorization: `Bearer ${token}` } });
    await hosted.control.saveSnapshot({ name: 'one' });
    await hosted.control.createToken({ as: 'samir@lindenhof.example', scopes: ['read'] });
    const views = [...VIEWS, `view/webhooks/101/${webhook?.id}`, 'view/snapshots/one'];
    const all = (await Promise.all(views.map(page))).join('\n');
    expect(all).toContain('Payroll');
    for (const secret of [
      token,
      app.client_secret,
      webhook?.token ?? '',
      SECRET,
      ...Object.keys(hosted.world().tokens),
    ]) {
      expect(all).not.toContain(secret);
    }
  });

  it('what a token has used of its limits, what came in, whole', async () => {
    const { hosted, page } = await open();
    const { token } = await hosted.control.createToken({ as: 'nora@lindenhof.example', scopes: ['read'] });
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['/workspaces', '/workspaces', '/nothing']) {
      hosted.app({ method: 'GET', path, query: [['colour', 'blue']], headers, body: '' });
    }
    expect(await page('view/tokens')).toContain('2 of 150');
    const log = await page('view/log');
    expect(log).toContain('/nothing');
    expect(log).toContain('query.colour');
    const [row] = await hosted.control.log();
    expect(await page(`view/log/${row?.id}`)).toContain('GET /workspaces');
    expect(await page('view/log?only=failed')).not.toContain('<code>GET /workspaces');
  });
});

describe('who may act', () => {
  it('is who has the key: it is changed for a cookie that no script and no other site has', async () => {
    const { entered, get } = await open();
    expect(entered).toMatchObject({ status: 303, headers: { location: '/_sandbox/' } });
    expect(entered.headers['set-cookie']).toMatch(
      /^ttctl_sandbox_4747=\w{32}; HttpOnly; SameSite=Strict; Path=\/_sandbox\/$/,
    );
    const wrong = await get('/_sandbox/?key=0123');
    expect(wrong.headers['set-cookie']).toBeUndefined();
    const { body } = await get(wrong.headers['location'] ?? '');
    expect(body).toContain('belongs to another sandbox');
    expect(body).toContain('ttctl sandbox open');
    expect(body).not.toContain('method="post"');
    expect(body).not.toContain('name="word"');
  });

  it.each([
    ['no cookie', {}, { cookie: '' }],
    ['another cookie', {}, { cookie: 'ttctl_sandbox_4747=00000000000000000000000000000000' }],
    ['no origin', {}, { origin: '' }],
    ['the origin of another site', {}, { origin: 'https://evil.example' }],
    ['the origin of another port', {}, { origin: 'http://127.0.0.1:3000' }],
    ['the origin of another name', {}, { origin: 'http://localhost:4747' }],
    ['no word', { word: '' }, {}],
    ['another word', { word: 'x'.repeat(32) }, {}],
  ])('is refused with %s', async (_name, fields, headers) => {
    const { post, hosted } = await open();
    const before = structuredClone(hosted.world());
    const { status } = await post('reset', { seed: 'empty', ...fields }, headers);
    expect(status).toBe(403);
    expect(hosted.world()).toEqual(before);
  });

  it('shows nothing to a page of another site, and takes no other method', async () => {
    const { get, board } = await open();
    expect((await get('/_sandbox/', { origin: 'https://evil.example' })).status).toBe(403);
    for (const [method, path] of [
      ['POST', '/_sandbox/'],
      ['PUT', '/_sandbox/view/people'],
      ['GET', '/_sandbox/do/reset'],
      ['DELETE', '/_sandbox/do/reset'],
    ] as const) {
      const request = { method, path, query: [], headers: { host: HOST }, body: '' };
      expect((await board(request)).status).toBe(405);
    }
  });

  it('leads back to this page alone', async () => {
    const { post } = await open();
    for (const back of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/_sandbox/../x',
      'javascript:alert(1)',
      '/_sandbox/do/reset',
    ]) {
      const { headers } = await post('clock', { action: 'freeze', back });
      expect(headers['location']).toMatch(/^\/_sandbox\/\?note=\d+$/);
    }
    const { headers } = await post('clock', { action: 'resume', back: '/_sandbox/view/log?only=failed' });
    expect(headers['location']).toMatch(/^\/_sandbox\/view\/log\?only=failed&note=\d+$/);
  });
});

describe('the forms', () => {
  it('move the clock', async () => {
    const { act, hosted } = await open();
    expect(await act('clock', { action: 'freeze' })).toMatchObject({ status: 303, tone: 'good' });
    await act('clock', { action: 'advance', by: '2h30m' });
    expect(hosted.now()).toBe(NOW + 9_000_000);
    await act('clock', { action: 'set', to: '2026-12-01T09:00:00' });
    expect(hosted.now()).toBe(Date.parse('2026-12-01T09:00:00Z'));
    await act('clock', { action: 'reset' });
    expect(hosted.now()).toBe(NOW);
    const wrong: Record<string, string>[] = [
      { action: 'advance', by: 'soon' },
      { action: 'set', to: 'never' },
      { action: 'x' },
    ];
    for (const fields of wrong) expect((await act('clock', fields)).tone).toBe('bad');
  });

  it('add faults and clear them', async () => {
    const { act, page, hosted } = await open();
    const operation = 'PUT /timesheets/{timesheetId}/approve';
    const empty = { retry_after: '', latency_ms: '', drop: '', body: '' };
    const added = await act('fault-add', {
      operation,
      times: '2',
      status: '500',
      after_commit: '1',
      ...empty,
    });
    expect(added).toMatchObject({ tone: 'good', said: expect.stringContaining('500, after commit') });
    expect(await hosted.control.faults()).toMatchObject([
      { route: operation, times: 2, status: 500, after_commit: true },
    ]);
    expect(await page('view/faults')).toContain('2 of 2');
    expect((await act('fault-add', { operation, times: '1', ...empty, status: '' })).tone).toBe('bad');
    await act('fault-clear', { id: '1' });
    expect(await hosted.control.faults()).toEqual([]);
  });

  it('save and restore the state, show what changed, simulate, begin again', async () => {
    const { act, page, hosted } = await open();
    await act('snapshot-save', { name: 'before' });
    expect((await act('snapshot-save', { name: 'before' })).said).toContain('already');
    expect((await act('snapshot-save', { name: 'before', replace: '1' })).tone).toBe('good');
    expect((await act('simulate', { by: '1w' })).said).toMatch(/^7 people worked [\d.]+ hours, /);
    expect(rowsOf(await page('view/snapshots/before'))).toBeGreaterThan(5);
    await act('snapshot-restore', { name: 'before' });
    expect(await page('view/snapshots/before')).toContain('0 differences');
    await act('snapshot-remove', { name: 'before' });
    expect(await hosted.control.snapshots()).toEqual([]);
    expect((await act('reset', { seed: 'empty' })).said).toContain('was reset to empty');
    expect(hosted.world().seed).toBe('empty');
    expect((await act('reset', { seed: 'emty' })).said).toContain('Did you mean empty?');
    expect((await act('unknown')).status).toBe(404);
  });

  it('trigger and send again, and show a delivery whole', async () => {
    const { act, page, hosted } = await open();
    // No webhook may be sent to but on this machine: this one is refused at once.
    expect((await act('trigger', { event: 'member.invited' })).said).toBe(
      'member.invited was sent to 1 webhook.',
    );
    const [row] = await hosted.control.deliveries();
    expect(row?.status).toBe('refused');
    expect((await act('redeliver', { id: row?.id ?? '' })).said).toContain('refused');
    const whole = await page(`view/deliveries/${row?.id}`);
    expect(whole).toContain('hooks.lindenhof.example');
    expect(whole).toContain('&quot;event&quot;: &quot;member.invited&quot;');
    expect((await act('redeliver', { id: 'msg_none' })).tone).toBe('bad');
    expect((await act('trigger', { event: 'nobody.hears' })).said).toContain('No webhook');
  });
});
