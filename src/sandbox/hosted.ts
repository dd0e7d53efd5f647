import type { Clock } from '../clock.ts';
import { createSandboxApp, type LogEntry, type SandboxEvent } from './app.ts';
import { issueFor, type SandboxControl, type SandboxStatus, seedOrFile, statusOf } from './control.ts';
import type { Dialect } from './dialect.ts';
import type { SandboxApp } from './exchange.ts';
import type { Limits } from './limits.ts';
import { allRoutes } from './routes.ts';
import { sandboxTime } from './state.ts';
import type { World } from './world.ts';

/** A sandbox that lives as long as its process: one world, all routes. */

export interface HostedOptions {
  readonly clock: Clock;
  readonly limits?: Limits | 'off';
  readonly dialect?: Dialect;
  /** Keeps the state after every change; absent: in memory only. */
  readonly save?: (world: World) => void;
  /** Where `save` keeps it, for `status`. */
  readonly state?: string;
  /** Ends the server. */
  readonly stop?: () => Promise<void>;
  readonly onEvent?: (event: SandboxEvent) => void;
  readonly onAnswer?: (entry: LogEntry) => void;
}

export interface Hosted {
  readonly app: SandboxApp;
  readonly control: SandboxControl;
  /** The state as it is now; a reset puts another in its place. */
  world(): World;
}

/** Hosts a world; `app` and `control` always mean the present one. */
export const createHosted = async (first: World, options: HostedOptions): Promise<Hosted> => {
  const { clock, limits, dialect, onEvent, onAnswer } = options;
  const routes = await allRoutes();
  let world = first;
  let answer: SandboxApp;
  const host = (next: World): void => {
    world = next;
    answer = createSandboxApp(next, {
      clock: () => sandboxTime(next, clock.now()),
      routes,
      ...(limits === undefined ? {} : { limits }),
      ...(dialect === undefined ? {} : { dialect }),
      ...(onEvent === undefined ? {} : { onEvent }),
      ...(onAnswer === undefined ? {} : { onAnswer }),
    });
  };
  host(first);
  const status = (): SandboxStatus =>
    statusOf(world, { kind: 'server', state: options.state ?? null, machine: clock.now() });
  return {
    world: () => world,
    app: (request) => {
      const response = answer(request);
      if (request.method !== 'GET' && response.status < 300) options.save?.(world);
      return response;
    },
    control: {
      status: async () => status(),
      reset: async (name) => {
        host(await seedOrFile(name, clock.now()));
        options.save?.(world);
        return status();
      },
      createToken: async (request) => {
        const issued = issueFor(world, request, clock);
        options.save?.(world);
        return issued;
      },
      stop: async () => options.stop?.(),
    },
  };
};
