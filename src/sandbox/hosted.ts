import type { Clock } from '../clock.ts';
import { createSandboxApp, type LogEntry, type SandboxEvent } from './app.ts';
import type { Route } from './call.ts';
import { type SandboxControl, type SandboxStatus, statusOf } from './control.ts';
import { createWebhookControl, type WebhookControl } from './deliveries/control.ts';
import { type Courier, createCourier } from './deliveries/courier.ts';
import { memoryDepot } from './deliveries/depots.ts';
import { recordEvent } from './deliveries/ledger.ts';
import { DEFAULT_DIALECT, type Dialect } from './dialect.ts';
import type { SandboxApp, SandboxRequest, SandboxResponse } from './exchange.ts';
import type { Limits } from './limits.ts';
import type { ConsentOptions } from './oauth/consent.ts';
import { createOAuth } from './oauth/oauth.ts';
import { allRoutes } from './routes.ts';
import { seedOrFile } from './seeds/seed-or-file.ts';
import { sandboxTime } from './state.ts';
import type { World } from './world.ts';
import { worldControl } from './world-control.ts';

/** A sandbox that lives as long as its process: one world, all routes. */

export interface HostedOptions extends ConsentOptions {
  readonly clock: Clock;
  readonly limits?: Limits | 'off';
  readonly dialect?: Dialect;
  /** Keeps the state after every change; absent: in memory only. */
  readonly save?: (world: World) => void;
  /** Where `save` keeps it, for `status`. */
  readonly state?: string;
  /** What `status` says of the server itself. */
  readonly about?: () => Pick<SandboxStatus, 'pid' | 'uptime_seconds' | 'found_in'>;
  /** Ends the server. */
  readonly stop?: () => Promise<void>;
  /** Called after a request of the API changed something. */
  readonly onChange?: () => void;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed?: readonly string[];
  /** Ends what is being sent to webhooks. */
  readonly ending?: AbortSignal;
  readonly onEvent?: (event: SandboxEvent) => void;
  readonly onAnswer?: (entry: LogEntry) => void;
}

export interface Hosted {
  readonly app: SandboxApp;
  /** `/oauth/…` on the root of the server. */
  readonly oauth: SandboxApp;
  readonly control: SandboxControl;
  /** Sends what is due to webhooks; somebody has to call it. */
  readonly courier: Courier;
  /** The state as it is now; a reset puts another in its place. */
  world(): World;
  /** The sandbox's time, ms. */
  now(): number;
}

interface Host {
  world(): World;
  replace(next: World): void;
}

const controlOf = (
  { world, replace }: Host,
  options: HostedOptions,
  webhooks: WebhookControl,
): SandboxControl => {
  const { clock, save } = options;
  const now = (): number => sandboxTime(world(), clock.now());
  const status = (): SandboxStatus => ({
    ...statusOf(world(), { kind: 'server', state: options.state ?? null, machine: clock.now() }),
    ...options.about?.(),
  });
  const saved = <T>(made: T): T => {
    save?.(world());
    return made;
  };
  const door = {
    look: async <T>(work: (world: World) => T) => work(world()),
    change: async <T>(work: (world: World) => T) => saved(work(world())),
  };
  return {
    ...worldControl(door, clock),
    status: async () => status(),
    reset: async (name) => {
      const next = await seedOrFile(name, now());
      replace({ ...next, time: world().time });
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
  const courier = createCourier({ ...carrying, signal });
  return { courier, webhooks: createWebhookControl({ ...carrying, courier, dialect }) };
};

/** The API and the OAuth2 host of one world. */
const appsOf = (world: World, routes: readonly Route[], options: HostedOptions) => {
  const { limits, dialect, allowed = [], onAnswer } = options;
  const clock = (): number => sandboxTime(world, options.clock.now());
  const onEvent = (event: SandboxEvent): void => {
    recordEvent(world, event, allowed);
    options.onEvent?.(event);
  };
  const api = createSandboxApp(world, {
    clock,
    routes,
    ...(limits === undefined ? {} : { limits }),
    ...(dialect === undefined ? {} : { dialect }),
    onEvent,
    ...(onAnswer === undefined ? {} : { onAnswer }),
  });
  const oauth = createOAuth(world, { ...options, clock, random: () => options.clock.random() });
  return {
    api: (request: SandboxRequest): SandboxResponse => {
      const response = api(request);
      if (request.method !== 'GET' && response.status < 300) {
        options.save?.(world);
        options.onChange?.();
      }
      return response;
    },
    oauth: (request: SandboxRequest): SandboxResponse => {
      const at_ms = clock();
      const response = oauth(request);
      // A code is in a redirect; whatever came to the token address was counted.
      if (response.status === 302 || request.method === 'POST') options.save?.(world);
      const route = `${request.method} ${request.path}`;
      onAnswer?.({ request, route, status: response.status, unread: [], at_ms });
      return response;
    },
  };
};

/** Hosts a world; `app`, `oauth` and `control` always mean the present one. */
export const createHosted = async (first: World, options: HostedOptions): Promise<Hosted> => {
  const routes = await allRoutes();
  let world = first;
  let apps = appsOf(first, routes, options);
  const host: Host = {
    world: () => world,
    replace: (next) => {
      world = next;
      apps = appsOf(next, routes, options);
    },
  };
  const { courier, webhooks } = postOf(host.world, options);
  return {
    world: host.world,
    courier,
    now: () => sandboxTime(world, options.clock.now()),
    app: (request) => apps.api(request),
    oauth: (request) => apps.oauth(request),
    control: controlOf(host, options, webhooks),
  };
};
