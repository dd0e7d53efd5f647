import type { Clock } from '../clock.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { checkLocalId } from '../parsing/names.ts';
import { findNearest } from '../parsing/text.ts';
import { formatRateLimit, type RequestLimits } from './access.ts';
import { moveClock, readClock } from './clock.ts';
import type { SandboxControl, SandboxStatus, TriggerRequest } from './control.ts';
import {
  addDelivery,
  getDispatchTime,
  listDeliveryRows,
  listDue,
  rescheduleDelivery,
  type StoredDeliveryRow,
  toDeliveryDetails,
  toDeliveryRow,
} from './deliveries/deliveries.ts';
import type { StoredDelivery } from './deliveries/delivery.ts';
import { createSample } from './deliveries/sample.ts';
import type { DeliverySender } from './deliveries/sender.ts';
import { type ServiceDialect, toInwardId } from './dialect.ts';
import { addFault, clearFaults, listFaultRows } from './faults.ts';
import type { RequestLog } from './log.ts';
import { getOAuth, listAppRows, registerApp } from './oauth/apps.ts';
import { EVENTS } from './routes.ts';
import { loadSeed } from './seeds/seed.ts';
import { compareWorlds } from './snapshots/difference.ts';
import * as snapshot from './snapshots/snapshot.ts';
import { toSandboxTime } from './state.ts';
import type { StateAccess } from './state-access.ts';
import {
  createToken,
  describeToken,
  findKeptToken,
  listTokenRows,
  requireHolder,
  revokeToken,
} from './tokens.ts';
import type { Webhook, Workspace, World } from './world.ts';

/** What `status` says of a sandbox beside what is in its state. */
export type SandboxFacts = Pick<SandboxStatus, 'kind' | 'state' | 'rate_limit' | 'pid' | 'uptime_seconds'>;

/** A sandbox as the operations of its control use it. */
export interface ControlledSandbox {
  readonly clock: Clock;
  readonly state: StateAccess;
  readonly log: RequestLog;
  readonly snapshots: snapshot.SnapshotStore;
  readonly sender: () => Promise<DeliverySender>;
  readonly dialect: ServiceDialect;
  readonly allowed: readonly string[];
  readonly about: () => Partial<SandboxFacts>;
  readonly limits: RequestLimits | 'off' | undefined;
  readonly stop: () => Promise<void>;
}

type Operation<Name extends keyof SandboxControl> = (
  sandbox: ControlledSandbox,
  args: Exclude<Parameters<SandboxControl[Name]>[0], undefined>,
) => ReturnType<SandboxControl[Name]>;

/** What each operation of the control does (control.ts). Arguments may have come over a port. */
export const CONTROL_OPERATIONS: { readonly [Name in keyof SandboxControl]: Operation<Name> } = {
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
    const deliveries = await sendSelected(sandbox, (world) => addEvent(sandbox, world, request));
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
    if (other !== undefined) return compareWorlds(world, snapshot.readSnapshot(snapshots, other).world);
    return state.use((current) => compareWorlds(world, current));
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
const WEBHOOKS_HINT = 'List them: ttctl --profile sandbox webhooks list';

/** @throws Failure (exit 5), UsageError for an empty id */
function requireDelivery(world: World | undefined, id: string): StoredDelivery {
  checkLocalId('delivery', id, DELIVERIES_HINT);
  const delivery = world?.deliveries?.find((row) => row.id === id);
  if (delivery === undefined) throw createNotFound('delivery', id, DELIVERIES_HINT);
  return delivery;
}

function createNotFound(noun: string, id: string, hint: string): Failure {
  return new Failure(`no ${noun} ${id} in the sandbox`, { code: 'not_found', exit: EXIT.notFound, hint });
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

/** Puts a made-up event down for the webhooks that it is for. */
function addEvent(
  { clock, dialect, allowed }: ControlledSandbox,
  world: World,
  { event, webhook, data }: TriggerRequest,
): readonly StoredDelivery[] {
  if (webhook !== undefined) checkLocalId('webhook', webhook, WEBHOOKS_HINT);
  const id = webhook === undefined ? undefined : toInwardId(dialect, webhook);
  const at_ms = toSandboxTime(world, clock.now());
  const pairs = Object.values(world.spaces).flatMap((workspace): [Workspace, Webhook][] =>
    Object.values(workspace.webhooks).map((one) => [workspace, one]),
  );
  const matches = pairs.filter(([, one]) => (id === undefined ? one.events.includes(event) : one.id === id));
  if (webhook !== undefined && matches.length === 0) throw createNotFound('webhook', webhook, WEBHOOKS_HINT);
  return matches.map(([workspace, one]) => {
    const sent = data === undefined ? createSample(world, workspace, event, dialect) : data;
    return addDelivery(world, one, { event, workspace_id: workspace.id, data: sent, at_ms }, allowed);
  });
}
