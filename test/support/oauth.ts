import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { until } from './clocks.ts';
import { runInProcess, words } from './in-process.ts';
import { cleanHome, finished, lineFrom, startBinary } from './process.ts';
import { type Answer, envelope, onePage, type Recorded, startRecorder } from './service.ts';

type Texts = Readonly<Record<string, string>>;
export type TokenReply = Omit<Answer, 'body'> & { readonly body?: string };
interface TokenCall {
  readonly form: Texts;
  readonly authorization: string | undefined;
}
interface Pair {
  readonly access: string;
  readonly refresh: string;
}

const CLIENT = { id: 'app-1', secret: 'sec_canary_77aa55cc' };
const secret = (kind: string) => `${kind}_canary_${randomBytes(24).toString('base64url')}`;

type OAuthService = Awaited<ReturnType<typeof startOAuthService>>;

/**
 * A small service with OAuth2, written from docs/service.md, OAuth2: one-time codes, refresh tokens that are spent
 * by their use, access tokens that end with the refresh. It knows nothing of the client's code.
 */
const startOAuthService = async () => {
  const access = new Set<string>();
  /** By refresh token: the access token that it was issued with. */
  const refresh = new Map<string, string>();
  const codes = new Map<string, { readonly challenge: string | null; readonly redirect: string | null }>();
  const calls: TokenCall[] = [];
  const requests: { readonly line: string; readonly token: string | undefined }[] = [];
  const spentTwice: string[] = [];
  /** What a test may change. */
  const mood = {
    /** Answers in place of the token endpoint. */
    reply: undefined as ((call: TokenCall) => TokenReply | undefined) | undefined,
    /** Milliseconds before the token endpoint answers, after the token is spent. */
    delayMs: 0,
    workspaces: [
      { id: 7, user_id: 17, workspace_name: 'Northwind', role: 'Owner', status: 'active' },
    ] as readonly object[],
    /** Every access token is refused, however new. */
    refuseAll: false,
  };

  const issue = (): Pair => {
    const pair = { access: secret('at'), refresh: secret('rt') };
    access.add(pair.access);
    refresh.set(pair.refresh, pair.access);
    return pair;
  };
  const isClient = ({ form, authorization }: TokenCall): boolean => {
    const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`;
    if (form['client_id'] === undefined) return authorization === basic;
    return form['client_id'] === CLIENT.id && form['client_secret'] === CLIENT.secret;
  };
  const isGoodCode = ({ code = '', redirect_uri, code_verifier = '' }: Texts): boolean => {
    const found = codes.get(code);
    codes.delete(code);
    const given = createHash('sha256').update(code_verifier).digest('base64url');
    return found?.redirect === redirect_uri && (found?.challenge ?? given) === given;
  };
  const isGoodRefresh = ({ refresh_token: token = '' }: Texts): boolean => {
    const old = refresh.get(token);
    if (old === undefined) spentTwice.push(token);
    access.delete(old ?? '');
    return refresh.delete(token);
  };
  const grant = (call: TokenCall): Answer => {
    const refuse = (status: number, error: string, error_description: string) => ({
      status,
      body: { error, error_description },
    });
    if (!isClient(call)) return refuse(401, 'invalid_client', 'Client authentication failed');
    const type = call.form['grant_type'];
    const isGood = type === 'authorization_code' ? isGoodCode : isGoodRefresh;
    if (type !== 'client_credentials' && !isGood(call.form))
      return refuse(400, 'invalid_grant', 'The refresh token is invalid.');
    const pair = issue();
    const refresh_token = type === 'client_credentials' ? undefined : pair.refresh;
    const about = { token_type: 'Bearer', expires_in: 1_296_000 };
    return { body: { ...about, access_token: pair.access, refresh_token } };
  };
  const tokenEndpoint = ({ body, headers }: Recorded): Answer => {
    const call = { form: body as Texts, authorization: headers.authorization };
    calls.push(call);
    const reply = mood.reply?.(call);
    return reply ?? { headers: { 'cache-control': 'no-store' }, delayMs: mood.delayMs, ...grant(call) };
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
    if (!path.startsWith('/oauth/authorize')) return api(request);
    return { status: 302, headers: { location: redirectOf(`http://x${path}`) } };
  });
  return {
    ...{ mood, issue, redirectOf, client: CLIENT, close: recorder.close },
    baseUrl: recorder.baseUrl,
    origin: new URL(recorder.baseUrl).origin,
    calls: calls as readonly TokenCall[],
    /** All requests, those to the token host among them. */
    get received() {
      return recorder.requests;
    },
    requests: requests as readonly (typeof requests)[number][],
    /** Refresh tokens that were sent though they were spent or unknown. */
    spentTwice: spentTwice as readonly string[],
    /** Ends an access token; its refresh token stays good. */
    endAccess: (token: string) => void access.delete(token),
    endRefresh: (token: string) => void refresh.delete(token),
    isLive: (pair: Pair) => access.has(pair.access) && refresh.has(pair.refresh),
  };
};

export type ServiceHome = ReturnType<typeof serviceHome>;

const DAY = 86_400_000;

/** A home whose profile `default` points at the service. */
export const serviceHome = ({ baseUrl, origin, client }: OAuthService, more: Texts = {}) => {
  const home = cleanHome({ TTCTL_RATE_LIMIT: 'off', ...more });
  const config = join(home.folder, '.config', 'ttctl');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const about = { base_url: baseUrl, token_url: origin, client_id: client.id };
  const save = (name: string, own: object) =>
    writeFileSync(join(config, name), JSON.stringify({ version: 1, ...own }, null, 2), { mode: 0o600 });
  save('settings.json', {
    current_profile: 'default',
    profiles: { default: { ...about, auth_url: origin, workspace: 7 } },
  });
  const file = join(config, 'credentials.json');
  const read = (): { readonly profiles: Record<string, Record<string, unknown>> } =>
    JSON.parse(readFileSync(file, 'utf8'));
  return {
    ...home,
    ...{ config, file, read },
    text: () => readFileSync(file, 'utf8'),
    /** Stores a signed-in profile. `endsIn`: milliseconds until the access token ends; negative: it is over. */
    keep(pair: Pair, endsIn = 10 * DAY, changes: object = {}) {
      const iso = (ms: number) => new Date(Date.now() + endsIn + ms).toISOString();
      const credential = {
        ...{ kind: 'oauth', ...about, client_secret: client.secret, scopes: ['read', 'write'] },
        ...{ access_token: pair.access, refresh_token: pair.refresh },
        ...{ created_at: iso(-15 * DAY), access_expires_at: iso(0), refresh_expires_at: iso(15 * DAY) },
        ...changes,
      };
      save('credentials.json', { profiles: { default: credential } });
    },
    /** The pair that is stored now. */
    pair(): Pair {
      const { access_token, refresh_token } = read().profiles['default'] ?? {};
      return { access: String(access_token), refresh: String(refresh_token) };
    },
  };
};

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
    for (const { kill, ended } of begun.splice(0)) {
      kill('SIGKILL');
      await ended;
    }
    await service.close();
    home.remove();
  });
};

/** A command of that home, in this process; what renews its sign-in is a process of its own. */
export const run = (line: string, more: Texts = {}) =>
  runInProcess(words(line), { env: { ...home.env, TTCTL_CONFIG_DIR: home.config, ...more } });

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

// Below those that a kernel gives to whoever asks for any port; each process of the tests has a few of its own.
const PORTS_EACH = 20;
const FIRST_PORT = 20_000 + (process.pid % 500) * PORTS_EACH;
let drawn = 0;

/** A port that is free, and that nobody takes by chance before it is used. */
export const freePort = async (): Promise<number> => {
  for (const end = drawn + PORTS_EACH; drawn < end; ) {
    const port = FIRST_PORT + (drawn++ % PORTS_EACH);
    if (await isFree(port)) return port;
  }
  throw new Error('all ports of this process are taken');
};

/** A sign-in under way in a process of its own, whose stdin stays open. */
export type Begun = Awaited<ReturnType<typeof begin>>;
/** Those of the test that runs. */
const begun: { kill(signal: NodeJS.Signals): void; readonly ended: Promise<unknown> }[] = [];

export const begin = async (args: readonly string[], env: Texts, input: readonly string[] = []) => {
  const child = startBinary(args, { env });
  const ended = finished(child, null);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const type = (line: string): void => void child.stdin?.write(`${line}\n`);
  input.forEach(type);
  /** The address that a person is to open. */
  const [, url = ''] = await lineFrom(child.stderr, /^(http\S+\/oauth\/authorize\S+)$/);
  const signIn = {
    ...{ url, type, ended },
    endInput: () => void child.stdin?.end(),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    stderr: () => said,
  };
  begun.push(signIn);
  return signIn;
};

/** What a browser is where none is: a program that writes down what it was called with. */
export const fakeBrowser = (folder: string) => {
  const opened = join(folder, 'opened');
  const script = `printf '%s\\n' "$@" > '${opened}.part'; mv '${opened}.part' '${opened}'`;
  writeFileSync(join(folder, 'a-browser'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    // By its name: a path with a space in it would be a program and a word.
    env: { BROWSER: 'a-browser', PATH: `${folder}:${process.env['PATH']}` },
    wasStarted: () => existsSync(opened),
    /** All that it was called with, once it was: others on the machine can read it. */
    async url(): Promise<string> {
      await until(() => existsSync(opened));
      return readFileSync(opened, 'utf8').trim();
    },
  };
};
