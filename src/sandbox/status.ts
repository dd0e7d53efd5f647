import { formatRateLimit } from './access.ts';
import { getOAuth } from './oauth/apps.ts';
import { toSandboxTime } from './state.ts';
import type { OAuthGrant, World } from './world.ts';

/** What `ttctl sandbox status` shows beside what is in the state. */
export interface SandboxFacts {
  readonly kind: 'embedded' | 'server';
  /** Where the state is kept; null: in memory. */
  readonly state: string | null;
  /** Its limits, as the setting of `ttctl` has them. */
  readonly rate_limit: string;
  /** Of a server: its process, and for how many seconds it has run. */
  readonly pid?: number;
  readonly uptime_seconds?: number;
  /** Of a server: the state directory that commands find it by; null: none does. */
  readonly found_in?: string | null;
}

export interface SandboxStatus extends SandboxFacts {
  readonly running: boolean;
  /** Root of a server, as it was reached. */
  readonly url?: string;
  readonly seed: string;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
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

/** @param machineMs the machine's time, ms */
export const toSandboxStatus = (
  world: World,
  { kind, state, rate_limit, ...server }: SandboxFacts,
  machineMs: number,
): SandboxStatus => {
  const now = toSandboxTime(world, machineMs);
  const validTokens = Object.values(world.tokens).filter((token) => !token.revoked && now < token.expires_ms);
  return {
    kind,
    running: kind === 'server',
    seed: world.seed,
    now: new Date(now).toISOString(),
    state,
    rate_limit: world.limits === true ? formatRateLimit() : rate_limit,
    workspaces: Object.values(world.spaces).map((workspace) => ({
      id: workspace.id,
      name: workspace.workspace_name,
      owner: world.users[workspace.owner_id]?.email ?? '',
      members: Object.keys(workspace.members).length,
    })),
    tokens: validTokens.length,
    token_requests: { ...getOAuth(world).requests },
    ...server,
  };
};
