import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type Outcome, runInProcess, words } from './in-process.ts';
import { cleanHome, finished, type Home, lineFrom, startBinary } from './process.ts';
import { type Answer, envelope, onePage, type Recorded, startRecorder, toReceived } from './service.ts';

/**
 * A small service with OAuth2, written from docs/service.md, OAuth2: one-time codes, refresh tokens that are spent
 * by their use, access tokens that end with the refresh. It knows nothing of the client's code.
 */

export interface TokenCall {
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

export type TokenReply = Omit<Answer, 'body'> & { readonly body?: string };

export interface Pair {
  readonly access: string;
  readonly refresh: string;
}

const CLIENT = { id: 'app-1', secret: 'sec_canary_77aa55cc' };
const WORKSPACES = [{ id: 7, user_id: 17, workspace_name: 'Northwind', role: 'Owner', status: 'active' }];

export const startOAuthService = async () => {
  const access = new Map<string, { readonly family: string }>();
  const refresh = new Map<string, { readonly family: string; readonly access: string }>();
  const codes = new Map<string, { readonly challenge: string | null; readonly redirect: string | null }>();
  const calls: TokenCall[] = [];
  const requests: { readonly line: string; readonly token: string | undefined }[] = [];
  const spentTwice: string[] = [];
  let families = 0;
  /** What a test may change. */
  const mood = {
    /** Answers in place of the token endpoint. */
    reply: undefined as ((call: TokenCall) => TokenReply | undefined) | undefined,
    /** Milliseconds before the token endpoint answers, after the token is spent. */
    delayMs: 0,
    workspaces: WORKSPACES as readonly object[],
    /** Every access token is refused, however new. */
    refuseAll: false,
  };

  const secret = (kind: string): string => `${kind}_canary_${randomBytes(24).toString('base64url')}`;
  const issue = (family = `f${++families}`): Pair => {
    const pair = { access: secret('at'), refresh: secret('rt') };
    access.set(pair.access, { family });
    refresh.set(pair.refresh, { family, access: pair.access });
    return pair;
  };
  const answerPair = (pair: Pair) => ({
    ...{ token_type: 'Bearer', expires_in: 1_296_000 },
    ...{ access_token: pair.access, refresh_token: pair.refresh },
  });

  const clientOk = ({ form, authorization }: TokenCall): boolean => {
    if (form.client_id !== undefined)
      return form.client_id === CLIENT.id && form.client_secret === CLIENT.secret;
    return authorization === `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`;
  };
  const byCode = ({ code = '', redirect_uri, code_verifier = '' }: TokenCall['form']): object | undefined => {
    const found = codes.get(code);
    codes.delete(code);
    const given = createHash('sha256').update(code_verifier).digest('base64url');
    const isGood = found?.redirect === redirect_uri && (found?.challenge ?? given) === given;
    return found !== undefined && isGood ? answerPair(issue()) : undefined;
  };
  const byRefresh = ({ refresh_token: token = '' }: TokenCall['form']): object | undefined => {
    const found = refresh.get(token);
    if (found === undefined) return void spentTwice.push(token);
    refresh.delete(token);
    access.delete(found.access);
    return answerPair(issue(found.family));
  };
  const grant = (call: TokenCall): Answer => {
    if (!clientOk(call))
      return {
        status: 401,
        body: { error: 'invalid_client', error_description: 'Client authentication failed' },
      };
    const { grant_type: type } = call.form;
    if (type === 'client_credentials') return { body: { ...answerPair(issue()), refresh_token: undefined } };
    const body = type === 'authorization_code' ? byCode(call.form) : byRefresh(call.form);
    if (body !== undefined) return { body };
    const error_description = 'The refresh token is invalid.';
    return { status: 400, body: { error: 'invalid_grant', error_description } };
  };

  const tokenEndpoint = ({ body, headers }: Recorded): Answer => {
    const call = { form: body as TokenCall['form'], authorization: headers.authorization };
    calls.push(call);
    const headersOf = { 'cache-control': 'no-store' };
    return mood.reply?.(call) ?? { headers: headersOf, delayMs: mood.delayMs, ...grant(call) };
  };

  /** The address that a browser is led to when a person approves, or denies. */
  const redirectOf = (authorize: string, deny = false): string => {
    const query = new URL(authorize).searchParams;
    const redirect = query.get('redirect_uri');
    const target = new URL(redirect ?? '');
    const code = secret('code');
    if (!deny) codes.set(code, { challenge: query.get('code_challenge'), redirect });
    const refusal = { error: 'access_denied', error_description: 'The user denied the <b>request</b>.' };
    const answer = { ...(deny ? refusal : { code }), state: query.get('state') ?? '' };
    for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
    return target.href;
  };

  const api = ({ line, headers, body }: Recorded): Answer => {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    requests.push({ line: line.replace(' /', ' /api/v2/'), token });
    if (token === undefined || !access.has(token) || mood.refuseAll) {
      const message = 'Send a valid Bearer token.';
      return { status: 401, body: { ...envelope(null), success: false, message } };
    }
    // The record as it was sent.
    if (!line.startsWith('GET ')) return { body: envelope({ id: 17, ...Object(body) }) };
    if (line.startsWith('GET /members/17?')) return { body: envelope({ id: 17, email: 'ana@example.com' }) };
    return { body: onePage(line.startsWith('GET /workspaces') ? mood.workspaces : []) };
  };

  const recorder = await startRecorder((request) => {
    const path = request.line.replace(/^\w+ /, '');
    if (path.startsWith('/oauth/token')) return tokenEndpoint(request);
    if (path.startsWith('/oauth/authorize'))
      return { status: 302, headers: { location: redirectOf(`http://x${path}`) } };
    return api(request);
  });
  return {
    baseUrl: recorder.baseUrl,
    origin: new URL(recorder.baseUrl).origin,
    client: CLIENT,
    mood,
    calls: calls as readonly TokenCall[],
    /** All requests, those to the token host among them. */
    get received() {
      return recorder.requests.map(toReceived);
    },
    requests: requests as readonly { readonly line: string; readonly token: string | undefined }[],
    /** Refresh tokens that were sent though they were spent or unknown. */
    spentTwice: spentTwice as readonly string[],
    issue,
    /** Ends an access token; its refresh token stays good. */
    endAccess: (token: string) => void access.delete(token),
    endRefresh: (token: string) => void refresh.delete(token),
    isLive: ({ access: token, refresh: next }: Pair) => access.has(token) && refresh.has(next),
    redirectOf,
    close: recorder.close,
  };
};

export type OAuthService = Awaited<ReturnType<typeof startOAuthService>>;

export interface Kept {
  readonly profiles: Record<string, Record<string, unknown>>;
}

/** A home whose profile `default` points at the service. */
export const serviceHome = (service: OAuthService, more: Readonly<Record<string, string>> = {}) => {
  const home: Home = cleanHome({ TTCTL_RATE_LIMIT: 'off', ...more });
  const config = join(home.folder, '.config', 'ttctl');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const { baseUrl, origin, client } = service;
  const profile = {
    base_url: baseUrl,
    auth_url: origin,
    token_url: origin,
    client_id: client.id,
    workspace: 7,
  };
  writeFileSync(
    join(config, 'settings.json'),
    JSON.stringify({ version: 1, current_profile: 'default', profiles: { default: profile } }),
    { mode: 0o600 },
  );
  const file = join(config, 'credentials.json');
  const iso = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const DAY = 86_400_000;
  return {
    ...home,
    config,
    file,
    read: (): Kept => JSON.parse(readFileSync(file, 'utf8')),
    text: () => readFileSync(file, 'utf8'),
    /** Stores a signed-in profile. `endsIn`: milliseconds until the access token ends; negative: it is over. */
    keep(pair: Pair, endsIn = 10 * DAY, changes: object = {}) {
      const credential = {
        kind: 'oauth',
        base_url: baseUrl,
        token_url: origin,
        client_id: client.id,
        client_secret: client.secret,
        scopes: ['read', 'write'],
        access_token: pair.access,
        refresh_token: pair.refresh,
        created_at: iso(endsIn - 15 * DAY),
        access_expires_at: iso(endsIn),
        refresh_expires_at: iso(endsIn + 15 * DAY),
        ...changes,
      };
      writeFileSync(file, `${JSON.stringify({ version: 1, profiles: { default: credential } }, null, 2)}\n`, {
        mode: 0o600,
      });
    },
    /** The pair that is stored now. */
    pair(): Pair {
      const { access_token, refresh_token } = this.read().profiles.default ?? {};
      return { access: String(access_token), refresh: String(refresh_token) };
    },
  };
};

export type ServiceHome = ReturnType<typeof serviceHome>;

/** Those of the test that runs, in a file that calls `useService`. */
export let service: OAuthService;
export let home: ServiceHome;

/** Gives each test of a file a service of its own, and a home that knows it. */
export const useService = ({ withSecret = false } = {}): void => {
  beforeEach(async () => {
    service = await startOAuthService();
    home = serviceHome(service, withSecret ? { TTCTL_CLIENT_SECRET: service.client.secret } : {});
  });
  afterEach(async () => {
    await service.close();
    home.remove();
  });
};

/** A command of that home, in this process; what renews its sign-in is a process of its own. */
export const run = (line: string, more: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  runInProcess(words(line), { env: { ...home.env, TTCTL_CONFIG_DIR: home.config, ...more } });

// Below those that a kernel gives to whoever asks for any port; each process of the tests has a few of its own.
const FIRST_PORT = 20_000;
const PROCESSES = 500;
const PORTS_EACH = 20;
let drawn = 0;

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A port that is free, and that nobody takes by chance before it is used. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < PORTS_EACH; tries += 1) {
    const port = FIRST_PORT + (process.pid % PROCESSES) * PORTS_EACH + (drawn % PORTS_EACH);
    drawn += 1;
    if (await canListen(port)) return port;
  }
  throw new Error('all ports of this process are taken');
};

/** A sign-in under way in a process of its own, whose stdin stays open. */
export type Begun = Awaited<ReturnType<typeof begin>>;

export const begin = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: readonly string[] = [],
) => {
  const child = startBinary(args, { env });
  const ended = finished(child, null);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const type = (line: string): void => void child.stdin?.write(`${line}\n`);
  for (const line of input) type(line);
  /** The address that a person is to open. */
  const [, url = ''] = await lineFrom(child.stderr, /^(http\S+\/oauth\/authorize\S+)$/);
  return {
    ...{ url, type, ended },
    endInput: () => void child.stdin?.end(),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    stderr: () => said,
  };
};

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
