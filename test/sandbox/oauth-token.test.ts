import { beforeEach, describe, expect, it } from 'vitest';
import { CALLBACK, createOAuthBench, DAY, DEMO, type OAuthBench, s256 } from './oauth-bench.ts';

let at: OAuthBench;
beforeEach(async () => {
  at = await createOAuthBench();
});

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

describe('the exchange of a code', () => {
  it('answers the four fields of the specification and nothing else, not to be kept', () => {
    const { status, headers, body } = at.exchange(at.approve());
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'Bearer',
      expires_in: 1296000,
      access_token: expect.stringMatching(/^sbx_at_\w+$/),
      refresh_token: expect.stringMatching(/^sbx_rt_\w+$/),
    });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-type']).toBe('application/json');
  });

  it('works once', () => {
    const code = at.approve();
    const { body } = at.exchange(code);
    const again = at.exchange(code);
    expect(again.status).toBe(400);
    expect(again.body).toEqual({
      error: 'invalid_grant',
      error_description: expect.any(String),
      hint: 'The authorization code has been used already',
    });
    expect(again.headers['cache-control']).toBe('no-store');
    expect(at.bench.send('GET', '/members', { token: body.access_token }).status).toBe(200);
  });

  it('works for ten minutes', () => {
    const [first, second] = [at.approve(), at.approve()];
    at.bench.now += 599_999;
    expect(at.exchange(first).status).toBe(200);
    at.bench.now += 1;
    expect(at.exchange(second).body.error).toBe('invalid_grant');
  });

  it.each([`${CALLBACK}/`, 'http://localhost:8484/callback', 'http://127.0.0.1:8484/Callback'])(
    'needs the redirect address to the letter, not %s',
    (redirect_uri) => {
      const code = at.approve();
      expect(at.exchange(code, { redirect_uri }).body.error).toBe('invalid_grant');
      expect(at.exchange(code, { redirect_uri: '' }).body.error).toBe('invalid_request');
      expect(at.exchange(code).status).toBe(200);
    },
  );

  it('is for the application that asked', () => {
    const other = at.register({ name: 'Other', redirect_uri: CALLBACK });
    const { client_id, client_secret } = other;
    const answer = at.exchange(at.approve(), { client_id, client_secret });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
  });

  it.each([
    [undefined, 400],
    ['', 400],
    ['short', 400],
    [`${VERIFIER.slice(0, -1)}l`, 400],
    [VERIFIER, 200],
  ])('checks the verifier %s where a challenge was sent: %i', (code_verifier, status) => {
    // The pair of RFC 7636, appendix B.
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const code = at.approve({ code_challenge, code_challenge_method: 'S256' });
    const answer = at.exchange(code, code_verifier === undefined ? {} : { code_verifier });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.error).toBe('invalid_grant');
  });

  it('refuses a verifier where no challenge was sent', () => {
    expect(at.exchange(at.approve(), { code_verifier: VERIFIER }).body.error).toBe('invalid_grant');
    expect(s256(VERIFIER)).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });
});

describe('the application', () => {
  it('authenticates in the body or with Basic; the body wins', () => {
    const fields = () => ({
      grant_type: 'authorization_code',
      code: at.approve(),
      redirect_uri: CALLBACK,
    });
    const good = basic(DEMO.client_id, DEMO.client_secret);
    const bad = basic(DEMO.client_id, 'wrong');
    expect(at.token(fields(), good).status).toBe(200);
    expect(at.token(fields(), basic('sbx%5Fapp%5Fdemo', 'sbx%5Fsecret%5Fdemo')).status).toBe(200);
    expect(at.token({ ...fields(), ...DEMO }, bad).status).toBe(200);
    expect(at.token({ ...fields(), ...DEMO, client_secret: 'wrong' }, good).status).toBe(401);
    expect(at.token({ ...fields(), client_id: DEMO.client_id }, good).status).toBe(200);
  });

  it.each([
    [{ client_secret: 'wrong' }],
    [{ client_secret: '' }],
    [{ client_id: 'sbx_app_none' }],
    [{ client_id: '__proto__', client_secret: 'undefined' }],
  ])('is refused with 401 invalid_client: %j', (wrong) => {
    const answer = at.exchange(at.approve(), wrong);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication failed',
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });

  it('is told to use Basic where it tried to', () => {
    for (const headers of [basic('sbx_app_demo', 'no'), { authorization: 'Basic !!' }, basic('%zz', '%zz')]) {
      const answer = at.token({ grant_type: 'client_credentials' }, headers);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="sandbox"']);
    }
  });

  it('uses only the grant that it is registered for', () => {
    const { client_id, client_secret } = at.register({ name: 'N', grant: 'client-credentials' });
    expect(at.token({ grant_type: 'client_credentials', ...DEMO }).body.error).toBe('unauthorized_client');
    expect(at.exchange(at.approve(), { client_id, client_secret }).body.error).toBe('unauthorized_client');
  });
});

describe('an application', () => {
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
  ] as const)('%j is refused with exit %i', (wish, exit) => {
    expect(() => at.register(wish)).toThrow(expect.objectContaining({ exit }));
    expect(Object.keys(at.bench.world.oauth?.apps ?? {})).toEqual([DEMO.client_id]);
  });
});

describe('requests that cannot be read', () => {
  it.each([
    [{ ...DEMO }, 'invalid_request'],
    [{ grant_type: 'password', ...DEMO }, 'unsupported_grant_type'],
    [{ grant_type: 'constructor', ...DEMO }, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code', ...DEMO }, 'invalid_request'],
    [{ grant_type: 'refresh_token', ...DEMO }, 'invalid_request'],
  ])('%j: %s', (fields, error) => {
    const answer = at.token(fields);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  it('a parameter that is there twice, JSON, GET', () => {
    const twice = [...Object.entries(DEMO), ['grant_type', 'refresh_token'], ['grant_type', 'refresh_token']];
    expect(at.token(twice as [string, string][]).body.error).toBe('invalid_request');
    const json = at.token({ grant_type: 'refresh_token' }, { 'content-type': 'application/json' });
    expect(json.body.error).toBe('invalid_request');
    const got = at.oauth({ method: 'GET', path: '/oauth/token', query: [], headers: {}, body: '' });
    expect([got.status, got.headers['allow']]).toEqual([405, 'POST']);
  });
});

describe('a refresh', () => {
  it('gives a new pair, spends the old refresh token and ends the old access token', () => {
    const first = at.exchange(at.approve({ scope: 'read write' })).body;
    const second = at.refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(Object.keys(second.body).sort()).toEqual([
      'access_token',
      'expires_in',
      'refresh_token',
      'token_type',
    ]);
    expect(at.bench.send('GET', '/members', { token: first.access_token }).status).toBe(401);
    expect(at.bench.send('DELETE', '/members/1', { token: second.body.access_token }).status).toBe(404);
    const reused = at.refresh(first.refresh_token);
    expect([reused.status, reused.body.error]).toEqual([400, 'invalid_grant']);
    expect(reused.headers['cache-control']).toBe('no-store');
    // Reuse is refused and does nothing else.
    expect(at.bench.send('GET', '/members', { token: second.body.access_token }).status).toBe(200);
    expect(at.refresh(second.body.refresh_token).status).toBe(200);
  });

  it('may ask for less, and that is then what there is', () => {
    const first = at.exchange(at.approve({ scope: 'read write' })).body;
    const wider = at.refresh(first.refresh_token, { scope: 'read admin' });
    expect([wider.status, wider.body.error]).toEqual([400, 'invalid_scope']);
    const less = at.refresh(first.refresh_token, { scope: 'read' }).body;
    const refused = at.bench.send('DELETE', '/members/1', { token: less.access_token });
    expect(refused.status).toBe(403);
    expect(refused.body.meta.granted_scope).toEqual(['read']);
    expect(at.refresh(less.refresh_token, { scope: 'write' }).body.error).toBe('invalid_scope');
    const same = at.refresh(less.refresh_token).body;
    expect(at.bench.world.tokens[same.access_token]?.scopes).toEqual(['read']);
  });

  it('works for 30 days, and an access token for 15', () => {
    const { access_token, refresh_token } = at.exchange(at.approve()).body;
    at.bench.now += 15 * DAY - 1;
    expect(at.bench.send('GET', '/members', { token: access_token }).status).toBe(200);
    at.bench.now += 1;
    const expired = at.bench.send('GET', '/members', { token: access_token });
    expect([expired.status, expired.body.message]).toEqual([
      401,
      'The token has expired. Send a valid Bearer token.',
    ]);
    at.bench.now += 15 * DAY;
    expect(at.refresh(refresh_token).body.error).toBe('invalid_grant');
    at.bench.now -= 1;
    expect(at.refresh(refresh_token).status).toBe(200);
  });

  it('is for the application that was approved', () => {
    const { client_id, client_secret } = at.register({ name: 'Other', redirect_uri: CALLBACK });
    const { refresh_token } = at.exchange(at.approve()).body;
    expect(at.refresh(refresh_token, { client_id, client_secret }).body.error).toBe('invalid_grant');
    expect(at.refresh(refresh_token, { client_secret: 'no' }).status).toBe(401);
    expect(at.refresh('sbx_rt_none').body.error).toBe('invalid_grant');
    expect(at.refresh(refresh_token).status).toBe(200);
  });
});

describe('client credentials', () => {
  it('answer an access token alone, read unless more is asked for, as who registered the application', () => {
    const samir = 'samir@lindenhof.example';
    const { client_id, client_secret } = at.register({ name: 'N', grant: 'client-credentials', as: samir });
    const fields = { grant_type: 'client_credentials', client_id, client_secret };
    const { status, body } = at.token(fields);
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'Bearer',
      expires_in: 1296000,
      access_token: expect.stringMatching(/^sbx_at_/),
    });
    const mine = at.bench.send('GET', '/workspaces', { token: body.access_token, workspace: false });
    expect(mine.body.data[0].user_id).toBe(at.bench.userId('samir'));
    expect(at.bench.send('DELETE', '/members/1', { token: body.access_token }).status).toBe(403);
    const wide = at.token({ ...fields, scope: 'read write' }).body.access_token;
    expect(at.bench.send('DELETE', '/members/1', { token: wide }).status).toBe(404);
    expect(at.token({ ...fields, scope: 'all' }).body.error).toBe('invalid_scope');
  });
});

describe('access tokens', () => {
  it('carry the approved scopes, admin too', () => {
    const admin = at.exchange(at.approve({ scope: 'admin' })).body.access_token;
    expect(at.bench.send('DELETE', '/members/1', { token: admin }).status).toBe(404);
    const read = at.exchange(at.approve()).body.access_token;
    const refused = at.bench.send('DELETE', '/members/1', { token: read });
    expect([refused.status, refused.body.meta.required_scope]).toEqual([403, ['write', 'admin']]);
  });

  it('end with the role of who approved', () => {
    const token = at.exchange(at.approve({ scope: 'read write' }, 'samir')).body.access_token;
    expect(at.bench.send('GET', '/members', { token }).status).toBe(200);
    at.bench.send('DELETE', `/members/${at.bench.userId('samir')}`);
    expect(at.bench.send('GET', '/members', { token }).status).toBe(403);
  });
});

it('counts the requests of each grant, granted or not', () => {
  const { refresh_token } = at.exchange(at.approve()).body;
  at.refresh(refresh_token);
  at.refresh(refresh_token);
  at.token({ grant_type: 'refresh_token' });
  at.token({ grant_type: 'other' });
  expect(at.bench.world.oauth?.requests).toEqual({
    authorization_code: 1,
    refresh_token: 3,
    client_credentials: 0,
  });
});

it('forgets what has expired', () => {
  for (let i = 0; i < 5; i += 1) at.exchange(at.approve());
  at.bench.now += 31 * DAY;
  at.exchange(at.approve());
  expect(Object.keys(at.bench.world.oauth?.codes ?? {})).toHaveLength(1);
  expect(Object.keys(at.bench.world.oauth?.refresh_tokens ?? {})).toHaveLength(1);
});
