import { beforeEach, describe, expect, it } from 'vitest';
import { CALLBACK, createOAuthBench, type OAuthBench, s256, type Visit } from './oauth-bench.ts';

let at: OAuthBench;
beforeEach(async () => {
  at = await createOAuthBench();
});

const answerOf = (visit: Visit): Record<string, string> => {
  expect(visit.status).toBe(302);
  const location = visit.headers['location'] ?? '';
  expect(location.startsWith(`${CALLBACK}?`)).toBe(true);
  return Object.fromEntries(new URL(location).searchParams);
};

describe('the authorize page', () => {
  it('says who asks, for what, and offers the active Owners and Executive Managers', () => {
    const { status, headers, body } = at.authorize({ ...at.ask, scope: 'read write', state: 's' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toContain('<bdi>ttctl</bdi> wants to use');
    for (const scope of ['read', 'write']) expect(body).toContain(`<code>${scope}</code>`);
    expect(body).not.toContain('<code>admin</code>');
    const offered = [...body.matchAll(/(\w+)@\w+\.example/g)].map((match) => match[1]);
    expect(offered).toEqual(['nora', 'ingrid', 'samir', 'grace']);
  });

  it('asks for read where scope is left out or empty', () => {
    for (const more of [{}, { scope: '' }]) {
      const { body } = at.authorize({ ...at.ask, ...more });
      expect([...body.matchAll(/<\/b> <code>(\w+)<\/code>/g)].map((match) => match[1])).toEqual(['read']);
    }
  });

  it('loads nothing, runs nothing, is not framed, and leads only here and back', () => {
    const { headers, body } = at.authorize(at.ask);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:8484;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
    expect(body).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1:8484\/callback|www\.w3\.org\/2000\/svg)/);
  });

  it('shows what an application calls itself as text', () => {
    const name = '<img src=x onerror=alert(1)>"\u202e';
    const app = at.register({ name, redirect_uri: 'http://127.0.0.1:9/?a="><script>' });
    const { body } = at.authorize({
      ...at.ask,
      client_id: app.client_id,
      redirect_uri: app.redirect_uri ?? '',
    });
    expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;\ufffd');
    expect(body).not.toMatch(/<img|<script|\u202e/);
  });

  it('shows names as text too', async () => {
    const messy = await createOAuthBench();
    const nora = messy.bench.world.users[messy.bench.userId('nora')];
    if (nora !== undefined) nora.firstname = '</bdi><script>alert(1)</script>';
    expect(messy.authorize(messy.ask).body).not.toContain('<script');
  });
});

describe('what is shown and never redirected', () => {
  it.each([
    ['no client', { client_id: '' }],
    ['an unknown client', { client_id: 'sbx_app_none' }],
    ['a property of every object', { client_id: '__proto__' }],
    ['no redirect address', { redirect_uri: '' }],
    ['a slash more', { redirect_uri: `${CALLBACK}/` }],
    ['a query more', { redirect_uri: `${CALLBACK}?x=1` }],
    ['another host name for the same', { redirect_uri: 'http://localhost:8484/callback' }],
    ['other case', { redirect_uri: 'HTTP://127.0.0.1:8484/callback' }],
    ['another port', { redirect_uri: 'http://127.0.0.1:8485/callback' }],
    ['another site', { redirect_uri: 'https://evil.example/callback' }],
  ])('%s', (_what, wrong) => {
    const { status, headers, body } = at.authorize({ ...at.ask, ...wrong });
    expect(status).toBe(400);
    expect(headers['location']).toBeUndefined();
    expect(headers['content-security-policy']).toContain("form-action 'none'");
    expect(body).toContain('<h1>Authorization failed</h1>');
  });

  it('a client or redirect address that is there twice', () => {
    const twice = [...Object.entries(at.ask), ['redirect_uri', CALLBACK]] as [string, string][];
    expect(at.authorize(twice).status).toBe(400);
  });

  it('an application that is registered for client credentials', () => {
    const app = at.register({ name: 'Nightly', grant: 'client-credentials', redirect_uri: CALLBACK });
    expect(at.authorize({ ...at.ask, client_id: app.client_id }).status).toBe(400);
  });
});

describe('what is sent back with the state', () => {
  it.each([
    ['invalid_request', { response_type: '' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_scope', { scope: 'read everything' }],
    ['invalid_scope', { scope: 'read,write' }],
    ['invalid_request', { code_challenge: s256('x'), code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: s256('x') }],
    ['invalid_request', { code_challenge: 'short', code_challenge_method: 'S256' }],
    ['invalid_request', { code_challenge_method: 'S256' }],
  ])('%s for %j', (error, wrong) => {
    const answer = answerOf(at.authorize({ ...at.ask, state: 'a&b=c d', ...wrong }));
    expect(answer['error']).toBe(error);
    expect(answer['error_description']).toBeTruthy();
    expect(answer['state']).toBe('a&b=c d');
    expect(answer['code']).toBeUndefined();
  });

  it('no state where none was sent', () => {
    expect('state' in answerOf(at.authorize({ ...at.ask, scope: 'x' }))).toBe(false);
  });
});

describe('the decision', () => {
  const member = () => String(at.bench.userId('samir'));

  it('approves: a code, and the state as it was', () => {
    const request = at.open({ state: 'ü/+ %20' });
    const answer = answerOf(at.decide({ request, member: member(), decision: 'approve' }));
    expect(answer).toEqual({ code: expect.stringMatching(/^sbx_code_\w{43}$/), state: 'ü/+ %20' });
  });

  it('keeps the query of a registered address', () => {
    const app = at.register({ name: 'X', redirect_uri: 'http://127.0.0.1:9/cb?tenant=7' });
    const request = at.open({ client_id: app.client_id, redirect_uri: 'http://127.0.0.1:9/cb?tenant=7' });
    const { headers } = at.decide({ request, member: member(), decision: 'approve' });
    expect(headers['location']).toMatch(/^http:\/\/127\.0\.0\.1:9\/cb\?tenant=7&code=sbx_code_\w+$/);
  });

  it('denies: access_denied with words and the state', () => {
    const answer = answerOf(at.decide({ request: at.open({ state: 's' }), decision: 'deny' }));
    expect(answer).toEqual({
      error: 'access_denied',
      error_description: 'The resource owner denied the request.',
      state: 's',
    });
  });

  it('is made once: a second click leads to the same place, whatever it says', () => {
    const request = at.open();
    const first = at.decide({ request, decision: 'deny' });
    const second = at.decide({ request, member: member(), decision: 'approve' });
    expect(second.headers['location']).toBe(first.headers['location']);
  });

  it.each([
    ['mei', 'a Project Manager'],
    ['elif', 'who is inactive'],
    ['daniel', 'who is archived'],
  ])('is not made by %s, %s', (who) => {
    const wrong = String(at.bench.userId(who));
    expect(at.decide({ request: at.open(), member: wrong, decision: 'approve' }).status).toBe(400);
  });

  it('needs a known person and a known word', () => {
    for (const fields of [
      { decision: 'approve' },
      { decision: 'approve', member: '__proto__' },
      { member: member() },
      { decision: 'yes', member: member() },
    ]) {
      expect(at.decide({ request: at.open(), ...fields }).status).toBe(400);
    }
  });

  it('needs the value that stands on the page alone, while it is fresh', () => {
    const fields = { member: member(), decision: 'approve' };
    expect(at.decide(fields).status).toBe(400);
    expect(at.decide({ ...fields, request: 'guessed' }).status).toBe(400);
    const request = at.open();
    at.bench.now += 600_000;
    expect(at.decide({ ...fields, request }).status).toBe(400);
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:4748' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4747' },
  ])(
    'is refused from elsewhere: %j',
    (headers: { readonly origin?: string; readonly 'sec-fetch-site'?: string }) => {
      const fields = { request: at.open(), member: member(), decision: 'approve' };
      expect(at.decide(fields, headers).status).toBe(400);
      expect(at.decide(fields, { origin: 'http://127.0.0.1:4747' }).status).toBe(302);
    },
  );

  it('is a form', () => {
    const fields = { request: at.open(), decision: 'deny' };
    expect(at.decide(fields, { 'content-type': 'text/plain' }).status).toBe(400);
  });
});

describe('--auto-approve', () => {
  it('approves at once, with the scopes that were asked for', async () => {
    at = await createOAuthBench({ autoApprove: 'Samir@lindenhof.example' });
    const answer = answerOf(at.authorize({ ...at.ask, scope: 'write', state: 's' }));
    expect(answer['state']).toBe('s');
    const { body } = at.exchange(answer['code'] ?? '');
    const token = at.bench.world.tokens[body.access_token];
    expect(token).toMatchObject({ scopes: ['write'], user_id: at.bench.userId('samir') });
  });

  it('still shows a wrong redirect address, and sends back who may not approve', async () => {
    at = await createOAuthBench({ autoApprove: 'mei@lindenhof.example' });
    expect(at.authorize({ ...at.ask, redirect_uri: `${CALLBACK}/` }).status).toBe(400);
    expect(answerOf(at.authorize(at.ask))['error']).toBe('server_error');
  });
});

it('answers other methods and paths with a page', () => {
  const request = { query: [], headers: { host: '127.0.0.1:1' }, body: '' };
  expect(at.oauth({ ...request, method: 'PUT', path: '/oauth/authorize' }).status).toBe(405);
  expect(at.oauth({ ...request, method: 'GET', path: '/oauth/other' }).status).toBe(404);
});

it('forgets the oldest page when very many are open', () => {
  const first = at.open();
  for (let i = 0; i < 999; i += 1) at.open();
  expect(at.decide({ request: first, decision: 'deny' }).status).toBe(302);
  at.open();
  expect(at.decide({ request: first, decision: 'deny' }).status).toBe(400);
});
