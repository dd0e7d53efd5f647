import type { Clock } from '../clock.ts';
import { createSandboxApp, type LogEntry, type SandboxEvent } from './app.ts';
import type { Route } from './call.ts';
import { recordEvent } from './deliveries/ledger.ts';
import type { Dialect } from './dialect.ts';
import type { SandboxRequest, SandboxResponse } from './exchange.ts';
import { faultWords } from './fault.ts';
import { oauthRefuse } from './fault-refusal.ts';
import { answerUnder, seenStatus, takeFault } from './faults.ts';
import type { Limits } from './limits.ts';
import { logRow, type RequestLog } from './log.ts';
import type { ConsentOptions } from './oauth/consent.ts';
import { createOAuth } from './oauth/oauth.ts';
import { sandboxTime } from './state.ts';
import type { World } from './world.ts';

/** The API and the OAuth2 host of one world in a server: kept, logged, with faults. */

export interface AppsOptions extends ConsentOptions {
  readonly clock: Clock;
  readonly limits?: Limits | 'off';
  readonly dialect?: Dialect;
  /** Keeps the state after every change; absent: in memory only. */
  readonly save?: (world: World) => void;
  /** Called after a request of the API changed something. */
  readonly onChange?: () => void;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed?: readonly string[];
  readonly onEvent?: (event: SandboxEvent) => void;
  readonly onAnswer?: (entry: LogEntry) => void;
}

interface Fittings {
  readonly routes: readonly Route[];
  readonly log: RequestLog;
}

/** What is kept of a call that was answered. */
const logging =
  ({ clock, onAnswer }: AppsOptions, log: RequestLog) =>
  (entry: LogEntry, began: number, late = 0): void => {
    onAnswer?.(entry);
    log.add(logRow(entry, { took: clock.now() - began + late, random: () => clock.random() }));
  };

const oauthOf = (world: World, { log }: Fittings, options: AppsOptions) => {
  const machine = options.clock;
  const clock = (): number => sandboxTime(world, machine.now());
  const keep = logging(options, log);
  const oauth = createOAuth(world, { ...options, clock, random: () => machine.random() });
  return (request: SandboxRequest): SandboxResponse => {
    const began = machine.now();
    const at_ms = clock();
    const route = `${request.method} ${request.path}`;
    const fault = takeFault(world, route);
    const work = () => oauth(request);
    const response = fault === undefined ? work() : answerUnder(fault, work, oauthRefuse);
    // A code is in a redirect; whatever came to the token address was counted.
    const changed = response.status === 302 || request.method === 'POST';
    if (changed || response.fault !== undefined) options.save?.(world);
    const [status, words] = [seenStatus(response), fault && faultWords(fault)];
    const rest = { member: undefined, remaining: undefined, unread: [], at_ms };
    keep({ request, route, status, fault: words, ...rest }, began, response.wire?.latency_ms);
    return response;
  };
};

const apiOf = (world: World, { routes, log }: Fittings, options: AppsOptions) => {
  const { limits, dialect, allowed = [] } = options;
  const machine = options.clock;
  const keep = logging(options, log);
  let answered: LogEntry | undefined;
  const api = createSandboxApp(world, {
    clock: () => sandboxTime(world, machine.now()),
    routes,
    ...(limits === undefined ? {} : { limits }),
    ...(dialect === undefined ? {} : { dialect }),
    onEvent: (event) => {
      recordEvent(world, event, allowed);
      options.onEvent?.(event);
    },
    onAnswer: (entry) => {
      answered = entry;
    },
  });
  return (request: SandboxRequest): SandboxResponse => {
    const began = machine.now();
    const response = api(request);
    const changed = request.method !== 'GET' && response.status < 300;
    // A fault counts down, and may come after the work.
    if (changed || response.fault !== undefined) {
      options.save?.(world);
      options.onChange?.();
    }
    if (answered !== undefined) keep(answered, began, response.wire?.latency_ms);
    return response;
  };
};

export const appsOf = (world: World, fittings: Fittings, options: AppsOptions) => ({
  api: apiOf(world, fittings, options),
  oauth: oauthOf(world, fittings, options),
});
