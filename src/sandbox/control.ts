import type { Clock } from '../clock.ts';
import { sendAfterwards } from './deliveries/afterwards.ts';
import { createWebhookControl, type WebhookControl } from './deliveries/control.ts';
import { createCourier } from './deliveries/courier.ts';
import { storeDepot } from './deliveries/depots.ts';
import { DEFAULT_DIALECT } from './dialect.ts';
import { type AppRow, type AppWish, appRows, type IssuedApp, oauthOf, registerApp } from './oauth/apps.ts';
import { SEEDS, seed } from './seeds/seed.ts';
import { sandboxTime } from './state.ts';
import { openStore, type Store, type StoreDisk } from './store.ts';
import { createToken, type IssuedToken } from './tokens.ts';
import type { OAuthGrant, World } from './world.ts';

/** What `ttctl sandbox …` can do to a sandbox, wherever it runs. */

export interface SandboxStatus {
  readonly kind: 'embedded' | 'server';
  readonly running: boolean;
  /** Root of a server, as it was reached. */
  readonly url?: string;
  readonly seed: string;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  /** Where the state is kept; null: in memory. */
  readonly state: string | null;
  readonly workspaces: readonly {
    readonly id: number;
    readonly name: string;
    readonly owner: string;
    readonly members: number;
  }[];
  readonly tokens: number;
  /** Requests to the token address since the seed, granted or not. */
  readonly token_requests: Readonly<Record<OAuthGrant, number>>;
}

export interface TokenRequest {
  /** E-mail address of an active Owner or Executive Manager. */
  readonly as: string;
  readonly scopes: readonly string[];
}

export interface SandboxControl {
  status(): Promise<SandboxStatus>;
  /** Begins again from a seed; every token ends. */
  reset(seed: string): Promise<SandboxStatus>;
  createToken(request: TokenRequest): Promise<IssuedToken>;
  /** Registers an OAuth2 application. */
  createApp(wish: AppWish): Promise<IssuedApp>;
  apps(): Promise<readonly AppRow[]>;
  /** What is sent to webhooks. */
  readonly webhooks: WebhookControl;
  /** Ends a server; the embedded sandbox has nothing to end. */
  stop(): Promise<void>;
  /** Sends what became due by what this control changed, for a few seconds; nobody else does where there is no server. */
  close(): Promise<void>;
}

export const statusOf = (
  world: World,
  facts: { readonly kind: SandboxStatus['kind']; readonly state: string | null; readonly machine: number },
): SandboxStatus => {
  const now = sandboxTime(world, facts.machine);
  const live = Object.values(world.tokens).filter((token) => !token.revoked && now < token.expires_ms);
  return {
    kind: facts.kind,
    running: facts.kind === 'server',
    seed: world.seed,
    now: new Date(now).toISOString(),
    state: facts.state,
    workspaces: Object.values(world.spaces).map((space) => ({
      id: space.id,
      name: space.workspace_name,
      owner: world.users[space.owner_id]?.email ?? '',
      members: Object.keys(space.members).length,
    })),
    tokens: live.length,
    token_requests: { ...oauthOf(world).requests },
  };
};

/** A seed by name, or a seed file by its path (what has a `/`, a `\` or ends in `.json`). */
export const seedOrFile = async (name: string, now: number): Promise<World> => {
  const isFile = /[/\\]|\.json$/.test(name) && !SEEDS.some((known) => known === name);
  if (!isFile) return seed(name, { now });
  const { readSeedFile } = await import('./seeds/read-file.ts');
  return readSeedFile(name, { now });
};

const NEVER = new AbortController().signal;

/**
 * Control over the state file of the embedded sandbox.
 * @param interrupted ends what is being sent
 */
export const embeddedControl = (disk: StoreDisk, interrupted: AbortSignal = NEVER): SandboxControl => {
  let changed = false;
  const opened = openStore(disk);
  const store: Store = {
    ...opened,
    save(world) {
      changed = true;
      opened.save(world);
    },
  };
  const { clock } = disk;
  const depot = storeDepot(store);
  const carrying = { depot, clock, allowed: [] };
  const status = (world: World): SandboxStatus =>
    statusOf(world, { kind: 'embedded', state: disk.file, machine: clock.now() });
  return {
    status: () => store.locked(async (world) => status(world)),
    reset: async (name) => status(await store.replace(() => seedOrFile(name, clock.now()))),
    createToken: (request) =>
      store.locked(async (world) => {
        const issued = issueFor(world, request, clock);
        store.save(world);
        return issued;
      }),
    createApp: (wish) =>
      store.locked(async (world) => {
        const issued = appFor(world, wish, clock);
        store.save(world);
        return issued;
      }),
    apps: () => store.locked(async (world) => appRows(world)),
    webhooks: createWebhookControl({
      ...carrying,
      dialect: DEFAULT_DIALECT,
      courier: createCourier({ ...carrying, signal: interrupted }),
    }),
    stop: async () => {},
    close: async () => (changed ? sendAfterwards(store, clock, interrupted) : undefined),
  };
};

export const issueFor = (world: World, request: TokenRequest, clock: Clock): IssuedToken =>
  createToken(world, {
    as: request.as,
    scopes: request.scopes,
    now: sandboxTime(world, clock.now()),
    random: () => clock.random(),
  });

export const appFor = (world: World, wish: AppWish, clock: Clock): IssuedApp =>
  registerApp(world, wish, { now: sandboxTime(world, clock.now()), random: () => clock.random() });
