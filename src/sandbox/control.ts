import type { Clock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { checkLocalId } from '../parsing/names.ts';
import { findNearest } from '../parsing/text.ts';
import { formatRateLimit, type RequestLimits } from './access.ts';
import {
  getDispatchTime,
  listDeliveryRows,
  listDue,
  rescheduleDelivery,
  type StoredDeliveryDetails,
  type StoredDeliveryFilter,
  type StoredDeliveryRow,
  toDeliveryDetails,
  toDeliveryRow,
} from './deliveries/deliveries.ts';
import { addMadeUpEvent, type TriggerRequest } from './deliveries/sample.ts';
import type { DeliverySender } from './deliveries/sender.ts';
import type { ServiceDialect } from './dialect.ts';
import { addFault, clearFaults, type FaultRequest, listFaultRows, type StoredFaultRow } from './faults.ts';
import type { RequestLog, StoredLogRow } from './log.ts';
import { EVENTS } from './routes.ts';
import { loadSeed } from './seeds/seed.ts';
import * as snapshot from './snapshots.ts';
import { createNotFound, toSandboxTime } from './state.ts';
import type { StateAccess } from './store.ts';
import {
  type AppRegistration,
  type AppRow,
  type CreatedToken,
  createToken,
  describeToken,
  findKeptToken,
  getOAuth,
  type IssuedApp,
  listAppRows,
  listTokenRows,
  registerApp,
  requireHolder,
  revokeToken,
  type TokenRow,
} from './tokens.ts';
import type { OAuthGrant, StoredDelivery, World } from './world.ts';

/** What can be done to a sandbox beside its API: by `ttctl sandbox …`, by tests, over a port. One table of operations. */

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
  snapshots(): Promise<readonly snapshot.SnapshotRow[]>;
  saveSnapshot(args: { readonly name: string; readonly replace?: boolean }): Promise<snapshot.SnapshotRow>;
  /** Puts the whole state back; the clock goes on from the time of then. */
  restoreSnapshot(args: { readonly name: string }): Promise<snapshot.SnapshotRow>;
  /** From the snapshot to another, or to how things are. */
  diffSnapshot(args: {
    readonly name: string;
    readonly other?: string | undefined;
  }): Promise<readonly snapshot.Difference[]>;
  removeSnapshot(args: { readonly name: string }): Promise<snapshot.SnapshotRow>;
}

type ControlName = keyof SandboxControl;

/** Anybody on this machine may look, with GET; all others change something: a POST that needs the secret. */
const LOOKS: ReadonlySet<ControlName> = new Set([
  ...(['status', 'tokens', 'apps', 'clock', 'faults', 'log'] as const),
  ...(['deliveries', 'delivery', 'snapshots', 'diffSnapshot'] as const),
]);

/** The method of an operation over a port; undefined for one that there is not. */
export function getControlMethod(name: string): 'GET' | 'POST' | undefined {
  if (!Object.hasOwn(CONTROL_OPERATIONS, name)) return undefined;
  return LOOKS.has(name as ControlName) ? 'GET' : 'POST';
}

/** Where a server has them: `/_sandbox/<operation>`. */
export const CONTROL_PREFIX = '/_sandbox/';

/** The control of a sandbox in this process. */
export function createControl(sandbox: ControlledSandbox): SandboxControl {
  return mapOperations((name, args) => {
    const operation: (sandbox: ControlledSandbox, args: never) => Promise<unknown> = CONTROL_OPERATIONS[name];
    return operation(sandbox, args as never);
  });
}

/** A control whose operations are carried out by `send`, which is given the name and the arguments. */
export function mapOperations(send: (name: ControlName, args: object) => Promise<unknown>): SandboxControl {
  const names = Object.keys(CONTROL_OPERATIONS) as ControlName[];
  const calls = names.map((name) => [name, async (args: object = {}) => send(name, args)]);
  // What is sent is answered with what the operation of that name returns.
  return Object.fromEntries(calls) as SandboxControl;
}

/** The sandbox's one clock, as it stands. */
export interface StoredClock {
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  /** Whether it stands still. */
  readonly frozen: boolean;
  /** Seconds by which it is ahead of the machine's, to the millisecond; negative: behind. */
  readonly ahead_seconds: number;
}

/** Times in milliseconds since the epoch. */
export type ClockMove =
  | { readonly action: 'set'; readonly to_ms: number }
  | { readonly action: 'advance'; readonly by_ms: number }
  | { readonly action: 'freeze' | 'resume' | 'reset' };

/** What `status` says of a sandbox beside what is in its state. */
export type SandboxFacts = Pick<SandboxStatus, 'kind' | 'state' | 'rate_limit' | 'pid' | 'uptime_seconds'>;

/** A sandbox as the operations of its control use it. */
export interface ControlledSandbox {
  readonly state: StateAccess;
  /** The machine's. */
  readonly clock: Clock;
  /** Of each token; default: as documented. A state that has limits keeps those. */
  readonly limits?: RequestLimits | 'off' | undefined;
  readonly dialect: ServiceDialect;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed: readonly string[];
  readonly log: RequestLog;
  readonly snapshots: snapshot.SnapshotStore;
  readonly about: () => Partial<SandboxFacts>;
  /** Ends a server. */
  readonly stop: () => Promise<void>;
  readonly sender: () => Promise<DeliverySender>;
}

type Operation<Name extends ControlName> = (
  sandbox: ControlledSandbox,
  args: Exclude<Parameters<SandboxControl[Name]>[0], undefined>,
) => ReturnType<SandboxControl[Name]>;

/** What each operation does. Arguments may have come over a port. */
const CONTROL_OPERATIONS: { readonly [Name in ControlName]: Operation<Name> } = {
  status: (sandbox) => sandbox.state.use((world) => readStatus(sandbox, world)),
  reset: async (sandbox, { seed = 'demo', limits }) => {
    const world = await sandbox.state.replace(() => loadSeedWorld(sandbox, seed, limits === true));
    return readStatus(sandbox, world);
  },
  createToken: (sandbox, { as, scopes, name, keptAs }) =>
    changeState(sandbox, (world) => {
      const time = getGrantTime(sandbox, world);
      const kept = keptAs && findKeptToken(world, keptAs, requireHolder(world, as).id, time.now);
      if (kept) return describeToken(world, kept);
      return createToken(world, { as, scopes, name: keptAs ?? name, ...time });
    }),
  tokens: ({ state, clock }) => state.use((world) => listTokenRows(world, toSandboxTime(world, clock.now()))),
  revokeToken: (sandbox, { token }) =>
    changeState(sandbox, (world) => revokeToken(world, token, getGrantTime(sandbox, world).now)),
  createApp: (sandbox, app) =>
    changeState(sandbox, (world) => registerApp(world, app, getGrantTime(sandbox, world))),
  apps: ({ state }) => state.use(listAppRows),
  clock: ({ state, clock }) => state.use((world) => readClock(world, clock.now())),
  moveClock: (sandbox, move) =>
    changeState(sandbox, (world) => {
      const machineMs = sandbox.clock.now();
      moveClock(world, move, machineMs);
      return readClock(world, machineMs);
    }),
  faults: ({ state }) => state.use(listFaultRows),
  addFault: (sandbox, fault) => changeState(sandbox, (world) => addFault(world, fault)),
  clearFaults: (sandbox, { ids = [] }) => changeState(sandbox, (world) => clearFaults(world, ids)),
  log: async ({ log }, { after }) => {
    const rows = log.rows();
    // All where the row is no more among them.
    return rows.slice(rows.findIndex(({ id }) => id === after) + 1);
  },
  clearLog: async ({ log }) => {
    log.clear();
    return { cleared: true };
  },
  stop: async ({ stop }) => {
    await stop();
    return { stopped: true };
  },
  deliveries: async ({ state, dialect }, filter) => listDeliveryRows(await state.peek(), dialect, filter),
  delivery: async ({ state, dialect }, { id }) =>
    toDeliveryDetails(dialect, requireDelivery(await state.peek(), id)),
  redeliver: (sandbox, { ids }) =>
    sendSelected(sandbox, (world) => {
      const deliveries = [...new Set(ids)].map((id) => requireDelivery(world, id));
      const { now } = getGrantTime(sandbox, world);
      for (const delivery of deliveries) rescheduleDelivery(world, delivery, now, sandbox.allowed);
      return deliveries;
    }),
  deliver: (sandbox, { all }) =>
    sendSelected(sandbox, (world) => {
      const time = getDispatchTime(world, sandbox.clock);
      if (all !== true) return listDue(world, time);
      const pending = (world.deliveries ?? []).filter(({ next_ms }) => next_ms !== null);
      for (const delivery of pending) delivery.next_ms = Math.min(delivery.next_ms ?? 0, time.now);
      return pending;
    }),
  trigger: async (sandbox, request) => {
    const { event } = request;
    if (event.trim() === '' || event.length > 200)
      throw new UsageError(`"${event}" is not the name of an event`);
    const deliveries = await sendSelected(sandbox, (world) =>
      addMadeUpEvent(world, request, { ...sandbox, now: getGrantTime(sandbox, world).now }),
    );
    const known = EVENTS.includes(event);
    return { known, meant: known ? null : (findNearest(event, EVENTS) ?? null), deliveries };
  },
  snapshots: async ({ snapshots }) =>
    snapshots.names().map((name) => snapshot.parseSnapshotRow(name, snapshots.read(name) ?? '')),
  saveSnapshot: ({ state, snapshots, clock }, { name, replace }) =>
    state.use((world) => {
      if (snapshots.read(snapshot.checkSnapshotName(name)) !== undefined && replace !== true) {
        throw new UsageError(`there is already a snapshot ${name}`, {
          code: 'snapshot_exists',
          hint: 'Choose another name, or use --replace.',
        });
      }
      const created = snapshot.createSnapshot(name, world, clock.now());
      snapshots.write(name, snapshot.formatSnapshot(created));
      return created.row;
    }),
  restoreSnapshot: async ({ state, snapshots, clock }, { name }) => {
    const stored = snapshot.readSnapshot(snapshots, name);
    await state.replace(async () => snapshot.resumeSnapshot(stored, clock.now()));
    return stored.row;
  },
  diffSnapshot: async ({ state, snapshots }, { name, other }) => {
    const { world } = snapshot.readSnapshot(snapshots, name);
    if (other !== undefined)
      return snapshot.compareWorlds(world, snapshot.readSnapshot(snapshots, other).world);
    return state.use((current) => snapshot.compareWorlds(world, current));
  },
  removeSnapshot: async ({ snapshots }, { name }) => {
    const row = snapshot.parseSnapshotRow(name, snapshot.requireSnapshotText(snapshots, name));
    snapshots.remove(name);
    return row;
  },
};

/** A change of the state that is kept. */
function changeState<T>({ state }: ControlledSandbox, work: (world: World) => T): Promise<T> {
  return state.use((world, save) => {
    const result = work(world);
    save();
    return result;
  });
}

function getGrantTime({ clock }: ControlledSandbox, world: World) {
  return { now: toSandboxTime(world, clock.now()), random: () => clock.random() };
}

function readStatus({ clock, limits, about }: ControlledSandbox, world: World): SandboxStatus {
  const now = toSandboxTime(world, clock.now());
  const { kind = 'server', state = null, rate_limit = formatRateLimit(limits), ...server } = about();
  return {
    kind,
    running: kind === 'server',
    seed: world.seed,
    now: new Date(now).toISOString(),
    state,
    rate_limit: world.limits === true ? formatRateLimit() : rate_limit,
    workspaces: Object.values(world.spaces).map(({ id, workspace_name: name, owner_id, members }) => ({
      ...{ id, name, owner: world.users[owner_id]?.email ?? '' },
      members: Object.keys(members).length,
    })),
    tokens: Object.values(world.tokens).filter((token) => !token.revoked && now < token.expires_ms).length,
    token_requests: { ...getOAuth(world).requests },
    ...server,
  };
}

/** The state of a seed, by the clock as it stands. A state that is damaged has none: a reset is what mends it. */
async function loadSeedWorld(
  { state, clock }: ControlledSandbox,
  seed: string,
  limits: boolean,
): Promise<World> {
  const machineMs = clock.now();
  const current = await state.peek().catch(() => undefined);
  const now = current === undefined ? machineMs : toSandboxTime(current, machineMs);
  const world = await loadSeed(seed, now);
  return { ...world, time: current?.time ?? world.time, ...(limits ? { limits } : {}) };
}

const DELIVERIES_HINT = 'List them: ttctl sandbox webhooks deliveries';

/** @throws Failure (exit 5), UsageError for an empty id */
function requireDelivery(world: World | undefined, id: string): StoredDelivery {
  checkLocalId('delivery', id, DELIVERIES_HINT);
  const delivery = world?.deliveries?.find((row) => row.id === id);
  if (delivery === undefined) throw createNotFound(`no delivery ${id} in the sandbox`, DELIVERIES_HINT);
  return delivery;
}

/**
 * Changes the state, sends what is due by then, and returns what became of the deliveries that were chosen, once each
 * was tried.
 */
async function sendSelected(
  { state, sender, dialect }: ControlledSandbox,
  select: (world: World) => readonly StoredDelivery[],
): Promise<readonly StoredDeliveryRow[]> {
  const selected = await state.use((world, save) => {
    const deliveries = select(world);
    if (deliveries.length > 0) save();
    return deliveries.map((delivery) => toDeliveryRow(dialect, delivery));
  });
  await (await sender()).run();
  const rows = new Map(listDeliveryRows(await state.peek(), dialect).map((row) => [row.id, row]));
  return selected.map((row) => rows.get(row.id) ?? row);
}

export function readClock(world: World, machineMs: number): StoredClock {
  const now = toSandboxTime(world, machineMs);
  return {
    now: new Date(now).toISOString(),
    frozen: world.time.frozen_ms !== null,
    ahead_seconds: (now - machineMs) / 1000,
  };
}

/**
 * Moves the clock. Everything that ends or waits by it follows: it is asked at each request.
 * @throws UsageError for a moment that cannot be, and for an unknown move
 */
export function moveClock(world: World, move: ClockMove, machineMs: number): void {
  const now = toSandboxTime(world, machineMs);
  const { action } = move;
  if (action === 'set') setTime(world, machineMs, move.to_ms);
  else if (action === 'advance') setTime(world, machineMs, now + move.by_ms);
  else if (action === 'freeze') world.time.frozen_ms = now;
  else if (action === 'resume') world.time = { offset_ms: now - machineMs, frozen_ms: null };
  else if (action === 'reset') world.time = { offset_ms: 0, frozen_ms: null };
  else throw new UsageError(`unknown move of the clock: ${JSON.stringify(move)}`);
}

/** What ISO 8601 can write with four digits of a year. */
const MIN_TIME_MS = Date.parse('1970-01-01T00:00:00Z');
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Puts the clock to a moment; it runs on from there unless it stands still. */
function setTime({ time }: World, machineMs: number, timeMs: number): void {
  if (!Number.isFinite(timeMs) || timeMs < MIN_TIME_MS || timeMs > MAX_TIME_MS)
    throw new UsageError('the clock must be between the years 1970 and 9999');
  if (time.frozen_ms === null) time.offset_ms = Math.round(timeMs) - machineMs;
  else time.frozen_ms = Math.round(timeMs);
}
