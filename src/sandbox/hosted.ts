import { formatRateLimit } from './access.ts';
import { createControl, isChange, performControl, type SandboxControl, type SendControl } from './control.ts';
import type { ControlledSandbox } from './control-operation.ts';
import { createDeliverySender, type DeliverySender } from './deliveries/sender.ts';
import { DEFAULT_DIALECT } from './dialect.ts';
import type { SandboxApp } from './exchange.ts';
import { createMemoryLog, type RequestLog } from './log.ts';
import { createLoggedApp } from './logged-app.ts';
import { createLoggedOAuth, type LoggedOAuthOptions } from './oauth/oauth.ts';
import { createMemorySnapshots, type SnapshotStore } from './snapshots/snapshot.ts';
import { toSandboxTime } from './state.ts';
import { createMemoryState } from './state-access.ts';
import type { SandboxFacts } from './status.ts';
import type { World } from './world.ts';

/** A sandbox that lives as long as its process: one world, all routes. */

export interface HostedOptions extends LoggedOAuthOptions {
  /** Where `save` keeps the state, for `status`; null: in memory. */
  readonly state?: string | null;
  /** Absent: in memory. */
  readonly snapshots?: SnapshotStore | undefined;
  /** What `status` says of the server itself. */
  readonly about?: () => Pick<SandboxFacts, 'pid' | 'uptime_seconds' | 'found_in'>;
  /** Ends the server. */
  readonly stop?: () => Promise<void>;
  /** Ends what is being sent to webhooks. */
  readonly ending?: AbortSignal;
}

export interface HostedSandbox {
  readonly app: SandboxApp;
  /** `/oauth/…` on the root of the server. */
  readonly oauth: SandboxApp;
  /** Carries out a request of the control. */
  readonly perform: SendControl;
  /** The same, a function for each. */
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

/** Hosts a world; `app`, `oauth` and `control` always mean the present one. */
export const createHostedSandbox = async (initial: World, options: HostedOptions): Promise<HostedSandbox> => {
  const { clock, save, allowed = [], dialect = DEFAULT_DIALECT, onChange, stop = async () => {} } = options;
  const log = createMemoryLog();
  const createApps = (world: World) => ({
    world,
    app: createLoggedApp(world, log, options),
    oauth: createLoggedOAuth(world, log, options),
  });
  let current = createApps(initial);
  const world = (): World => current.world;
  const replace = (next: World): void => {
    current = createApps(next);
  };
  const state = createMemoryState(world, replace, save);
  const signal = options.ending ?? new AbortController().signal;
  const sender = createDeliverySender({ state, clock, allowed, signal });
  const sandbox: ControlledSandbox = {
    ...{ clock, state, log, sender, dialect, allowed, stop },
    snapshots: options.snapshots ?? createMemorySnapshots(),
    about: () => ({
      kind: 'server',
      state: options.state ?? null,
      rate_limit: formatRateLimit(options.limits),
      ...options.about?.(),
    }),
  };
  const perform: SendControl = (request) =>
    performControl(sandbox, request).finally(() => {
      // The clock may have been moved, something put down to be sent.
      if (isChange(request)) onChange?.();
    });
  return {
    ...{ log, sender, world, replace, perform },
    now: () => toSandboxTime(world(), clock.now()),
    app: (request) => current.app(request),
    oauth: (request) => current.oauth(request),
    control: createControl(perform),
  };
};
