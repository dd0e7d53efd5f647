import { type SandboxControl, type SandboxStatus, statusOf } from './control.ts';
import { createWebhookControl, type WebhookControl } from './deliveries/control.ts';
import { memoryDepot } from './deliveries/depots.ts';
import { createDeliverySender, type DeliverySender } from './deliveries/sender.ts';
import { DEFAULT_DIALECT } from './dialect.ts';
import type { SandboxApp } from './exchange.ts';
import { type AppsOptions, appsOf } from './hosted-apps.ts';
import { memoryLog, type RequestLog } from './log.ts';
import { allRoutes } from './routes.ts';
import { seedOrFile } from './seeds/seed-or-file.ts';
import { memorySnapshots, type SnapshotStore } from './snapshots/snapshot-store.ts';
import { sandboxTime } from './state.ts';
import type { World } from './world.ts';
import { worldControl } from './world-control.ts';

/** A sandbox that lives as long as its process: one world, all routes. */

export interface HostedOptions extends AppsOptions {
  /** Where `save` keeps the state, for `status`. */
  readonly state?: string;
  /** Where snapshots are kept; absent: in memory. */
  readonly shelf?: SnapshotStore;
  /** What `status` says of the server itself. */
  readonly about?: () => Pick<SandboxStatus, 'pid' | 'uptime_seconds' | 'found_in'>;
  /** Ends the server. */
  readonly stop?: () => Promise<void>;
  /** Ends what is being sent to webhooks. */
  readonly ending?: AbortSignal;
}

export interface Hosted {
  readonly app: SandboxApp;
  /** `/oauth/…` on the root of the server. */
  readonly oauth: SandboxApp;
  readonly control: SandboxControl;
  /** Sends what is due to webhooks; somebody has to call it. */
  readonly sender: DeliverySender;
  /** The state as it is now; a reset puts another in its place. */
  world(): World;
  /** What came in lately. */
  readonly log: RequestLog;
  /** Puts another state in its place; it is not kept by `save`. */
  replace(next: World): void;
  /** The sandbox's time, ms. */
  now(): number;
}

interface Host {
  readonly log: RequestLog;
  world(): World;
  replace(next: World): void;
}

const controlOf = (
  { world, replace, log }: Host,
  options: HostedOptions,
  webhooks: WebhookControl,
): SandboxControl => {
  const { clock, save } = options;
  const now = (): number => sandboxTime(world(), clock.now());
  const status = (of = world()): SandboxStatus => ({
    ...statusOf(of, { kind: 'server', state: options.state ?? null, machine: clock.now() }),
    ...options.about?.(),
  });
  const saved = <T>(made: T): T => {
    save?.(world());
    return made;
  };
  const door = {
    log,
    shelf: options.shelf ?? memorySnapshots(),
    dialect: options.dialect ?? DEFAULT_DIALECT,
    allowed: options.allowed ?? [],
    look: async <T>(work: (world: World) => T) => work(world()),
    change: async <T>(work: (world: World) => T) => saved(work(world())),
    put: async (make: () => World) => {
      replace(make());
      saved(undefined);
    },
  };
  return {
    ...worldControl(door, clock),
    status: async () => status(),
    reset: async (name, plan) => {
      const next = { ...(await seedOrFile(name, now())), time: world().time };
      if (plan === true) return status(next);
      replace(next);
      return saved(status());
    },
    webhooks,
    stop: async () => options.stop?.(),
    close: async () => {},
  };
};

/** What is sent to webhooks. */
const postOf = (world: () => World, options: HostedOptions) => {
  const { clock, save, allowed = [], dialect = DEFAULT_DIALECT } = options;
  const carrying = { depot: memoryDepot(world, save), clock, allowed };
  const signal = options.ending ?? new AbortController().signal;
  const sender = createDeliverySender({ ...carrying, signal });
  return { sender, webhooks: createWebhookControl({ ...carrying, sender, dialect }) };
};

/** Hosts a world; `app`, `oauth` and `control` always mean the present one. */
export const createHosted = async (first: World, options: HostedOptions): Promise<Hosted> => {
  const routes = await allRoutes();
  let world = first;
  const fittings = { routes, log: memoryLog() };
  let apps = appsOf(first, fittings, options);
  const host: Host = {
    log: fittings.log,
    world: () => world,
    replace: (next) => {
      world = next;
      apps = appsOf(next, fittings, options);
    },
  };
  const { sender, webhooks } = postOf(host.world, options);
  return {
    ...host,
    sender,
    now: () => sandboxTime(world, options.clock.now()),
    app: (request) => apps.api(request),
    oauth: (request) => apps.oauth(request),
    control: controlOf(host, options, webhooks),
  };
};
