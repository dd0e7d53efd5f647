import { RATE_LIMIT } from './access.ts';
import { createNotFound, Problem } from './basics.ts';
import * as deliveries from './deliveries.ts';
import { addFault, describeFault, type FaultRequest } from './faults.ts';
import type { RequestLog } from './log.ts';
import { EVENTS } from './routes.ts';
import { createSeed } from './seeds/seed.ts';
import * as snapshot from './snapshots.ts';
import { type SandboxStore, toSandboxTime } from './state.ts';
import * as tokens from './tokens.ts';
import type { StoredDelivery, Workspace, World } from './world.ts';

/** What can be done to a sandbox beside its API: by `ttctl sandbox …`, by tests, over a port. One table of operations. */

export interface ControlledSandbox {
  readonly store: SandboxStore;
  /** The machine's, in types that every compiler has: they are part of the library's. */
  readonly clock: { now(): number; random(): number };
  /** Of each token; default: as documented. A state that has limits keeps those. */
  readonly limits?: 'off' | undefined;
  readonly log: RequestLog;
  readonly snapshots: snapshot.SnapshotStore;
  readonly about: () => SandboxFacts;
  readonly stop: () => Promise<void>;
  readonly sender: deliveries.DeliverySender;
}

interface SandboxFacts {
  readonly kind?: 'embedded' | 'server';
  readonly state?: string | null;
  readonly url?: string;
  /** Of a server: its process, and for how many seconds it has run. */
  readonly pid?: number;
  readonly uptime_seconds?: number;
}

type TokenRequest = tokens.TokenWish & {
  /** A token of this name, of the first owner, to read and write, is handed out again as long as it holds. */
  readonly keptAs?: string | undefined;
};

export type ClockMove =
  | { readonly action: 'set'; readonly to_ms: number }
  | { readonly action: 'advance'; readonly by_ms: number }
  | { readonly action: 'freeze' | 'resume' | 'reset' };

/** In the types of the library it is `object` (scripts/build-library.mjs): what is within is nobody's business. */
type S = ControlledSandbox;

/** Anybody on this machine may look, over a port with GET. */
const LOOKS = {
  status: (sandbox: S) => sandbox.store.use((world) => readStatus(sandbox, world)),
  tokens: ({ store, clock }: S) =>
    store.use((world) => tokens.listTokenRows(world, toSandboxTime(world, clock.now()))),
  clock: ({ store, clock }: S) => store.use((world) => readClock(world, clock.now())),
  faults: ({ store }: S) =>
    store.use(({ faults = [] }) => faults.map((fault) => ({ ...fault, fault: describeFault(fault) }))),
  /** The latest 1,000 requests, the oldest first; `after`: those after the one with this id, all where it is gone. */
  log: async ({ log }: S, { after }: { readonly after?: string } = {}) => {
    const rows = log.rows();
    return rows.slice(rows.findIndex(({ id }) => id === after) + 1);
  },
  deliveries: async ({ store }: S, { status }: { readonly status?: string | undefined } = {}) =>
    deliveries.listDeliveryRows(await store.peek(), status),
  snapshots: async ({ snapshots }: S) => snapshot.listSnapshots(snapshots),
  diffSnapshot: (
    { store, snapshots }: S,
    { name, other }: { readonly name: string; readonly other?: string | undefined },
  ) =>
    store.use((current) => {
      const { world } = snapshot.readSnapshot(snapshots, name);
      const after = other === undefined ? current : snapshot.readSnapshot(snapshots, other).world;
      return snapshot.compareWorlds(world, after);
    }),
};

/** All others change something: over a port a POST that needs the secret. Arguments may have come over one. */
const CHANGES = {
  /**
   * Begins again from a seed (`demo`), by the sandbox's clock; every token ends. The clock stays as it is. A state that
   * is damaged has none: a reset is what mends it.
   */
  reset: async (
    sandbox: S,
    { seed = 'demo', limits }: { readonly seed?: string; readonly limits?: boolean } = {},
  ) => {
    const world = await sandbox.store.replace(async () => {
      const current = await sandbox.store.peek().catch(() => undefined);
      const machineMs = sandbox.clock.now();
      const now = current === undefined ? machineMs : toSandboxTime(current, machineMs);
      const seeded = await createSeed(seed, { now });
      return { ...seeded, time: current?.time ?? seeded.time, ...(limits === true ? { limits } : {}) };
    });
    return readStatus(sandbox, world);
  },
  createToken: async ({ store, clock }: S, { as, scopes, name, keptAs }: TokenRequest) => {
    const find = (world: World | undefined) =>
      world && keptAs && tokens.findKeptToken(world, keptAs, toSandboxTime(world, clock.now()));
    const create = (world: World, save: () => void) => {
      const time = { now: toSandboxTime(world, clock.now()), random: () => clock.random() };
      const created = tokens.createToken(world, { as, scopes, name: keptAs ?? name, ...time });
      save();
      return created;
    };
    // Without the lock first: once it is there, nothing is to be changed.
    return find(await store.peek()) || store.use((world, save) => find(world) || create(world, save));
  },
  revokeToken: (sandbox: S, { token }: { readonly token: string }) =>
    changeState(sandbox, (world, { now }) => tokens.revokeToken(world, token, now)),
  createApp: (sandbox: S, app: tokens.AppRegistration) =>
    changeState(sandbox, (world, time) => tokens.registerApp(world, app, time)),
  moveClock: (sandbox: S, move: ClockMove) =>
    changeState(sandbox, (world) => {
      const machineMs = sandbox.clock.now();
      moveClock(world, move, machineMs);
      return readClock(world, machineMs);
    }),
  /** The next calls of an operation (`timesheets approve`, `POST /oauth/token`) fail. */
  addFault: (sandbox: S, request: FaultRequest) =>
    changeState(sandbox, (world) => {
      const fault = addFault(world, request);
      return { ...fault, fault: describeFault(fault) };
    }),
  clearFaults: (sandbox: S, { ids = [] }: { readonly ids?: readonly (number | string)[] } = {}) =>
    changeState(sandbox, (world) => {
      const [faults, words] = [world.faults ?? [], ids.map(String)];
      const unknown = words.find((word) => !faults.some(({ id }) => String(id) === word));
      const hint = 'List them: ttctl sandbox fault list';
      if (unknown !== undefined) throw new Problem(`there is no fault ${unknown}`, { hint });
      world.faults = ids.length === 0 ? [] : faults.filter(({ id }) => !words.includes(String(id)));
      return faults.length - world.faults.length;
    }),
  clearLog: async ({ log }: S) => {
    log.clear();
    return { cleared: true };
  },
  stop: async ({ stop }: S) => {
    await stop();
    return { stopped: true };
  },
  redeliver: (sandbox: S, { ids }: { readonly ids: readonly string[] }) =>
    sendSelected(sandbox, (world, now) => {
      const chosen = [...new Set(ids)].map((id) => {
        const delivery = world.deliveries?.find((row) => row.id === id);
        if (delivery !== undefined) return delivery;
        const hint = 'List them: ttctl sandbox webhooks deliveries';
        throw createNotFound(`no delivery "${id}" in the sandbox`, hint);
      });
      // Whatever became of it; its schedule begins again.
      for (const one of chosen) Object.assign(one, { status: 'pending', failures: 0, next_ms: now });
      return chosen;
    }),
  /** Makes an event up and sends it. @returns also whether the sandbox itself sends some of this name */
  trigger: async (sandbox: S, request: deliveries.TriggerRequest) => {
    const { event } = request;
    if (event.trim() === '') throw new Problem('the name of the event is empty');
    const sent = await sendSelected(sandbox, (world, now) => deliveries.addMadeUpEvent(world, request, now));
    return { known: EVENTS.includes(event), deliveries: sent };
  },
  saveSnapshot: (
    { store, snapshots, clock }: S,
    { name, replace = false }: { readonly name: string; readonly replace?: boolean },
  ) => store.use((world) => snapshot.saveSnapshot(snapshots, name, world, clock.now(), replace)),
  /** Puts the whole state back; the clock goes on from the time of then. */
  restoreSnapshot: async ({ store, snapshots, clock }: S, { name }: { readonly name: string }) => {
    const stored = snapshot.readSnapshot(snapshots, name);
    await store.replace(async () => snapshot.resumeSnapshot(stored, clock.now()));
    return stored.row;
  },
  removeSnapshot: async ({ snapshots }: S, { name }: { readonly name: string }) => {
    const { row } = snapshot.requireSnapshot(snapshots, name);
    snapshots.delete(name);
    return row;
  },
};

type Operations = typeof LOOKS & typeof CHANGES;
const OPERATIONS: Operations = { ...LOOKS, ...CHANGES };

export type SandboxControl = {
  readonly [Name in keyof Operations]: Operations[Name] extends (sandbox: S, ...args: infer A) => infer R
    ? (...args: A) => R
    : never;
};

export const CONTROL_PREFIX = '/_sandbox/';
/** A header of every answer to those: what has none comes from something else. */
export const CONTROL_MARK = 'x-sandbox';

export function getControlMethod(name: string): 'GET' | 'POST' | undefined {
  if (!Object.hasOwn(OPERATIONS, name)) return undefined;
  return Object.hasOwn(LOOKS, name) ? 'GET' : 'POST';
}

/** A control whose operations are carried out by `send`: in this process, or over a port. */
export function mapOperations(
  send: (name: keyof Operations, args: object) => Promise<unknown>,
): SandboxControl {
  const names = Object.keys(OPERATIONS) as (keyof Operations)[];
  const calls = names.map((name) => [name, async (args: object = {}) => send(name, args)]);
  return Object.fromEntries(calls) as SandboxControl;
}

export function createControl(sandbox: ControlledSandbox): SandboxControl {
  return mapOperations((name, args) => {
    const operation: (sandbox: S, args: never) => Promise<unknown> = OPERATIONS[name];
    return operation(sandbox, args as never);
  });
}

function changeState<T>(
  { store, clock }: ControlledSandbox,
  work: (world: World, time: tokens.GrantTime) => T,
): Promise<T> {
  return store.use((world, save) => {
    const result = work(world, { now: toSandboxTime(world, clock.now()), random: () => clock.random() });
    save();
    return result;
  });
}

function readStatus({ clock, limits, about }: ControlledSandbox, world: World) {
  const now = toSandboxTime(world, clock.now());
  const { kind = 'server', state = null, ...server } = about();
  return {
    ...{ kind, running: kind === 'server', seed: world.seed, now: new Date(now).toISOString(), state },
    rate_limit: world.limits === true ? RATE_LIMIT : (limits ?? RATE_LIMIT),
    workspaces: Object.values(world.spaces).map((space) => ({
      ...{ id: space.id, name: space.workspace_name, owner: world.users[space.owner_id]?.email ?? '' },
      members: Object.keys(space.members).length,
      projects: Object.values(space.projects).filter((project) => project.deleted_at === null).length,
      waiting: countWaiting(space),
    })),
    tokens: Object.values(world.tokens).filter((token) => !token.revoked && now < token.expires_ms).length,
    ...server,
  };
}

function countWaiting({ timesheets, leaves, time_requests }: Workspace): number {
  const requests = [...Object.values(leaves), ...Object.values(time_requests)];
  return (
    Object.values(timesheets).filter(({ status }) => status === 'submitted').length +
    requests.filter(({ status }) => status === 'pending').length
  );
}

async function sendSelected(
  { store, clock, sender }: ControlledSandbox,
  select: (world: World, now: number) => readonly StoredDelivery[],
): Promise<readonly deliveries.StoredDeliveryRow[]> {
  const selected = await store.use((world, save) => {
    const chosen = select(world, toSandboxTime(world, clock.now()));
    if (chosen.length > 0) save();
    return chosen.map(deliveries.toDeliveryRow);
  });
  await sender.run();
  const rows = new Map(deliveries.listDeliveryRows(await store.peek()).map((row) => [row.id, row]));
  return selected.map((row) => rows.get(row.id) ?? row);
}

/** `ahead_seconds` is to the millisecond, and negative where it is behind the machine's. */
export function readClock(world: World, machineMs: number) {
  const now = toSandboxTime(world, machineMs);
  const frozen = world.time.frozen_ms !== null;
  return { now: new Date(now).toISOString(), frozen, ahead_seconds: (now - machineMs) / 1000 };
}

/** What ISO 8601 can write with four digits of a year. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Moves the clock. Everything that ends or waits by it follows: it is asked at each request.
 * @throws Problem for a moment that cannot be, and for an unknown move
 */
export function moveClock(world: World, move: ClockMove, machineMs: number): void {
  const now = toSandboxTime(world, machineMs);
  const { action } = move;
  if (action === 'freeze') world.time.frozen_ms = now;
  else if (action === 'resume') world.time = { offset_ms: now - machineMs, frozen_ms: null };
  else if (action === 'reset') world.time = { offset_ms: 0, frozen_ms: null };
  else if (action === 'set' || action === 'advance') {
    const time = action === 'set' ? move.to_ms : now + move.by_ms;
    if (!Number.isFinite(time) || time < 0 || time > MAX_TIME_MS)
      throw new Problem('the clock must be between the years 1970 and 9999');
    // It runs on from there unless it stands still.
    if (world.time.frozen_ms === null) world.time.offset_ms = Math.round(time) - machineMs;
    else world.time.frozen_ms = Math.round(time);
  } else throw new Problem(`unknown move of the clock: ${JSON.stringify(move)}`);
}
