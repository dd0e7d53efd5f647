import type { Clock } from '../clock.ts';
import { DOCUMENTED_LIMITS, type RequestLimits } from './access.ts';
import { answer, type LogEntry } from './app.ts';
import { recordEvent } from './deliveries/ledger.ts';
import type { ServiceDialect } from './dialect.ts';
import type { SandboxApp, SandboxRequest } from './exchange.ts';
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

export const createLoggedApp = (world: World, log: RequestLog, options: LoggedAppOptions): SandboxApp => {
  const { clock: machine, dialect, allowed = [] } = options;
  const limits = world.limits === true ? DOCUMENTED_LIMITS : options.limits;
  return (request) => {
    const startedAt = machine.now();
    const { generator, next_id } = world;
    const answered = answer(world, request, { now: toSandboxTime(world, startedAt), limits, dialect });
    const { response } = answered;
    for (const event of answered.events) recordEvent(world, event, allowed);
    // Only a write that succeeded changes the state (app.ts), and a fault: it counts down, and may come after the work.
    const hasChanged = request.method !== 'GET' && response.status < 300;
    if (hasChanged || response.fault !== undefined) {
      options.save?.(world, { at: startedAt, generator, next_id, request: toRepeatable(request) });
      options.onChange?.();
    }
    logAnswer(options, log, answered.entry, startedAt, response.wire?.latency_ms);
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
export function repeatRequest(world: World, change: Change): void {
  const { at, request, ...begun } = change;
  Object.assign(world, begun);
  const { response, events } = answer(world, request, { now: toSandboxTime(world, at), limits: 'off' });
  for (const event of events) recordEvent(world, event, []);
  if (response.status >= 300 && response.fault === undefined)
    throw new Error(`it is answered with ${response.status}`);
}
