import type { Clock } from '../clock.ts';
import { createSandboxApp, type LogEntry } from './app.ts';
import type { Route } from './call.ts';
import { recordEvent } from './deliveries/ledger.ts';
import type { ServiceDialect } from './dialect.ts';
import type { SandboxApp, SandboxRequest } from './exchange.ts';
import { DOCUMENTED_LIMITS, type RequestLimits } from './limits.ts';
import { createLogRow, type RequestLog } from './log.ts';
import { toSandboxTime } from './state.ts';
import type { World } from './world.ts';

/** The API over one world: what changes is kept, what comes in is logged, events are put down for webhooks. */

/** A request that changed the state, so that it can be repeated: with what it began from. */
export interface Change {
  /** The machine's time, ms. */
  readonly at: number;
  readonly generator: number;
  readonly next_id: number;
  readonly request: SandboxRequest;
}

export interface LoggedAppOptions {
  /** The machine's. */
  readonly clock: Clock;
  readonly limits?: RequestLimits | 'off' | undefined;
  readonly dialect?: ServiceDialect | undefined;
  /** Keeps the state after every change; absent: in memory only. */
  readonly save?: ((world: World, change?: Change) => void) | undefined;
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
  let startedAt = 0;
  const api = createSandboxApp(world, {
    clock: () => toSandboxTime(world, startedAt),
    routes,
    limits: world.limits === true ? DOCUMENTED_LIMITS : limits,
    dialect,
    onEvent: (event) => recordEvent(world, event, allowed),
    onAnswer: (entry) => {
      lastEntry = entry;
    },
  });
  return (request) => {
    startedAt = machine.now();
    const { generator, next_id } = world;
    const response = api(request);
    // Only a write that succeeded changes the state (app.ts), and a fault: it counts down, and may come after the work.
    const hasChanged = request.method !== 'GET' && response.status < 300;
    if (hasChanged || response.fault !== undefined) {
      options.save?.(world, { at: startedAt, generator, next_id, request: toRepeatable(request) });
      options.onChange?.();
    }
    if (lastEntry !== undefined) logAnswer(options, log, lastEntry, startedAt, response.wire?.latency_ms);
    return response;
  };
};

/** Without the headers that the service does not read. */
function toRepeatable({ headers, ...request }: SandboxRequest): SandboxRequest {
  const { authorization = '', 'content-type': type = '' } = headers;
  return { ...request, headers: { authorization, 'content-type': type } };
}

/**
 * Does to the world what the request did before.
 * @throws Error where it goes otherwise
 */
export function repeatRequest(world: World, routes: readonly Route[], change: Change): void {
  const { at, request, ...begun } = change;
  Object.assign(world, begun);
  const api = createSandboxApp(world, {
    clock: () => toSandboxTime(world, at),
    routes,
    limits: 'off',
    onEvent: (event) => recordEvent(world, event, []),
  });
  const { status, fault } = api(request);
  if (status >= 300 && fault === undefined) throw new Error(`it is answered with ${status}`);
}
