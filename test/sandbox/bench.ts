import { createHash } from 'node:crypto';
import { beforeEach, expect } from 'vitest';
import { answer, BASE_PATH } from '../../src/sandbox/app.ts';
import { parseDialect } from '../../src/sandbox/dialect.ts';
import type { LogEntry } from '../../src/sandbox/log.ts';
import { createOAuthHost } from '../../src/sandbox/oauth.ts';
import { EVENTS } from '../../src/sandbox/routes.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { type AppRegistration, createToken, registerApp } from '../../src/sandbox/tokens.ts';
import type { World } from '../../src/sandbox/world.ts';

/** A sandbox on a bench: a seeded world, a clock that the test turns, and requests in one line. */

export const NOW = Date.parse('2026-03-18T10:00:00Z');
export const DAY = 86_400_000;

interface BenchOptions {
  readonly seed?: string;
  readonly dialect?: string;
  /** Those of the documentation; absent: none. */
  readonly limits?: true;
  /** Whose token it has; default: the owner's. */
  readonly as?: string;
  readonly autoApprove?: string;
}

export interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  /** Raw text in place of a JSON body. */
  readonly raw?: string;
  readonly type?: string;
  readonly token?: string | null;
  /** False: no workspace_id is added, neither to the query nor, where the document wants it there, to the body. */
  readonly workspace?: false;
}

const FORM = 'application/x-www-form-urlencoded';
export const CALLBACK = 'http://127.0.0.1:8484/callback';
export const DEMO = { client_id: 'sbx_app_demo', client_secret: 'sbx_secret_demo' };
/** What the authorize page is asked for. */
export const ASKED = { client_id: DEMO.client_id, redirect_uri: CALLBACK, response_type: 'code' };

export const createBench = async (options: BenchOptions = {}): Promise<Bench> =>
  new Bench(await createSeed(options.seed ?? 'demo', { now: NOW }), options);

/** A bench that is new for each test. */
export const useBench = (): Bench => {
  const bench: Bench = Object.create(Bench.prototype);
  beforeEach(async () => void Object.assign(bench, await createBench()));
  return bench;
};

/** Where workspace_id is documented to stand in the body (docs/service.md, Where values travel). */
const IN_BODY =
  /^(POST \/(project-viewers|webhooks|tasks\/[^/]+\/assign\/[^/]+)|DELETE \/projects\/[^/]+|(PUT|DELETE) \/webhooks\/[^/]+)$/;

export class Bench {
  now = NOW;
  readonly log: LogEntry[] = [];
  readonly token: string;
  world: World;
  private readonly options: BenchOptions;
  private readonly oauth: ReturnType<typeof createOAuthHost>;
  private drawn = 7;

  constructor(world: World, options: BenchOptions) {
    this.world = world;
    this.options = options;
    this.oauth = createOAuthHost(options.autoApprove);
    this.token = this.tokenFor(options.as ?? world.users[this.space.owner_id]?.email ?? '');
  }

  /** The first workspace. */
  get space() {
    return Object.values(this.world.spaces)[0] as World['spaces'][number];
  }

  random = (): number => {
    this.drawn = (this.drawn * 16807 + 12345) % 2147483647;
    return this.drawn / 2147483647;
  };

  userId(name: string): number {
    const user = Object.values(this.world.users).find(({ email }) => email === addressOf(name));
    if (user === undefined) throw new Error(`nobody is ${name}`);
    return user.id;
  }

  tokenFor(name: string, scopes: readonly string[] = ['read', 'write']): string {
    return createToken(this.world, { as: addressOf(name), scopes, now: this.now, random: this.random }).token;
  }

  /** What a webhook hears from now on. */
  hear(): () => { event: string; workspace_id: number; data: unknown }[] {
    this.space.webhooks['all'] = { id: 'all', url: 'http://127.0.0.1:1/', events: [...EVENTS], token: '' };
    const all = () => (this.world.deliveries ?? []).filter(({ webhook_id }) => webhook_id === 'all');
    return () => all().map(({ body }) => JSON.parse(body));
  }

  status(line: string, fields?: object, sent?: Sent): number {
    return this.ask(line, fields, sent).status;
  }

  /** `ask('PUT /members/7', { rate: 5 })`: the fields are the body, of a GET the query. */
  ask(line: string, fields: object = {}, sent: Sent = {}) {
    const { token = this.token, workspace, raw, type = 'application/json' } = sent;
    const [method = '', path = ''] = line.split(' ');
    const { id } = this.space;
    const given = { ...(method === 'GET' && fields), ...sent.query };
    const inQuery = workspace !== false && !IN_BODY.test(line);
    const query = { ...(inQuery && { workspace_id: String(id) }), ...given };
    const body = { ...(workspace !== false && !inQuery && { workspace_id: id }), ...fields };
    const request = {
      method,
      path: `${BASE_PATH}${path}`,
      query: Object.entries(query),
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), 'content-type': type },
      body: raw ?? (method === 'GET' ? '' : JSON.stringify(body)),
    };
    const limits = this.options.limits ? undefined : 'off';
    const dialect = parseDialect(this.options.dialect ?? '');
    const { response, entry } = answer(this.world, request, {
      ...{ now: this.now, random: this.random, limits, dialect },
    });
    this.log.push(entry);
    const got = JSON.parse(response.body);
    expect(response.headers['content-type']).toBe('application/json');
    if (!('max_rows' in got)) expectEnvelope(got, response.status, dialect.timestamp);
    return { status: response.status, headers: response.headers, body: got, data: got.data };
  }

  /** A request to the OAuth2 host. */
  visit(line: string, query: object, headers: object = {}, fields: object = {}) {
    const [method = '', path = ''] = line.split(' ');
    const all = Object.fromEntries(pairsOf({ host: '127.0.0.1:4747', ...headers }));
    const body = new URLSearchParams(pairsOf(fields)).toString();
    const request = { method, path, query: pairsOf(query), headers: all, body };
    return answer(this.world, request, { now: this.now, random: this.random, oauth: this.oauth }).response;
  }

  authorize(query: object) {
    return this.visit('GET /oauth/authorize', query);
  }

  /** Opens the page. @returns the request that it holds */
  open(more: object = {}): string {
    const { status, body } = this.authorize({ ...ASKED, ...more });
    const id = /name="request" value="(\w+)"/.exec(body)?.[1];
    if (status !== 200 || id === undefined) throw new Error(`no page: ${status} ${body}`);
    return id;
  }

  /** Sends the form of the page. */
  decide(fields: object, headers: object = { origin: 'http://127.0.0.1:4747' }) {
    return this.visit('POST /oauth/authorize', {}, { 'content-type': FORM, ...headers }, fields);
  }

  /** @returns a code */
  approve(more: object = {}, who = 'nora'): string {
    const member = String(this.userId(who));
    const { status, headers } = this.decide({ request: this.open(more), member, decision: 'approve' });
    const code = new URL(headers['location'] ?? '').searchParams.get('code');
    if (code === null) throw new Error(`no code: ${status}`);
    return code;
  }

  askToken(fields: object, more: object = {}) {
    const all = { 'content-type': FORM, ...more };
    const { status, headers, body } = this.visit('POST /oauth/token', {}, all, fields);
    return { status, headers, body: JSON.parse(body) };
  }

  exchange(code: string, more: object = {}) {
    const grant = { grant_type: 'authorization_code', ...DEMO, code, redirect_uri: CALLBACK };
    return this.askToken({ ...grant, ...more });
  }

  refresh(refresh_token: string, more: object = {}) {
    return this.askToken({ grant_type: 'refresh_token', ...DEMO, refresh_token, ...more });
  }

  register(wish: AppRegistration) {
    return registerApp(this.world, wish, { now: NOW, random: this.random });
  }
}

/** Of a record, or of pairs where a name comes twice; an undefined one is not sent. */
const pairsOf = (fields: object): [string, string][] =>
  (Array.isArray(fields) ? fields : Object.entries(fields)).filter(([, value]) => value !== undefined);

const addressOf = (name: string): string => (name.includes('@') ? name : `${name}@lindenhof.example`);

/** Every answer that is not bare carries the envelope (docs/service.md, Envelope). */
// biome-ignore lint/suspicious/noExplicitAny: a literal envelope
const expectEnvelope = ({ success, meta, ...body }: any, status: number, timestamp: string): void => {
  expect(Object.keys(body).filter((name) => !/^(message|data|errors?|pagination)$/.test(name))).toEqual([]);
  expect([success, meta.api_version]).toEqual([status < 300, '2.0.0']);
  const isPlain = timestamp === 'plain';
  expect(meta.timestamp).toMatch(isPlain ? /^[-\d]{10}T[:\d]{8}Z$/ : /^[-\d]{10}T[:\d]{8}\.\d{6}Z$/);
  if (status < 300) return;
  expect(body).toMatchObject({ message: expect.any(String), error: null });
  expect('data' in body).toBe(false);
};

export const s256 = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
