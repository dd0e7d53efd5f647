import type { ClockMove, ClockState } from './clock.ts';
import type { WebhookControl } from './deliveries/control.ts';
import type { FaultRow, FaultWish } from './fault-wish.ts';
import type { LogRow } from './log.ts';
import { type AppRow, type AppWish, type IssuedApp, oauthOf } from './oauth/apps.ts';
import type { Simulated } from './simulation/simulate.ts';
import type { SnapshotControl } from './snapshots/control.ts';
import { sandboxTime } from './state.ts';
import type { IssuedToken } from './tokens.ts';
import type { OAuthGrant, World } from './world.ts';

/** What `ttctl sandbox …` can do to a sandbox, wherever it runs. */

export interface SandboxStatus {
  readonly kind: 'embedded' | 'server';
  readonly running: boolean;
  /** Root of a server, as it was reached. */
  readonly url?: string;
  /** Of a server: the page to look at. */
  readonly page_url?: string;
  /** Of a server: its process, and for how many seconds it has run. */
  readonly pid?: number;
  readonly uptime_seconds?: number;
  /** Of a server: the state directory that commands find it by; null: none does. */
  readonly found_in?: string | null;
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
  /** A token of this name is handed out again as long as it holds. */
  readonly keptAs?: string;
}

/** With `plan` nothing is changed: what is told is what would become of it. */
export interface SandboxControl {
  status(): Promise<SandboxStatus>;
  /** Begins again from a seed, by the sandbox's clock; every token ends. The clock stays as it is. */
  reset(seed: string, plan?: boolean): Promise<SandboxStatus>;
  createToken(request: TokenRequest, plan?: boolean): Promise<IssuedToken>;
  /** Registers an OAuth2 application. */
  createApp(wish: AppWish, plan?: boolean): Promise<IssuedApp>;
  apps(): Promise<readonly AppRow[]>;
  clock(): Promise<ClockState>;
  moveClock(move: ClockMove, plan?: boolean): Promise<ClockState>;
  faults(): Promise<readonly FaultRow[]>;
  addFault(wish: FaultWish, plan?: boolean): Promise<FaultRow>;
  /** Takes away the faults of these ids, or all. @returns how many */
  clearFaults(ids: readonly number[], plan?: boolean): Promise<number>;
  /** The latest requests, the oldest first; only those after the one with this id. */
  log(after?: string): Promise<readonly LogRow[]>;
  clearLog(): Promise<void>;
  /**
   * Lets time pass with people at work in it, and moves the clock with it.
   * @throws UsageError for no time, and for more than a year
   */
  simulate(by_ms: number, plan: boolean): Promise<Simulated>;
  readonly snapshots: SnapshotControl;
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
