import type { ClockMove, StoredClock } from './clock.ts';
import type {
  StoredDeliveryDetails,
  StoredDeliveryFilter,
  StoredDeliveryRow,
} from './deliveries/deliveries.ts';
import type { FaultRequest, StoredFaultRow } from './faults.ts';
import type { StoredLogRow } from './log.ts';
import type { AppRegistration, AppRow, IssuedApp } from './oauth/apps.ts';
import type { Difference } from './snapshots/difference.ts';
import type { SnapshotRow } from './snapshots/snapshot.ts';
import type { CreatedToken, TokenRow } from './tokens.ts';
import type { OAuthGrant } from './world.ts';

/**
 * What can be done to a sandbox beside its API: by `ttctl sandbox …`, by tests, over a port. The work of each operation
 * is in operations.ts.
 */

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
  /** Its limits, as the setting of `ttctl` has them. */
  readonly rate_limit: string;
  readonly workspaces: readonly {
    readonly id: number;
    readonly name: string;
    readonly owner: string;
    readonly members: number;
  }[];
  readonly tokens: number;
  /** Requests to the token address since the seed, granted or not. */
  readonly token_requests: Readonly<Record<OAuthGrant, number>>;
  /** Of a server: its process, and for how many seconds it has run. */
  readonly pid?: number;
  readonly uptime_seconds?: number;
}

export interface TokenRequest {
  /** E-mail address of an active Owner or Executive Manager. */
  readonly as: string;
  readonly scopes: readonly string[];
  readonly name?: string | undefined;
  /** A token of this name, to read and write, is handed out again as long as it holds. */
  readonly keptAs?: string | undefined;
}

export interface TriggerRequest {
  readonly event: string;
  /** Id of the one webhook that gets it, subscribed or not; absent: every one that subscribes, in any workspace. */
  readonly webhook?: string | undefined;
  /** In place of a sample. */
  readonly data?: unknown;
}

export interface TriggerResult {
  /** Whether the sandbox itself sends events of this name. */
  readonly known: boolean;
  /** A name that may have been meant. */
  readonly meant: string | null;
  readonly deliveries: readonly StoredDeliveryRow[];
}

export interface SandboxControl {
  status(): Promise<SandboxStatus>;
  /** Begins again from a seed (`demo`), by the sandbox's clock; every token ends. The clock stays as it is. */
  reset(args?: { readonly seed?: string; readonly limits?: boolean }): Promise<SandboxStatus>;
  createToken(args: TokenRequest): Promise<CreatedToken>;
  tokens(): Promise<readonly TokenRow[]>;
  /** By id or name. */
  revokeToken(args: { readonly token: string }): Promise<TokenRow>;
  createApp(args: AppRegistration): Promise<IssuedApp>;
  apps(): Promise<readonly AppRow[]>;
  clock(): Promise<StoredClock>;
  moveClock(args: ClockMove): Promise<StoredClock>;
  faults(): Promise<readonly StoredFaultRow[]>;
  /** The next calls of an operation (`timesheets approve`, `POST /oauth/token`) fail. */
  addFault(args: FaultRequest): Promise<StoredFaultRow>;
  /** All, or those of these ids. @returns how many */
  clearFaults(args?: { readonly ids?: readonly number[] }): Promise<number>;
  /** The latest 1,000 requests, the oldest first; `after`: those after the one with this id. */
  log(args?: { readonly after?: string }): Promise<readonly StoredLogRow[]>;
  clearLog(): Promise<{ readonly cleared: boolean }>;
  stop(): Promise<{ readonly stopped: boolean }>;
  /** The newest first. */
  deliveries(args?: StoredDeliveryFilter): Promise<readonly StoredDeliveryRow[]>;
  delivery(args: { readonly id: string }): Promise<StoredDeliveryDetails>;
  /** Sends these again now, whatever became of them. */
  redeliver(args: { readonly ids: readonly string[] }): Promise<readonly StoredDeliveryRow[]>;
  /** Sends what is due; `all`: what waits for its next attempt too. */
  deliver(args?: { readonly all?: boolean }): Promise<readonly StoredDeliveryRow[]>;
  /** Makes an event up and sends it. */
  trigger(args: TriggerRequest): Promise<TriggerResult>;
  snapshots(): Promise<readonly SnapshotRow[]>;
  saveSnapshot(args: { readonly name: string; readonly replace?: boolean }): Promise<SnapshotRow>;
  /** Puts the whole state back; the clock goes on from the time of then. */
  restoreSnapshot(args: { readonly name: string }): Promise<SnapshotRow>;
  /** From the snapshot to another, or to how things are. */
  diffSnapshot(args: {
    readonly name: string;
    readonly other?: string | undefined;
  }): Promise<readonly Difference[]>;
  removeSnapshot(args: { readonly name: string }): Promise<SnapshotRow>;
}

export type ControlName = keyof SandboxControl;

/** What each does. Anybody on this machine may look, with GET; a change is a POST that needs the secret. */
export const CONTROL_KINDS: Readonly<Record<ControlName, 'look' | 'change'>> = {
  status: 'look',
  reset: 'change',
  createToken: 'change',
  tokens: 'look',
  revokeToken: 'change',
  createApp: 'change',
  apps: 'look',
  clock: 'look',
  moveClock: 'change',
  faults: 'look',
  addFault: 'change',
  clearFaults: 'change',
  log: 'look',
  clearLog: 'change',
  stop: 'change',
  deliveries: 'look',
  delivery: 'look',
  redeliver: 'change',
  deliver: 'change',
  trigger: 'change',
  snapshots: 'look',
  saveSnapshot: 'change',
  restoreSnapshot: 'change',
  diffSnapshot: 'look',
  removeSnapshot: 'change',
};

export const CONTROL_PREFIX = '/_sandbox/';

/** `GET`, or `POST`. */
export const getControlMethod = (name: ControlName): string =>
  CONTROL_KINDS[name] === 'look' ? 'GET' : 'POST';

/** A control whose operations are carried out elsewhere: `send` is given the name and the arguments. */
export function createControl(send: (name: ControlName, args: object) => Promise<unknown>): SandboxControl {
  const names = Object.keys(CONTROL_KINDS) as ControlName[];
  const calls = names.map((name) => [name, (args: object = {}) => send(name, args)]);
  // What is sent is answered with what the operation of that name returns.
  return Object.fromEntries(calls) as SandboxControl;
}
