import type { Clock } from '../clock.ts';
import type { HttpRequest } from '../http/transport.ts';
import { stringifyJson } from '../json/stringify.ts';
import { sendAfterwards } from './deliveries/afterwards.ts';
import type { ServiceDialect } from './dialect.ts';
import type { SandboxRequest, SandboxResponse } from './exchange.ts';
import { getLogFile, openLogFile } from './log-file.ts';
import { createLoggedApp } from './logged-app.ts';
import { findRecord, toSandboxTime } from './state.ts';
import { openStateStore, type StateStore, type StoreDisk } from './store.ts';
import { createToken } from './tokens.ts';
import type { Token, Workspace, World } from './world.ts';

/** The sandbox in the process of the command itself: no server, no port, one file of state. */

export interface EmbeddedOptions extends StoreDisk {
  readonly dialect?: ServiceDialect;
  /** Ends what is being sent to webhooks. */
  readonly interrupted?: AbortSignal;
}

export interface EmbeddedSandbox {
  /** The answer of one request, with what would happen to it on its way. */
  readonly answer: (request: HttpRequest) => Promise<SandboxResponse>;
  /** A Personal Access Token of the owner of the first workspace that is valid now. */
  ownerToken(): Promise<string>;
  /** Whether the rate limits apply (`sandbox reset --limits`). */
  hasLimits(): Promise<boolean>;
  /** Its workspaces; the first is meant where none is named. */
  workspaces(): Promise<readonly { readonly id: number; readonly name: string }[]>;
  /** Sends to webhooks what is due, for a few seconds; to be called after the output. */
  close(): Promise<void>;
}

/** A request as the wire would carry it. */
const toSandboxRequest = (request: HttpRequest): SandboxRequest => {
  const { method, path, query } = request;
  if (request.form !== undefined) {
    const body = new URLSearchParams(
      request.form.map(([name, value]): [string, string] => [name, value]),
    ).toString();
    const headers = { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' };
    return { method, path, query, headers, body };
  }
  if (request.body === undefined) return { method, path, query, headers: request.headers, body: '' };
  const headers = { ...request.headers, 'content-type': 'application/json' };
  return { method, path, query, headers, body: stringifyJson(request.body) };
};

const getFirstWorkspace = (world: World): Workspace | undefined => Object.values(world.spaces)[0];

const RENEW_MS = 60_000;

/** The owner's standing token; it is renewed a minute before its end, so that a request cannot meet it. */
const findValidToken = (world: World, now: number): Token | undefined => {
  const owner = getFirstWorkspace(world)?.owner_id;
  return Object.values(world.tokens).find(
    (token) =>
      token.name === 'embedded' &&
      token.user_id === owner &&
      !token.revoked &&
      now < token.expires_ms - RENEW_MS,
  );
};

const issueToken = (world: World, now: number, clock: Clock): string => {
  const owner = findRecord(world.users, getFirstWorkspace(world)?.owner_id ?? 0);
  const options = { as: owner?.email ?? '', scopes: ['read', 'write'], now, name: 'embedded' };
  return createToken(world, { ...options, random: () => clock.random() }).token;
};

const createAnswer = (store: StateStore, options: EmbeddedOptions): EmbeddedSandbox['answer'] => {
  const { clock, dialect, file } = options;
  const log = openLogFile(getLogFile(file));
  return async (request) =>
    store.use((world, save) => {
      const date = new Date(toSandboxTime(world, clock.now())).toUTCString();
      const answer = createLoggedApp(world, log, {
        clock,
        limits: 'off',
        dialect,
        save: (_world, change) => save(change),
      });
      const response = answer(toSandboxRequest(request));
      if (world.limits === true) store.saveWindows(world);
      return { ...response, headers: { date, ...response.headers } };
    });
};

/**
 * The embedded sandbox over a state file; the first use seeds the demo. Several processes may use the file at
 * once: each request is answered under its lock.
 * @throws Failure (exit 1) where the file is damaged or cannot be written.
 */
export const createEmbeddedSandbox = (options: EmbeddedOptions): EmbeddedSandbox => {
  const store = openStateStore(options);
  const { clock, interrupted = new AbortController().signal } = options;
  const answer = createAnswer(store, options);
  let isUsed = false;
  return {
    answer: (request) => {
      isUsed = true;
      return answer(request);
    },
    async close() {
      if (!isUsed) return;
      await sendAfterwards(store, clock, interrupted);
      await store.settle();
    },
    ownerToken: async () => {
      const current = await store.peek();
      const cached = current && findValidToken(current, toSandboxTime(current, clock.now()));
      if (cached !== undefined) return cached.token;
      return store.use((world, save) => {
        const now = toSandboxTime(world, clock.now());
        const existing = findValidToken(world, now);
        if (existing !== undefined) return existing.token;
        const token = issueToken(world, now, clock);
        save();
        return token;
      });
    },
    hasLimits: async () => (await store.peek())?.limits === true,
    workspaces: async () => {
      const world = (await store.peek()) ?? (await store.use((seeded) => seeded));
      return Object.values(world.spaces).map(({ id, workspace_name: name }) => ({ id, name }));
    },
  };
};
