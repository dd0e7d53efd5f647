import { beforeEach, describe, expect, it } from 'vitest';
import { CALLBACK, createOAuthBench, DAY, DEMO, type OAuthBench, s256 } from './oauth-bench.ts';

/** POST /oauth/token, and who may register an application. */

let at: OAuthBench;
beforeEach(async () => {
  at = await createOAuthBench();
});

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const failed = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];
const members = (token: string) => at.bench.send('GET', '/members', { token }).status;
/** 403 where the token may not write, 404 where it may: there is no such member. */
const write = (token: string) => at.bench.send('DELETE', '/members/1', { token });
const another = () => {
  const { client_id, client_secret } = at.register({ name: 'Other', redirect_uri: CALLBACK });
  return { client_id, client_secret };
};

const TOKEN = {
  token_type: 'Bearer',
  expires_in: 1296000,
  access_token: expect.stringMatching(/^sbx_at_\w+$/),
};
const PAIR = { ...TOKEN, refresh_token: expect.stringMatching(/^sbx_rt_\w+$/) };
const INVALID = [400, 'invalid_grant'];
/** The pair of RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

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
    at.bench.now += 599_999;
    expect(at.exchange(second).status).toBe(200);
    at.bench.now += 1;
    expect(failed(at.exchange(third))).toEqual(INVALID);
  });

  it('needs the redirect address to the letter, and the application that asked', () => {
    const code = at.approve();
    for (const redirect_uri of [`${CALLBACK}/`, 'http://localhost:8484/callback', CALLBACK.toUpperCase()])
      expect(failed(at.exchange(code, { redirect_uri }))).toEqual(INVALID);
    expect(failed(at.exchange(code, { redirect_uri: '' }))).toEqual([400, 'invalid_request']);
    expect(failed(at.exchange(code, another()))).toEqual(INVALID);
    expect(at.exchange(code).status).toBe(200);
  });

  it.each([undefined, '', 'short', `${VERIFIER.slice(0, -1)}l`, VERIFIER])(
    'checks the verifier %s where a challenge was sent',
    (code_verifier) => {
      expect(s256(VERIFIER)).toBe(CHALLENGE);
      const code = at.approve({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
      const answer = at.exchange(code, code_verifier === undefined ? {} : { code_verifier });
      expect(failed(answer)).toEqual(code_verifier === VERIFIER ? [200, undefined] : INVALID);
    },
  );

  it('refuses a verifier where no challenge was sent', () => {
    expect(failed(at.exchange(at.approve(), { code_verifier: VERIFIER }))).toEqual(INVALID);
  });
});

describe('the application', () => {
  it('authenticates in the body or with Basic; the body wins', () => {
    const fields = () => ({ grant_type: 'authorization_code', code: at.approve(), redirect_uri: CALLBACK });
    const good = basic(DEMO.client_id, DEMO.client_secret);
    expect(at.token(fields(), good).status).toBe(200);
    expect(at.token(fields(), basic('sbx%5Fapp%5Fdemo', 'sbx%5Fsecret%5Fdemo')).status).toBe(200);
    expect(at.token({ ...fields(), ...DEMO }, basic(DEMO.client_id, 'wrong')).status).toBe(200);
    expect(at.token({ ...fields(), ...DEMO, client_secret: 'wrong' }, good).status).toBe(401);
    expect(at.token({ ...fields(), client_id: DEMO.client_id }, good).status).toBe(200);
  });

  it.each<Record<string, string>>([
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

  it('is told to use Basic where it tried to', () => {
    for (const headers of [basic('sbx_app_demo', 'no'), { authorization: 'Basic !!' }, basic('%zz', '%zz')]) {
      const answer = at.token({ grant_type: 'client_credentials' }, headers);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="sandbox"']);
    }
  });

  it('uses only the grant that it is registered for', () => {
    const { client_id, client_secret } = at.register({ name: 'N', grant: 'client-credentials' });
    const wrong = [400, 'unauthorized_client'];
    expect(failed(at.token({ grant_type: 'client_credentials', ...DEMO }))).toEqual(wrong);
    expect(failed(at.exchange(at.approve(), { client_id, client_secret }))).toEqual(wrong);
  });

  it.each([
    [{ name: ' ', redirect_uri: CALLBACK }, 2],
    [{ name: 'x'.repeat(101), redirect_uri: CALLBACK }, 2],
    [{ name: 'X' }, 2],
    ...['callback', 'javascript:alert(1)', `${CALLBACK}#x`, `${CALLBACK}/\r\nx: y`].map(
      (redirect_uri) => [{ name: 'X', redirect_uri }, 2] as const,
    ),
    [{ name: 'X', redirect_uri: 'http://ana:hunter2@127.0.0.1:8484/callback' }, 2],
    [{ name: 'X', redirect_uri: 'http://127.0.0.1:8484/größe' }, 2],
    [{ name: 'X', redirect_uri: CALLBACK, grant: 'password' }, 2],
    [{ name: 'X', redirect_uri: CALLBACK, as: 'nobody@x.example' }, 5],
    [{ name: 'X', redirect_uri: CALLBACK, as: 'mei@lindenhof.example' }, 4],
  ] as const)('is not registered as %j: exit %i', (wish, exit) => {
    expect(() => at.register(wish)).toThrow(expect.objectContaining({ exit }));
    expect(Object.keys(at.bench.world.oauth?.apps ?? {})).toEqual([DEMO.client_id]);
  });
});

describe('requests that cannot be read', () => {
  it.each([
    [{}, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'constructor' }, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code' }, 'invalid_request'],
    [{ grant_type: 'refresh_token' }, 'invalid_request'],
  ])('%j: %s', (fields, error) => {
    expect(failed(at.token({ ...DEMO, ...fields }))).toEqual([400, error]);
  });

  it('a parameter that is there twice, JSON, GET', () => {
    const twice = [...Object.entries(DEMO), ['grant_type', 'refresh_token'], ['grant_type', 'refresh_token']];
    expect(failed(at.token(twice as [string, string][]))).toEqual([400, 'invalid_request']);
    const json = at.token({ grant_type: 'refresh_token' }, { 'content-type': 'application/json' });
    expect(failed(json)).toEqual([400, 'invalid_request']);
    const got = at.oauth({ method: 'GET', path: '/oauth/token', query: [], headers: {}, body: '' });
    expect([got.status, got.headers['allow']]).toEqual([405, 'POST']);
  });
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
    expect(at.bench.world.tokens[same.access_token]?.scopes).toEqual(['read']);
  });

  it('works for 30 days, and an access token for 15', () => {
    const { access_token, refresh_token } = at.exchange(at.approve()).body;
    at.bench.now += 15 * DAY - 1;
    expect(members(access_token)).toBe(200);
    at.bench.now += 1;
    const { status, body } = at.bench.send('GET', '/members', { token: access_token });
    expect([status, body.message]).toEqual([401, 'The token has expired. Send a valid Bearer token.']);
    at.bench.now += 15 * DAY;
    expect(failed(at.refresh(refresh_token))).toEqual(INVALID);
    at.bench.now -= 1;
    expect(at.refresh(refresh_token).status).toBe(200);
  });

  it('is for the application that was approved', () => {
    const { refresh_token } = at.exchange(at.approve()).body;
    expect(failed(at.refresh(refresh_token, another()))).toEqual(INVALID);
    expect(at.refresh(refresh_token, { client_secret: 'no' }).status).toBe(401);
    expect(failed(at.refresh('sbx_rt_none'))).toEqual(INVALID);
    expect(at.refresh(refresh_token).status).toBe(200);
  });
});

it('client credentials answer an access token alone, read unless more is asked for, as who registered', () => {
  const wish = { name: 'N', grant: 'client-credentials', as: 'samir@lindenhof.example' };
  const { client_id, client_secret } = at.register(wish);
  const ask = (more = {}) =>
    at.token({ grant_type: 'client_credentials', client_id, client_secret, ...more });
  const { status, body } = ask();
  expect([status, body]).toEqual([200, TOKEN]);
  const mine = at.bench.send('GET', '/workspaces', { token: body.access_token, workspace: false });
  expect(mine.body.data[0].user_id).toBe(at.bench.userId('samir'));
  expect(write(body.access_token).status).toBe(403);
  expect(write(ask({ scope: 'read write' }).body.access_token).status).toBe(404);
  expect(failed(ask({ scope: 'all' }))).toEqual([400, 'invalid_scope']);
});

it('access tokens carry the approved scopes, admin too, and end with the role of who approved', () => {
  expect(write(at.exchange(at.approve({ scope: 'admin' })).body.access_token).status).toBe(404);
  const refused = write(at.exchange(at.approve()).body.access_token);
  expect([refused.status, refused.body.meta.required_scope]).toEqual([403, ['write', 'admin']]);
  const token = at.exchange(at.approve({ scope: 'read write' }, 'samir')).body.access_token;
  expect(members(token)).toBe(200);
  at.bench.send('DELETE', `/members/${at.bench.userId('samir')}`);
  expect(members(token)).toBe(403);
});
