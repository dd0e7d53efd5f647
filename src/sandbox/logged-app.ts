import type { Clock } from '../clock.ts';
import { createSandboxApp, type LogEntry } from './app.ts';
import type { Route } from './call.ts';
import { recordEvent } from './deliveries/ledger.ts';
import type { ServiceDialect } from './dialect.ts';
import type { SandboxApp } from './exchange.ts';
import { DOCUMENTED_LIMITS, type RequestLimits } from './limits.ts';
import { createLogRow, type RequestLog } from './log.ts';
import { toSandboxTime } from './state.ts';
import type { World } from './world.ts';

/** The API over one world: what changes is kept, what comes in is logged, events are put down for webhooks. */

export interface LoggedAppOptions {
  /** The machine's. */
  readonly clock: Clock;
  readonly limits?: RequestLimits | 'off' | undefined;
  readonly dialect?: ServiceDialect | undefined;
  /** Keeps the state after every change; absent: in memory only. */
  readonly save?: ((world: World) => void) | undefined;
  /** Called after a request changed something. */
  readonly onChange?: () => void;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed?: readonly string[];
}

/** Keeps a row of a call that was answered; it began at this time of the machine. */
export const logAnswer = (
  { clock }: LoggedAppOptions,
  log: RequestLog,
  entry: LogEntry,
  startedAt: number,
  latencyMs = 0,
): void =>
  log.add(createLogRow(entry, { took: clock.now() - startedAt + latencyMs, random: () => clock.random() }));

export const createLoggedApp = (
  world: World,
  routes: readonly Route[],
  log: RequestLog,
  options: LoggedAppOptions,
): SandboxApp => {
  const { clock: machine, limits, dialect, allowed = [] } = options;
  let lastEntry: LogEntry | undefined;
  const api = createSandboxApp(world, {
    clock: () => toSandboxTime(world, machine.now()),
    routes,
    limits: world.limits === true ? DOCUMENTED_LIMITS : limits,
    dialect,
    onEvent: (event) => recordEvent(world, event, allowed),
    onAnswer: (entry) => {
      lastEntry = entry;
    },
  });
  return (request) => {
    const startedAt = machine.now();
    const response = api(request);
    // Only a write that succeeded changes the state (app.ts), and a fault: it counts down, and may come after the work.
    const hasChanged = request.method !== 'GET' && response.status < 300;
    if (hasChanged || response.fault !== undefined) {
      options.save?.(world);
      options.onChange?.();
    }
    if (lastEntry !== undefined) logAnswer(options, log, lastEntry, startedAt, response.wire?.latency_ms);
    return response;
  };
};
