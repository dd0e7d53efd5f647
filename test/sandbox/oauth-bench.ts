import { createHash } from 'node:crypto';
import type { SandboxRequest } from '../../src/sandbox/answer.ts';
import { answer } from '../../src/sandbox/app.ts';
import { createOAuthHost } from '../../src/sandbox/oauth.ts';
import { type AppRegistration, type IssuedApp, registerApp } from '../../src/sandbox/tokens.ts';
import { type Bench, createBench, type Got, NOW } from './bench.ts';

/** The OAuth2 host on a bench, beside the API of the same world. */

const FORM = 'application/x-www-form-urlencoded';
export const CALLBACK = 'http://127.0.0.1:8484/callback';
export const DEMO = { client_id: 'sbx_app_demo', client_secret: 'sbx_secret_demo' };
const ORIGIN = 'http://127.0.0.1:4747';
export const DAY = 86_400_000;

export interface Visit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An undefined one is not sent. */
export type Fields = Readonly<Record<string, string | undefined>> | readonly (readonly [string, string])[];

type Headers = Readonly<Record<string, string | undefined>>;

const pairsOf = (fields: Fields): [string, string][] =>
  (Array.isArray(fields) ? [...fields] : Object.entries(fields)).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );

export const createOAuthBench = async (options: { seed?: string; autoApprove?: string } = {}) => {
  const bench: Bench = await createBench(options);
  let drawn = 7;
  const random = (): number => {
    drawn = (drawn * 48271) % 2147483647;
    return drawn / 2147483647;
  };
  const answerOAuth = createOAuthHost(options.autoApprove);
  const oauth = (request: SandboxRequest): Visit =>
    answer(bench.world, request, { now: bench.now, random, oauth: answerOAuth }).response;
  const host = '127.0.0.1:4747';
  const authorize = (query: Fields): Visit =>
    oauth({ method: 'GET', path: '/oauth/authorize', query: pairsOf(query), headers: { host }, body: '' });
  const post = (path: string, fields: Fields, headers: Headers = {}): Visit =>
    oauth({
      method: 'POST',
      path,
      query: [],
      headers: Object.fromEntries(pairsOf({ host, 'content-type': FORM, ...headers })),
      body: new URLSearchParams(pairsOf(fields)).toString(),
    });
  const token = (fields: Fields, headers: Record<string, string> = {}): Got => {
    const { status, headers: answered, body } = post('/oauth/token', fields, headers);
    return { status, headers: answered, body: JSON.parse(body) };
  };
  const ask = { client_id: DEMO.client_id, redirect_uri: CALLBACK, response_type: 'code' };
  const open = (more: Record<string, string> = {}): string => {
    const page = authorize({ ...ask, ...more });
    const id = /name="request" value="(\w+)"/.exec(page.body)?.[1];
    if (page.status !== 200 || id === undefined) throw new Error(`no page: ${page.status} ${page.body}`);
    return id;
  };
  const decide = (fields: Fields, headers: Headers = { origin: ORIGIN }): Visit =>
    post('/oauth/authorize', fields, headers);
  const approve = (more: Record<string, string> = {}, who = 'nora'): string => {
    const member = String(bench.userId(who));
    const answer = decide({ request: open(more), member, decision: 'approve' });
    const code = new URL(answer.headers['location'] ?? '').searchParams.get('code');
    if (code === null) throw new Error(`no code: ${answer.status}`);
    return code;
  };
  const exchange = (code: string, more: Record<string, string> = {}): Got =>
    token({ grant_type: 'authorization_code', ...DEMO, code, redirect_uri: CALLBACK, ...more });
  const refresh = (refresh_token: string, more: Record<string, string> = {}): Got =>
    token({ grant_type: 'refresh_token', ...DEMO, refresh_token, ...more });
  const register = (wish: AppRegistration): IssuedApp => registerApp(bench.world, wish, { now: NOW, random });
  return { bench, oauth, ask, authorize, open, decide, approve, exchange, refresh, token, register };
};

export type OAuthBench = Awaited<ReturnType<typeof createOAuthBench>>;

export const s256 = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
