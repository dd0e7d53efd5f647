import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { text as readBody } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';
import type { Received } from './event-log.ts';
import { type Outcome, runInProcess, words } from './in-process.ts';
import { closing, listening } from './loopback.ts';
import { cleanHome, type Finished, type Home, startBinary } from './process.ts';

/**
 * A small service with OAuth2, written from docs/service.md, OAuth2: one-time codes, refresh tokens that are spent
 * by their use, access tokens that end with the refresh. It knows nothing of the client's code.
 */

export interface TokenCall {
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

export interface TokenReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Cuts the connection. */
  readonly cut?: true;
  /** Never answers. */
  readonly silent?: true;
}

export interface Pair {
  readonly access: string;
  readonly refresh: string;
}

const CLIENT = { id: 'app-1', secret: 'sec_canary_77aa55cc' };

const readAll = async (message: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
};

const json = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(value));
};

const META = { api_version: '2.0.0', timestamp: '2026-11-20T09:00:00Z' };
const WORKSPACES = [{ id: 7, user_id: 17, workspace_name: 'Northwind', role: 'Owner', status: 'active' }];

export const startOAuthService = async () => {
  const access = new Map<string, { readonly family: string }>();
  const refresh = new Map<string, { readonly family: string; readonly access: string }>();
  const codes = new Map<string, { readonly challenge: string | undefined; readonly redirect: string }>();
  const calls: TokenCall[] = [];
  const requests: { readonly line: string; readonly token: string | undefined }[] = [];
  const received: Received[] = [];
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
    token_type: 'Bearer',
    expires_in: 1_296_000,
    access_token: pair.access,
    refresh_token: pair.refresh,
  });

  const clientOk = ({ form, authorization }: TokenCall): boolean => {
    if (form.client_id !== undefined)
      return form.client_id === CLIENT.id && form.client_secret === CLIENT.secret;
    return authorization === `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`;
  };
  const byCode = (form: TokenCall['form']): object | undefined => {
    const found = codes.get(form.code ?? '');
    codes.delete(form.code ?? '');
    if (found === undefined || found.redirect !== form.redirect_uri) return undefined;
    const given = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    return found.challenge !== undefined && found.challenge !== given ? undefined : answerPair(issue());
  };
  const byRefresh = (form: TokenCall['form']): object | undefined => {
    const token = form.refresh_token ?? '';
    const found = refresh.get(token);
    if (found === undefined) {
      spentTwice.push(token);
      return undefined;
    }
    refresh.delete(token);
    access.delete(found.access);
    return answerPair(issue(found.family));
  };
  const grant = (call: TokenCall): readonly [number, object] => {
    if (!clientOk(call))
      return [401, { error: 'invalid_client', error_description: 'Client authentication failed' }];
    const { grant_type: type } = call.form;
    if (type === 'client_credentials') {
      const { refresh_token: _none, ...answer } = answerPair(issue());
      return [200, answer];
    }
    const found = type === 'authorization_code' ? byCode(call.form) : byRefresh(call.form);
    return found === undefined
      ? [400, { error: 'invalid_grant', error_description: 'The refresh token is invalid.' }]
      : [200, found];
  };

  const tokenEndpoint = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = Object.fromEntries(new URLSearchParams(await readAll(message)));
    const call = { form, authorization: message.headers.authorization };
    calls.push(call);
    const own = mood.reply?.(call);
    if (own?.silent) return;
    if (own?.cut) {
      message.socket.destroy();
      return;
    }
    if (own !== undefined) {
      response.writeHead(own.status ?? 200, { 'content-type': 'application/json', ...own.headers });
      response.end(own.body ?? '');
      return;
    }
    const [status, body] = grant(call);
    if (mood.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, mood.delayMs));
    json(response, status, body);
  };

  /** The address that a browser is led to when a person approves, or denies. */
  const redirectOf = (authorize: string, deny = false): string => {
    const query = new URL(authorize).searchParams;
    const target = new URL(query.get('redirect_uri') ?? '');
    if (deny) {
      target.searchParams.set('error', 'access_denied');
      target.searchParams.set('error_description', 'The user denied the <b>request</b>.');
    } else {
      const code = secret('code');
      codes.set(code, {
        challenge: query.get('code_challenge') ?? undefined,
        redirect: query.get('redirect_uri') ?? '',
      });
      target.searchParams.set('code', code);
    }
    target.searchParams.set('state', query.get('state') ?? '');
    return target.href;
  };

  const api = (message: IncomingMessage, response: ServerResponse): void => {
    const token = /^Bearer (.+)$/.exec(message.headers.authorization ?? '')?.[1];
    const line = `${message.method} ${message.url}`;
    requests.push({ line, token });
    if (token === undefined || !access.has(token) || mood.refuseAll) {
      const message = 'Send a valid Bearer token.';
      json(response, 401, { success: false, message, error: null, meta: META });
      return;
    }
    const answer = (data: unknown, meta: object): void =>
      json(response, 200, { success: true, message: 'OK', data, meta });
    if (message.method !== 'GET') {
      // The record as it was sent.
      void readBody(message).then((body) => answer({ id: 17, ...JSON.parse(body || '{}') }, META));
      return;
    }
    if (message.url?.startsWith('/api/v2/members/17?')) {
      answer({ id: 17, email: 'ana@example.com' }, META);
      return;
    }
    const data = message.url?.startsWith('/api/v2/workspaces') ? mood.workspaces : [];
    const pagination = { total: data.length, per_page: 100, current_page: 1, last_page: 1, from: 1, to: 1 };
    answer(data, { ...META, pagination });
  };

  const server = createServer((message, response) => {
    response.on('error', () => {});
    const url = message.url ?? '';
    const path = url.replace(/^\/api\/v2/, '');
    received.push({
      line: `${message.method} ${path}`,
      requestId: message.headers['x-request-id']?.toString(),
    });
    if (url.startsWith('/oauth/token')) void tokenEndpoint(message, response);
    else if (url.startsWith('/oauth/authorize')) {
      response.writeHead(302, { location: redirectOf(`http://x${url}`) }).end();
    } else api(message, response);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  const port = await listening(server);
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    baseUrl: `${origin}/api/v2`,
    client: CLIENT,
    mood,
    calls: calls as readonly TokenCall[],
    /** All requests, those to the token host among them. */
    received: received as readonly Received[],
    requests: requests as readonly { readonly line: string; readonly token: string | undefined }[],
    /** Refresh tokens that were sent though they were spent or unknown. */
    spentTwice: spentTwice as readonly string[],
    issue,
    /** Ends an access token; its refresh token stays good. */
    endAccess: (token: string) => void access.delete(token),
    endRefresh: (token: string) => void refresh.delete(token),
    isLive: ({ access: token, refresh: next }: Pair) => access.has(token) && refresh.has(next),
    redirectOf,
    close: () => closing(server, () => server.closeAllConnections()),
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

/** A sign-in under way in a process of its own. */

export interface Begun {
  /** The address that a person is to open. */
  readonly url: string;
  type(line: string): void;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  stderr(): string;
  readonly ended: Promise<Finished>;
}

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

export const begin = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: readonly string[] = [],
): Promise<Begun> => {
  const child = startBinary(args, { env });
  const said: Buffer[] = [];
  const text = (): string => Buffer.concat(said).toString('utf8');
  // Stdin stays open, as at a terminal or in a pipe that somebody holds.
  const out: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  const ended = new Promise<Finished>((resolve) => {
    child.once('close', (code, signal) => {
      const exit = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve({ stdout: Buffer.concat(out).toString('utf8'), stderr: text(), exit });
    });
  });
  child.stdin?.on('error', () => {});
  for (const line of input) child.stdin?.write(`${line}\n`);
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said.push(chunk);
      // To the end of its line: what is read may end in the middle of it.
      const found = /^(http\S+\/oauth\/authorize\S+)\n/m.exec(text())?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`no address: ${text()}`)));
  });
  return {
    url,
    type: (line) => void child.stdin?.write(`${line}\n`),
    endInput: () => void child.stdin?.end(),
    kill: (signal) => void child.kill(signal),
    stderr: text,
    ended,
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
