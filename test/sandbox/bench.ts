import { createHash } from 'node:crypto';
import { beforeEach, expect } from 'vitest';
import type { SandboxRequest, SandboxResponse } from '../../src/sandbox/answer.ts';
import { answer, BASE_PATH } from '../../src/sandbox/app.ts';
import { parseDialect, type ServiceDialect } from '../../src/sandbox/dialect.ts';
import type { LogEntry } from '../../src/sandbox/log.ts';
import { createOAuthHost } from '../../src/sandbox/oauth.ts';
import { EVENTS } from '../../src/sandbox/routes.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { type AppRegistration, createToken, type IssuedApp, registerApp } from '../../src/sandbox/tokens.ts';
import type { Workspace, World } from '../../src/sandbox/world.ts';

/** A sandbox on a bench: a seeded world, a clock that the test turns, and requests in one line. */

export const NOW = Date.parse('2026-03-18T10:00:00Z');

export interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Raw text in place of a JSON body. */
  readonly raw?: string;
  readonly type?: string;
  readonly token?: string | null;
  /** False: no workspace_id is added, neither to the query nor, where the document wants it there, to the body. */
  readonly workspace?: false;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read literal envelopes
  readonly body: any;
  /** Of the body. */
  // biome-ignore lint/suspicious/noExplicitAny: as the body
  readonly data?: any;
}

export interface Bench {
  readonly world: World;
  readonly space: Workspace;
  /** What a webhook hears from now on. */
  hear(): () => { event: string; workspace_id: number; data: unknown }[];
  readonly log: LogEntry[];
  readonly token: string;
  now: number;
  send(method: string, path: string, sent?: Sent): Got;
  /** `ask('PUT /members/7', { rate: 5 })`: the fields are the body, of a GET the query. */
  ask(line: string, fields?: object, sent?: Sent): Got;
  status(line: string, fields?: object, sent?: Sent): number;
  tokenFor(email: string, scopes?: readonly string[]): string;
  userId(email: string): number;
}

/** Every answer that is not bare carries the envelope (docs/service.md, Envelope). */
const expectEnvelope = ({ status, headers, body: text }: SandboxResponse, dialect?: ServiceDialect): void => {
  expect(headers['content-type']).toBe('application/json');
  const body = JSON.parse(text);
  if ('max_rows' in body) {
    expect(Object.keys(body).sort()).toEqual(['current_page', 'data', 'max_rows', 'total_pages']);
    return;
  }
  const known = ['success', 'message', 'data', 'meta', 'error', 'errors', 'pagination'];
  expect(Object.keys(body).filter((name) => !known.includes(name))).toEqual([]);
  expect([body.success, body.meta.api_version]).toEqual([status < 300, '2.0.0']);
  const plain = dialect?.timestamp === 'plain';
  expect(body.meta.timestamp).toMatch(plain ? /^[-\d]{10}T[:\d]{8}Z$/ : /^[-\d]{10}T[:\d]{8}\.\d{6}Z$/);
  if (status < 300) return;
  expect(body).toMatchObject({ message: expect.any(String), error: null });
  expect('data' in body).toBe(false);
};

/** Where workspace_id is documented to stand in the body (docs/service.md, Where values travel). */
const IN_BODY = [
  /^POST \/project-viewers$/,
  /^DELETE \/projects\/[^/]+$/,
  /^POST \/tasks\/[^/]+\/assign\/[^/]+$/,
  /^POST \/webhooks$/,
  /^(PUT|DELETE) \/webhooks\/[^/]+$/,
];

const address = (email: string): string => (email.includes('@') ? email : `${email}@lindenhof.example`);

interface BenchOptions {
  readonly seed?: string;
  readonly dialect?: string;
  /** Those of the documentation; absent: none. */
  readonly limits?: true;
  readonly as?: string;
}

/** A bench that is new for each test. */
export const useBench = (options: BenchOptions = {}): Bench => {
  const bench = {} as Bench;
  beforeEach(async () => {
    Object.assign(bench, await createBench(options, bench));
  });
  return bench;
};

export const createBench = async (options: BenchOptions = {}, target = {} as Bench): Promise<Bench> => {
  const name = options.seed ?? 'demo';
  const world = await createSeed(name, { now: NOW });
  const space = Object.values(world.spaces)[0];
  if (space === undefined) throw new Error('the seed has no workspace');
  const dialect = options.dialect === undefined ? undefined : parseDialect(options.dialect);
  const owner = world.users[space.owner_id]?.email ?? '';
  let drawn = 0;
  const random = (): number => {
    drawn = (drawn * 16807 + 12345) % 2147483647;
    return drawn / 2147483647;
  };
  const tokenFor = (email: string, scopes: readonly string[] = ['read', 'write']): string =>
    createToken(world, { as: address(email), scopes, now: bench.now, random }).token;
  const bench: Bench = Object.assign(target, {
    world,
    space,
    hear: () => {
      space.webhooks['all'] = { id: 'all', url: 'http://127.0.0.1:1/', events: [...EVENTS], token: '' };
      const all = () => (world.deliveries ?? []).filter(({ webhook_id }) => webhook_id === 'all');
      return () => all().map(({ body }) => JSON.parse(body));
    },
    log: [] as LogEntry[],
    now: NOW,
    token: '',
    tokenFor,
    userId: (email: string): number => {
      const user = Object.values(world.users).find((candidate) => candidate.email === address(email));
      if (user === undefined) throw new Error(`nobody is ${email}`);
      return user.id;
    },
    send: (method: string, path: string, sent: Sent = {}): Got => {
      const inBody = sent.workspace !== false && IN_BODY.some((route) => route.test(`${method} ${path}`));
      const inQuery = sent.workspace !== false && !inBody;
      const query = inQuery ? { workspace_id: String(space.id), ...sent.query } : sent.query;
      const body = inBody ? { workspace_id: space.id, ...(sent.body as object) } : sent.body;
      const token = sent.token === undefined ? bench.token : sent.token;
      const request = {
        method,
        path: `${BASE_PATH}${path}`,
        query: Object.entries(query ?? {}),
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          'content-type': sent.type ?? 'application/json',
        },
        body: sent.raw ?? (body === undefined ? '' : JSON.stringify(body)),
      };
      const limits = options.limits ? undefined : 'off';
      const { response, entry } = answer(world, request, { now: bench.now, random, limits, dialect });
      bench.log.push(entry);
      expectEnvelope(response, dialect);
      const answered = JSON.parse(response.body);
      const { status, headers } = response;
      return { status, headers, body: answered, data: answered.data };
    },
    ask: (line: string, fields: object = {}, sent: Sent = {}): Got => {
      const [method = '', path = ''] = line.split(' ');
      const key = method === 'GET' ? 'query' : 'body';
      return bench.send(method, path, { [key]: fields, ...sent });
    },
    status: (line: string, fields?: object, sent?: Sent): number => bench.ask(line, fields, sent).status,
  });
  return Object.assign(bench, { token: tokenFor(options.as ?? owner) });
};

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
