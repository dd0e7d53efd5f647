import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASKED, CALLBACK, createBench, DAY, DEMO, s256, useBench } from './bench.ts';

/** The OAuth2 host: the authorize page and where it leads, `POST /oauth/token`, who may register an application. */

const at = useBench();
type Visit = ReturnType<typeof at.authorize>;

/** What is sent back to the application. */
const answerOf = ({ status, headers }: Visit): Record<string, string> => {
  const location = headers['location'] ?? '';
  expect([status, location.startsWith(`${CALLBACK}?`)]).toEqual([302, true]);
  return Object.fromEntries(new URL(location).searchParams);
};
const failed = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];
const INVALID = [400, 'invalid_grant'];
const members = (token: string) => at.status('GET /members', {}, { token });
/** 403 where the token may not write, 404 where it may: there is no such member. */
const write = (token: string) => at.ask('DELETE /members/1', {}, { token });

describe('the authorize page', () => {
  it('says who asks, for what, and offers the active Owners and Executive Managers', () => {
    const scopesOf = ({ body }: Visit) =>
      [...body.matchAll(/<\/b> <code>(\w+)<\/code>/g)].map((match) => match[1]);
    const page = at.authorize({ ...ASKED, scope: 'read write', state: 's' });
    expect([page.status, page.headers]).toEqual([
      200,
      expect.objectContaining({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }),
    ]);
    expect(page.body).toContain('<bdi>ttctl</bdi> wants to use');
    expect(scopesOf(page)).toEqual(['read', 'write']);
    const offered = [...page.body.matchAll(/(\w+)@\w+\.example/g)].map((match) => match[1]);
    expect(offered).toEqual(['nora', 'ingrid', 'samir', 'grace']);
    for (const more of [{}, { scope: '' }])
      expect(scopesOf(at.authorize({ ...ASKED, ...more }))).toEqual(['read']);
  });

  it('loads nothing, runs nothing, is not framed, and leads only here and back', () => {
    const { headers, body } = at.authorize(ASKED);
    const policy = headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:8484;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
    expect(body).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1:8484\/callback|www\.w3\.org\/2000\/svg)/);
  });

  it('shows what applications and people are called as text', () => {
    Object.assign(at.world.users[at.userId('nora')] ?? {}, {
      firstname: '</bdi><script>alert(1)</script>',
    });
    const redirect_uri = 'http://127.0.0.1:9/?a="><script>';
    const { client_id } = at.register({ name: '<img src=x onerror=alert(1)>"', redirect_uri });
    const { body } = at.authorize({ ...ASKED, client_id, redirect_uri });
    expect(body).toContain('&#60;img src=x onerror=alert(1)&#62;&#34;');
    expect(body).not.toMatch(/<img|<script/);
  });

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
  ])('fails on the spot, and redirects nowhere, with %s', (_what, wrong) => {
    const { status, headers, body } = at.authorize({ ...ASKED, ...wrong });
    expect([status, headers['location']]).toEqual([400, undefined]);
    expect(headers['content-security-policy']).toContain("form-action 'none'");
    expect(body).toContain('<h1>Authorization failed</h1>');
  });

  it('nor with a redirect address twice, an application for client credentials, other methods and paths', () => {
    const twice: [string, string][] = [...Object.entries(ASKED), ['redirect_uri', CALLBACK]];
    expect(at.authorize(twice).status).toBe(400);
    const { client_id } = at.register({ name: 'N', grant: 'client-credentials', redirect_uri: CALLBACK });
    expect(at.authorize({ ...ASKED, client_id }).status).toBe(400);
    expect(at.visit('PUT /oauth/authorize', {}).status).toBe(405);
    expect(at.visit('GET /oauth/other', {}).status).toBe(404);
  });

  it.each([
    ['invalid_request', { response_type: '' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_scope', { scope: 'read everything' }],
    ['invalid_scope', { scope: 'read,write' }],
    ['invalid_request', { code_challenge: s256('x'), code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: s256('x') }],
    ['invalid_request', { code_challenge: 'short', code_challenge_method: 'S256' }],
    ['invalid_request', { code_challenge_method: 'S256' }],
  ])('sends %s back with the state for %j', (error, wrong) => {
    const answer = answerOf(at.authorize({ ...ASKED, state: 'a&b=c d', ...wrong }));
    expect(answer).toMatchObject({ error, error_description: expect.stringMatching(/./), state: 'a&b=c d' });
    expect(answer['code']).toBeUndefined();
    expect('state' in answerOf(at.authorize({ ...ASKED, ...wrong }))).toBe(false);
  });
});

describe('the decision', () => {
  const approval = () => ({ member: String(at.userId('samir')), decision: 'approve' });

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
    const fields = { request: at.open(), member: String(at.userId(who)), decision: 'approve' };
    expect(at.decide(fields).status).toBe(400);
  });

  it.each([
    { member: undefined },
    { member: '__proto__' },
    { decision: undefined },
    { decision: 'yes' },
    { request: '' },
    { request: 'guessed' },
  ])('needs a known person, a known word, and the value that stands on the page alone: not %j', (wrong) => {
    expect(at.decide({ request: at.open(), ...approval(), ...wrong }).status).toBe(400);
  });

  it('is forgotten after ten minutes, and when the state is another', () => {
    const old = at.open();
    at.now += 600_000;
    expect(at.decide({ ...approval(), request: old }).status).toBe(400);
    const last = at.open();
    at.world = structuredClone(at.world);
    expect(at.decide({ ...approval(), request: last }).status).toBe(400);
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:4748' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4747' },
    { 'content-type': 'text/plain' },
  ])('is a form from here alone: not %j', (headers) => {
    const fields = { request: at.open(), ...approval() };
    expect(at.decide(fields, headers).status).toBe(400);
    expect(at.decide(fields).status).toBe(302);
  });

  it('is made at once with --auto-approve, with the scopes that were asked for', async () => {
    const auto = await createBench({ autoApprove: 'Samir@lindenhof.example' });
    const { state, code = '' } = answerOf(auto.authorize({ ...ASKED, scope: 'write', state: 's' }));
    expect(state).toBe('s');
    const token = auto.world.tokens[auto.exchange(code).body.access_token];
    expect(token).toMatchObject({ scopes: ['write'], user_id: auto.userId('samir') });
    // A wrong redirect address is still shown, and who may not approve is sent back.
    const mei = await createBench({ autoApprove: 'mei@lindenhof.example' });
    expect(mei.authorize({ ...ASKED, redirect_uri: `${CALLBACK}/` }).status).toBe(400);
    expect(answerOf(mei.authorize(ASKED))['error']).toBe('server_error');
  });
});

const TOKEN = {
  ...{ token_type: 'Bearer', expires_in: 1296000, access_token: expect.stringMatching(/^sbx_at_\w+$/) },
};
const PAIR = { ...TOKEN, refresh_token: expect.stringMatching(/^sbx_rt_\w+$/) };

describe('the exchange of a code', () => {
  it('answers the four fields of the specification and nothing else, not to be kept', () => {
    const { status, headers, body } = at.exchange(at.approve());
    expect([status, body]).toEqual([200, PAIR]);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
  });

  it('works once, for ten minutes', () => {
    const [code, second, third] = [at.approve(), at.approve(), at.approve()];
    const { body } = at.exchange(code);
    const again = at.exchange(code);
    expect(failed(again)).toEqual(INVALID);
    expect(again.body.error_description).toBe('The authorization code has been used already');
    expect(again.headers['cache-control']).toBe('no-store');
    expect(members(body.access_token)).toBe(200);
    at.now += 599_999;
    expect(at.exchange(second).status).toBe(200);
    at.now += 1;
    expect(failed(at.exchange(third))).toEqual(INVALID);
  });

  it('needs the redirect address to the letter, and the application that asked', () => {
    const code = at.approve();
    for (const redirect_uri of [`${CALLBACK}/`, 'http://localhost:8484/callback', CALLBACK.toUpperCase()])
      expect(failed(at.exchange(code, { redirect_uri }))).toEqual(INVALID);
    expect(failed(at.exchange(code, { redirect_uri: '' }))).toEqual([400, 'invalid_request']);
    const { client_id, client_secret } = at.register({ name: 'Other', redirect_uri: CALLBACK });
    expect(failed(at.exchange(code, { client_id, client_secret }))).toEqual(INVALID);
    expect(at.exchange(code).status).toBe(200);
  });

  it('needs the verifier where a challenge was sent, and none where there was none', () => {
    // The pair of RFC 7636, appendix B.
    const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    expect(s256(code_verifier)).toBe(code_challenge);
    const code = () => at.approve({ code_challenge, code_challenge_method: 'S256' });
    for (const wrong of [undefined, '', 'short', `${code_verifier.slice(0, -1)}l`])
      expect(failed(at.exchange(code(), { code_verifier: wrong })), wrong).toEqual(INVALID);
    expect(at.exchange(code(), { code_verifier }).status).toBe(200);
    expect(failed(at.exchange(at.approve(), { code_verifier }))).toEqual(INVALID);
  });
});

describe('an application', () => {
  it('authenticates in the body or with Basic; the body wins', () => {
    const basic = (id: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    });
    const fields = () => ({ grant_type: 'authorization_code', code: at.approve(), redirect_uri: CALLBACK });
    const good = basic(DEMO.client_id, DEMO.client_secret);
    expect(at.askToken(fields(), good).status).toBe(200);
    expect(at.askToken(fields(), basic('sbx%5Fapp%5Fdemo', 'sbx%5Fsecret%5Fdemo')).status).toBe(200);
    expect(at.askToken({ ...fields(), ...DEMO }, basic(DEMO.client_id, 'wrong')).status).toBe(200);
    expect(at.askToken({ ...fields(), ...DEMO, client_secret: 'wrong' }, good).status).toBe(401);
    expect(at.askToken({ ...fields(), client_id: DEMO.client_id }, good).status).toBe(200);
  });

  it.each([
    { client_secret: 'wrong' },
    { client_secret: '' },
    { client_id: 'sbx_app_none' },
    { client_id: '__proto__', client_secret: 'undefined' },
  ])('is refused with 401 invalid_client: %j', (wrong) => {
    const { status, body, headers } = at.exchange(at.approve(), wrong);
    const said = { error: 'invalid_client', error_description: 'Client authentication failed' };
    expect([status, body, headers['cache-control']]).toEqual([401, said, 'no-store']);
    expect(headers['www-authenticate']).toBeUndefined();
  });

  it('uses only the grant that it is registered for', () => {
    const { client_id, client_secret } = at.register({ name: 'N', grant: 'client-credentials' });
    const wrong = [400, 'unauthorized_client'];
    expect(failed(at.askToken({ grant_type: 'client_credentials', ...DEMO }))).toEqual(wrong);
    expect(failed(at.exchange(at.approve(), { client_id, client_secret }))).toEqual(wrong);
  });

  it('gets an access token alone for its credentials, read unless more is asked for, as who registered', () => {
    const wish = { name: 'N', grant: 'client-credentials', as: 'samir@lindenhof.example' };
    const { client_id, client_secret } = at.register(wish);
    const ask = (more = {}) =>
      at.askToken({ grant_type: 'client_credentials', client_id, client_secret, ...more });
    const { status, body } = ask();
    expect([status, body]).toEqual([200, TOKEN]);
    const mine = at.ask('GET /workspaces', {}, { token: body.access_token, workspace: false });
    expect(mine.data[0].user_id).toBe(at.userId('samir'));
    expect(write(body.access_token).status).toBe(403);
    expect(write(ask({ scope: 'read write' }).body.access_token).status).toBe(404);
    expect(failed(ask({ scope: 'all' }))).toEqual([400, 'invalid_scope']);
  });
});

it.each([
  [{}, 'invalid_request'],
  [{ grant_type: 'password' }, 'unsupported_grant_type'],
  [{ grant_type: 'constructor' }, 'unsupported_grant_type'],
  [{ grant_type: 'authorization_code' }, 'invalid_request'],
  [{ grant_type: 'refresh_token' }, 'invalid_request'],
])('a token request with %j is refused: %s', (fields, error) => {
  expect(failed(at.askToken({ ...DEMO, ...fields }))).toEqual([400, error]);
});

it('so is a parameter that is there twice, JSON, GET', () => {
  const one: [string, string] = ['grant_type', 'refresh_token'];
  expect(failed(at.askToken([...Object.entries(DEMO), one, one]))).toEqual([400, 'invalid_request']);
  const json = at.askToken({ grant_type: 'refresh_token' }, { 'content-type': 'application/json' });
  expect(failed(json)).toEqual([400, 'invalid_request']);
  const got = at.visit('GET /oauth/token', {});
  expect([got.status, got.headers['allow']]).toEqual([405, 'POST']);
});

describe('a refresh', () => {
  it('gives a new pair, spends the old refresh token and ends the old access token', () => {
    const first = at.exchange(at.approve({ scope: 'read write' })).body;
    const second = at.refresh(first.refresh_token);
    expect([second.status, second.body]).toEqual([200, PAIR]);
    expect([members(first.access_token), write(second.body.access_token).status]).toEqual([401, 404]);
    // Reuse is refused and does nothing else.
    expect(failed(at.refresh(first.refresh_token))).toEqual(INVALID);
    expect(members(second.body.access_token)).toBe(200);
    expect(at.refresh(second.body.refresh_token).status).toBe(200);
  });

  it('may ask for less, and that is then what there is', () => {
    const first = at.exchange(at.approve({ scope: 'read write' })).body;
    expect(failed(at.refresh(first.refresh_token, { scope: 'read admin' }))).toEqual([400, 'invalid_scope']);
    const less = at.refresh(first.refresh_token, { scope: 'read' }).body;
    const refused = write(less.access_token);
    expect([refused.status, refused.body.meta.granted_scope]).toEqual([403, ['read']]);
    expect(failed(at.refresh(less.refresh_token, { scope: 'write' }))).toEqual([400, 'invalid_scope']);
    const same = at.refresh(less.refresh_token).body;
    expect(at.world.tokens[same.access_token]?.scopes).toEqual(['read']);
  });

  it('works for 30 days, and an access token for 15', () => {
    const { access_token, refresh_token } = at.exchange(at.approve()).body;
    at.now += 15 * DAY - 1;
    expect(members(access_token)).toBe(200);
    at.now += 1;
    const { status, body } = at.ask('GET /members', {}, { token: access_token });
    expect([status, body.message]).toEqual([401, 'The token has expired. Send a valid Bearer token.']);
    at.now += 15 * DAY;
    expect(failed(at.refresh(refresh_token))).toEqual(INVALID);
    at.now -= 1;
    expect(at.refresh(refresh_token).status).toBe(200);
  });
});

it('access tokens carry the approved scopes, admin too, and end with the role of who approved', () => {
  expect(write(at.exchange(at.approve({ scope: 'admin' })).body.access_token).status).toBe(404);
  const refused = write(at.exchange(at.approve()).body.access_token);
  expect([refused.status, refused.body.meta.required_scope]).toEqual([403, ['write', 'admin']]);
  const token = at.exchange(at.approve({ scope: 'read write' }, 'samir')).body.access_token;
  expect(members(token)).toBe(200);
  at.ask(`DELETE /members/${at.userId('samir')}`);
  expect(members(token)).toBe(403);
});

it('codes and refresh tokens work once in any order, and of an approval the newest access token alone', () => {
  const verb = fc.constantFrom('approve', 'exchange', 'exchange', 'refresh', 'refresh', 'wait');
  const steps = fc.array(fc.record({ verb, pick: fc.nat(7) }), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (run) => {
      const [codes, refreshTokens, spent] = [[] as string[], [] as string[], new Set<string>()];
      /** The access tokens that came of one approval, oldest first; by code and by refresh token. */
      const chains = new Map<string, string[]>();
      const use = (redeem: typeof at.exchange, pool: readonly string[], pick: number) => {
        const one = pool[pick % Math.max(pool.length, 1)];
        if (one === undefined) return;
        const { status, body } = redeem.call(at, one);
        expect(status).toBe(spent.has(one) ? 400 : 200);
        if (status !== 200) return;
        spent.add(one);
        const chain = chains.get(one) ?? [];
        chain.push(body.access_token);
        chains.set(one, chain).set(body.refresh_token, chain);
        refreshTokens.push(body.refresh_token);
      };
      for (const { verb, pick } of run) {
        if (verb === 'wait') at.now += 1000;
        else if (verb === 'approve') codes.push(at.approve());
        else if (verb === 'exchange') use(at.exchange, codes, pick);
        else use(at.refresh, refreshTokens, pick);
      }
      for (const chain of new Set(chains.values())) {
        const alive = chain.filter((token) => at.world.tokens[token]?.revoked === false);
        expect(alive).toEqual(chain.slice(-1));
      }
    }),
    { numRuns: 80 },
  );
});
