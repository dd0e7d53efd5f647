import { beforeEach, describe, expect, it } from 'vitest';
import { CALLBACK, createOAuthBench, type OAuthBench, s256, type Visit } from './oauth-bench.ts';

/** GET and POST /oauth/authorize: the page, what it refuses, and where the decision leads. */

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
const scopesOf = ({ body }: Visit) =>
  [...body.matchAll(/<\/b> <code>(\w+)<\/code>/g)].map((match) => match[1]);

describe('the authorize page', () => {
  it('says who asks, for what, and offers the active Owners and Executive Managers', () => {
    const page = at.authorize({ ...at.ask, scope: 'read write', state: 's' });
    expect([page.status, page.headers]).toEqual([
      200,
      expect.objectContaining({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }),
    ]);
    expect(page.body).toContain('<bdi>ttctl</bdi> wants to use');
    expect(scopesOf(page)).toEqual(['read', 'write']);
    const offered = [...page.body.matchAll(/(\w+)@\w+\.example/g)].map((match) => match[1]);
    expect(offered).toEqual(['nora', 'ingrid', 'samir', 'grace']);
    for (const more of [{}, { scope: '' }])
      expect(scopesOf(at.authorize({ ...at.ask, ...more }))).toEqual(['read']);
  });

  it('loads nothing, runs nothing, is not framed, and leads only here and back', () => {
    const { headers, body } = at.authorize(at.ask);
    for (const part of [
      "default-src 'none'",
      "form-action 'self' http://127.0.0.1:8484;",
      "frame-ancestors 'none'",
    ])
      expect(headers['content-security-policy']).toContain(part);
    expect(headers['x-frame-options']).toBe('DENY');
    expect(body).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1:8484\/callback|www\.w3\.org\/2000\/svg)/);
  });

  it('shows what applications and people are called as text', () => {
    const nora = at.bench.world.users[at.bench.userId('nora')];
    if (nora !== undefined) nora.firstname = '</bdi><script>alert(1)</script>';
    const name = '<img src=x onerror=alert(1)>"';
    const { client_id, redirect_uri } = at.register({
      name,
      redirect_uri: 'http://127.0.0.1:9/?a="><script>',
    });
    const { body } = at.authorize({ ...at.ask, client_id, redirect_uri: redirect_uri ?? '' });
    expect(body).toContain('&#60;img src=x onerror=alert(1)&#62;&#34;');
    expect(body).not.toMatch(/<img|<script/);
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
    expect([status, headers['location']]).toEqual([400, undefined]);
    expect(headers['content-security-policy']).toContain("form-action 'none'");
    expect(body).toContain('<h1>Authorization failed</h1>');
  });

  it('a redirect address that is there twice, an application for client credentials, other methods and paths', () => {
    const twice = [...Object.entries(at.ask), ['redirect_uri', CALLBACK]] as [string, string][];
    expect(at.authorize(twice).status).toBe(400);
    const { client_id } = at.register({ name: 'N', grant: 'client-credentials', redirect_uri: CALLBACK });
    expect(at.authorize({ ...at.ask, client_id }).status).toBe(400);
    const request = { query: [], headers: { host: '127.0.0.1:1' }, body: '' };
    expect(at.oauth({ ...request, method: 'PUT', path: '/oauth/authorize' }).status).toBe(405);
    expect(at.oauth({ ...request, method: 'GET', path: '/oauth/other' }).status).toBe(404);
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
    expect(answer).toMatchObject({ error, error_description: expect.stringMatching(/./), state: 'a&b=c d' });
    expect(answer['code']).toBeUndefined();
    expect('state' in answerOf(at.authorize({ ...at.ask, ...wrong }))).toBe(false);
  });
});

describe('the decision', () => {
  const member = () => String(at.bench.userId('samir'));
  const approval = () => ({ member: member(), decision: 'approve' });

  it('approves: a code, and the state as it was', () => {
    const answer = answerOf(at.decide({ request: at.open({ state: 'ü/+ %20' }), ...approval() }));
    expect(answer).toEqual({ code: expect.stringMatching(/^sbx_code_\w{43}$/), state: 'ü/+ %20' });
    // The query of a registered address is kept.
    const redirect_uri = 'http://127.0.0.1:9/cb?tenant=7';
    const { client_id } = at.register({ name: 'X', redirect_uri });
    const { headers } = at.decide({ request: at.open({ client_id, redirect_uri }), ...approval() });
    expect(headers['location']).toMatch(/^http:\/\/127\.0\.0\.1:9\/cb\?tenant=7&code=sbx_code_\w+$/);
  });

  it('denies with words and the state, once: a second click leads to the same place, whatever it says', () => {
    const request = at.open({ state: 's' });
    const first = at.decide({ request, decision: 'deny' });
    const said = { error: 'access_denied', error_description: 'The resource owner denied the request.' };
    expect(answerOf(first)).toEqual({ ...said, state: 's' });
    expect(at.decide({ request, ...approval() }).headers['location']).toBe(first.headers['location']);
  });

  it.each(['mei', 'elif', 'daniel'])('is not made by %s: a Project Manager, inactive, archived', (who) => {
    const fields = { request: at.open(), member: String(at.bench.userId(who)), decision: 'approve' };
    expect(at.decide(fields).status).toBe(400);
  });

  it('needs a known person, a known word, and the value that stands on the page alone, while it is fresh', () => {
    for (const fields of [
      { decision: 'approve' },
      { decision: 'approve', member: '__proto__' },
      { member: member() },
      { decision: 'yes', member: member() },
      { ...approval(), request: '' },
      { ...approval(), request: 'guessed' },
    ])
      expect(at.decide({ request: at.open(), ...fields }).status).toBe(400);
    const request = at.open();
    at.bench.now += 600_000;
    expect(at.decide({ ...approval(), request }).status).toBe(400);
  });

  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://127.0.0.1:4748' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4747' }],
    [{ 'content-type': 'text/plain' }],
  ] as Record<string, string>[][])('is a form from here alone: not %j', (headers = {}) => {
    const fields = { request: at.open(), ...approval() };
    expect(at.decide(fields, headers).status).toBe(400);
    expect(at.decide(fields, { origin: 'http://127.0.0.1:4747' }).status).toBe(302);
  });

  it('is forgotten when the state is another', () => {
    const last = at.open();
    Object.assign(at.bench, { world: structuredClone(at.bench.world) });
    expect(at.decide({ request: last, decision: 'deny' }).status).toBe(400);
  });
});

describe('--auto-approve', () => {
  it('approves at once, with the scopes that were asked for', async () => {
    at = await createOAuthBench({ autoApprove: 'Samir@lindenhof.example' });
    const { state, code = '' } = answerOf(at.authorize({ ...at.ask, scope: 'write', state: 's' }));
    expect(state).toBe('s');
    const token = at.bench.world.tokens[at.exchange(code).body.access_token];
    expect(token).toMatchObject({ scopes: ['write'], user_id: at.bench.userId('samir') });
  });

  it('still shows a wrong redirect address, and sends back who may not approve', async () => {
    at = await createOAuthBench({ autoApprove: 'mei@lindenhof.example' });
    expect(at.authorize({ ...at.ask, redirect_uri: `${CALLBACK}/` }).status).toBe(400);
    expect(answerOf(at.authorize(at.ask))['error']).toBe('server_error');
  });
});
