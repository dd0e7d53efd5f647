import type { Clock } from '../clock.ts';
import { DOCUMENTED_LIMITS, type RequestLimits } from './access.ts';
import { answer as answerRequest, type Env, type LogEntry } from './app.ts';
import { createControl, type SandboxControl } from './control.ts';
import { getDispatchTime, listDue, recordEvent } from './deliveries/deliveries.ts';
import type { DeliverySender } from './deliveries/sender.ts';
import { DEFAULT_DIALECT, type ServiceDialect } from './dialect.ts';
import type { SandboxRequest, SandboxResponse } from './exchange.ts';
import { createLogRow, createMemoryLog, type RequestLog } from './log.ts';
import type { OAuthPages } from './oauth/authorize.ts';
import type { ControlledSandbox, SandboxFacts } from './operations.ts';
import { createMemorySnapshots, type SnapshotStore } from './snapshots/snapshot.ts';
import { toSandboxTime } from './state.ts';
import type { Change, StateAccess } from './state-access.ts';
import type { World } from './world.ts';

/** The root of the API (docs/service.md, Versioning). */
export const BASE_PATH = '/api/v2';

export interface OpenOptions<State extends StateAccess = StateAccess> {
  readonly state: State;
  /** The machine's. */
  readonly clock: Clock;
  /** Of each token; default: as documented. A state that has limits keeps those. */
  readonly limits?: RequestLimits | 'off' | undefined;
  readonly dialect?: ServiceDialect | undefined;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed?: readonly string[];
  /** E-mail address of who approves every OAuth2 request at once, with no page. */
  readonly autoApprove?: string | undefined;
  /** Default: in memory. */
  readonly log?: RequestLog;
  readonly snapshots?: SnapshotStore | undefined;
  readonly about?: () => Partial<SandboxFacts>;
  /** Ends a server. */
  readonly stop?: () => Promise<void>;
  /** Webhooks hear of a change at once, and again when it is time; absent: only where `idle` is called. */
  readonly keepsSending?: boolean;
  /** What waits for the next attempt; default: the clock. */
  readonly timers?: Clock;
  /** Ends what is being sent to webhooks. */
  readonly signal?: AbortSignal | undefined;
}

export interface OpenSandbox<State extends StateAccess = StateAccess> {
  readonly state: State;
  /** Answers a request to the API (`/api/v2/members`) or the OAuth2 host (`/oauth/token`); 404 for any other path. */
  answer(request: SandboxRequest): Promise<SandboxResponse>;
  readonly control: SandboxControl;
  /** Looks at once what is due to webhooks. */
  wake(): void;
  /**
   * Sends what is due by now; where nothing was asked of the sandbox, nothing.
   * @param deadline the machine's time, ms, by which all is to be over
   */
  idle(deadline?: number): Promise<void>;
}

/** Opens a sandbox over a state: the same one for a command, a server and a test of somebody else. */
export function openSandbox<State extends StateAccess>(options: OpenOptions<State>): OpenSandbox<State> {
  const { clock, allowed = [], dialect = DEFAULT_DIALECT, limits, log = createMemoryLog() } = options;
  let loading: Promise<DeliverySender> | undefined;
  let isUsed = false;

  function sender(): Promise<DeliverySender> {
    const { state, timers = clock, signal = new AbortController().signal } = options;
    loading ??= import('./deliveries/sender.ts').then(({ createDeliverySender }) =>
      createDeliverySender({ state, clock, timers, allowed, signal }),
    );
    return loading;
  }

  function wake(): void {
    void sender().then((loaded) => loaded.wake());
  }

  function noteChange(): void {
    isUsed = true;
    if (options.keepsSending === true) wake();
  }

  const state: StateAccess = {
    peek: () => options.state.peek(),
    replace: (make) => options.state.replace(make).finally(noteChange),
    use: (work) =>
      options.state.use((world, save) =>
        work(world, (change) => {
          save(change);
          noteChange();
        }),
      ),
  };

  const pages: OAuthPages = new Map();
  async function answer(request: SandboxRequest): Promise<SandboxResponse> {
    isUsed = true;
    const answerPath = await loadAnswer(request.path, { ...options, allowed, pages });
    return state.use((world, save) => {
      const at = clock.now();
      const { generator, next_id } = world;
      const { response, entry, changed } = answerPath(world, request, at);
      if (changed === 'state') save();
      if (entry !== undefined) {
        if (changed === 'request') save({ at, generator, next_id, request: toRepeatable(entry.request) });
        const took = clock.now() - at + (response.wire?.latency_ms ?? 0);
        log.add(createLogRow(entry, took, () => clock.random()));
      }
      const date = new Date(toSandboxTime(world, at)).toUTCString();
      return { ...response, headers: { date, ...response.headers } };
    });
  }

  const controlled: ControlledSandbox = {
    ...{ state, clock, log, sender, dialect, allowed, limits },
    snapshots: options.snapshots ?? createMemorySnapshots(),
    about: options.about ?? (() => ({})),
    stop: options.stop ?? (async () => {}),
  };
  const control = createControl(async (name, args) => {
    const { CONTROL_OPERATIONS } = await import('./operations.ts');
    const operation: (sandbox: ControlledSandbox, args: never) => unknown = CONTROL_OPERATIONS[name];
    return operation(controlled, args as never);
  });

  async function idle(deadline?: number): Promise<void> {
    if (!isUsed && loading === undefined) return;
    const world = await options.state.peek();
    const isDue = world !== undefined && listDue(world, getDispatchTime(world, clock)).length > 0;
    if (isDue || loading !== undefined) await (await sender()).idle(deadline);
  }

  return { state: options.state, answer, control, wake, idle };
}

interface Answered {
  readonly response: SandboxResponse;
  /** Absent: it is not kept in the log. */
  readonly entry?: LogEntry;
  /** What changed: only what the request does when it is repeated, or anything. */
  readonly changed?: 'request' | 'state' | false;
}

type AnswerPath = (world: World, request: SandboxRequest, machineMs: number) => Answered;

type AnswerOptions = Pick<OpenOptions, 'clock' | 'limits' | 'dialect' | 'autoApprove'> & {
  readonly allowed: readonly string[];
  readonly pages: OAuthPages;
};

/** What answers the requests to a path: the API, the OAuth2 host, or nobody. */
async function loadAnswer(path: string, options: AnswerOptions): Promise<AnswerPath> {
  if (path.startsWith('/oauth/')) {
    const { answerOAuth } = await import('./oauth/oauth.ts');
    return (world, request, machineMs) => {
      const time = { now: toSandboxTime(world, machineMs), random: () => options.clock.random() };
      return answerOAuth(world, request, time, options);
    };
  }
  if (!path.startsWith(`${BASE_PATH}/`)) {
    return () => ({ response: createPlainResponse(404, `Not found: the API is at ${BASE_PATH}.`) });
  }
  return (world, request, machineMs) => {
    const limits = world.limits === true ? DOCUMENTED_LIMITS : options.limits;
    const env = { now: toSandboxTime(world, machineMs), limits, dialect: options.dialect };
    const apiRequest = { ...request, path: request.path.slice(BASE_PATH.length) };
    return answerApi(world, apiRequest, env, options.allowed);
  };
}

function answerApi(
  world: World,
  request: SandboxRequest,
  env: Env,
  allowed: readonly string[],
): Answered & { readonly entry: LogEntry } {
  const { response, events, entry } = answerRequest(world, request, env);
  for (const event of events) recordEvent(world, event, allowed);
  // Only a write that succeeded changes the state (app.ts), and a fault: it counts down, and may come after the work.
  const isChange = (request.method !== 'GET' && response.status < 300) || response.fault !== undefined;
  return { response, entry, changed: isChange && 'request' };
}

/**
 * Does to the world what the request did before.
 * @throws Error where it goes otherwise
 */
export function repeatRequest(world: World, { at, request, ...begun }: Change): void {
  Object.assign(world, begun);
  const env = { now: toSandboxTime(world, at), limits: 'off' } as const;
  const { response, changed } = answerApi(world, request, env, []);
  if (changed === false) throw new Error(`it is answered with ${response.status}`);
}

/** Without the headers that the service does not read. */
function toRepeatable({ headers, ...request }: SandboxRequest): SandboxRequest {
  const { authorization = '', 'content-type': type = '' } = headers;
  return { ...request, headers: { authorization, 'content-type': type } };
}

/** An answer that is not the API's own, in its envelope all the same. */
export function createPlainResponse(status: number, message: string): SandboxResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ success: false, message, error: null, meta: {} }),
  };
}
