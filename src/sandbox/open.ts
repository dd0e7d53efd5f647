import { DOCUMENTED_LIMITS } from './access.ts';
import type { SandboxRequest, SandboxResponse } from './answer.ts';
import { type Answered, answerRequest } from './app.ts';
import type { MachineClock } from './basics.ts';
import { type ControlledSandbox, createControl, type SandboxControl } from './control.ts';
import { getDispatchTime, listDue } from './deliveries/deliveries.ts';
import type { DeliverySender } from './deliveries/sender.ts';
import { DEFAULT_DIALECT } from './dialect.ts';
import { createLogRow, createMemoryLog, type RequestLog } from './log.ts';
import type { OAuthPages } from './oauth/authorize.ts';
import { createMemorySnapshots } from './snapshots.ts';
import { toSandboxTime } from './state.ts';
import type { StateAccess } from './store.ts';

/** The root of the API (docs/service.md, Versioning). */
export const BASE_PATH = '/api/v2';

/** What is left out is in memory, as documented, and sends to this machine alone. */
export interface OpenOptions<State extends StateAccess = StateAccess>
  extends Partial<Omit<ControlledSandbox, 'state' | 'clock' | 'sender'>> {
  readonly state: State;
  readonly clock: MachineClock;
  readonly autoApprove?: string | undefined;
  /** Webhooks hear of a change at once, and again when it is time; absent: only where `idle` is called. */
  readonly keepsSending?: boolean;
  /** What waits for the next attempt; default: the clock. */
  readonly timers?: MachineClock;
  readonly signal?: AbortSignal | undefined;
}

/** A sandbox over a state: the same one for a command, a server and a test of somebody else. */
export class OpenSandbox<State extends StateAccess = StateAccess> {
  readonly state: State;
  readonly control: SandboxControl;
  readonly #options: OpenOptions<State>;
  readonly #log: RequestLog;
  readonly #pages: OAuthPages = new Map();
  #sender: Promise<DeliverySender> | undefined;
  #isUsed = false;

  constructor(options: OpenOptions<State>) {
    const { state } = options;
    this.state = state;
    this.#options = options;
    this.#log = options.log ?? createMemoryLog();
    this.control = createControl({
      dialect: DEFAULT_DIALECT,
      allowed: [],
      snapshots: createMemorySnapshots(),
      about: () => ({}),
      stop: async () => {},
      ...options,
      log: this.#log,
      state: {
        peek: () => state.peek(),
        use: (work) => this.#use(work),
        replace: (make) => state.replace(make).finally(() => this.#noteChange()),
      },
      sender: () => this.#loadSender(),
    });
  }

  /** Answers a request to the API (`/api/v2/members`) or the OAuth2 host (`/oauth/token`); 404 for any other path. */
  async answer(request: SandboxRequest): Promise<SandboxResponse> {
    this.#isUsed = true;
    const { path } = request;
    const { clock, dialect, allowed, autoApprove } = this.#options;
    const oauth = path.startsWith('/oauth/') ? await import('./oauth/authorize.ts') : undefined;
    return this.#use((world, save) => {
      const at = clock.now();
      const now = toSandboxTime(world, at);
      const { generator, next_id } = world;
      let answered: Pick<Answered, 'response'> & Partial<Answered>;
      if (oauth !== undefined) {
        const time = { now, random: () => clock.random() };
        answered = oauth.answerOAuth(world, request, time, { pages: this.#pages, autoApprove });
      } else if (path.startsWith(`${BASE_PATH}/`)) {
        const limits = world.limits === true ? DOCUMENTED_LIMITS : this.#options.limits;
        const apiRequest = { ...request, path: path.slice(BASE_PATH.length) };
        answered = answerRequest(world, apiRequest, { now, dialect, allowed, limits });
      } else {
        answered = { response: createPlainResponse(404, `Not found: the API is at ${BASE_PATH}.`) };
      }
      const { response, entry, changed } = answered;
      if (changed === 'state') save();
      if (changed === 'request' && entry !== undefined) {
        // Without the headers that the service does not read.
        const { authorization = '', 'content-type': type = '' } = request.headers;
        const headers = { authorization, 'content-type': type };
        save({ at, generator, next_id, request: { ...entry.request, headers } });
      }
      if (entry !== undefined) {
        const took = clock.now() - at + (response.wire?.latency_ms ?? 0);
        this.#log.add(createLogRow(entry, took, () => clock.random()));
      }
      return { ...response, headers: { date: new Date(now).toUTCString(), ...response.headers } };
    });
  }

  wake(): void {
    void this.#loadSender().then((sender) => sender.wake());
  }

  /**
   * Sends what is due by now; where nothing was asked of the sandbox, nothing.
   * @param deadline the machine's time, ms, by which all is to be over
   */
  async idle(deadline?: number): Promise<void> {
    if (!this.#isUsed && this.#sender === undefined) return;
    const world = await this.state.peek();
    const isDue =
      world !== undefined && listDue(world, getDispatchTime(world, this.#options.clock)).length > 0;
    if (isDue || this.#sender !== undefined) await (await this.#loadSender()).idle(deadline);
  }

  #use: StateAccess['use'] = (work) =>
    this.state.use((world, save) =>
      work(world, (change) => {
        save(change);
        this.#noteChange();
      }),
    );

  #noteChange(): void {
    this.#isUsed = true;
    if (this.#options.keepsSending === true) this.wake();
  }

  #loadSender(): Promise<DeliverySender> {
    const { state, clock, timers = clock, allowed = [] } = this.#options;
    const { signal = new AbortController().signal } = this.#options;
    this.#sender ??= import('./deliveries/sender.ts').then(({ createDeliverySender }) =>
      createDeliverySender({ state, clock, timers, allowed, signal }),
    );
    return this.#sender;
  }
}

/** An answer that is not the API's own, in its envelope all the same. */
export function createPlainResponse(status: number, message: string): SandboxResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ success: false, message, error: null, meta: {} }),
  };
}

/**
 * What points `ttctl` in another process at a server. The profile is a neutral one: the chosen one may be the embedded
 * sandbox, or keep its own workspace.
 */
export function buildClientVariables(
  url: string,
  client: { token: string; workspace: number | undefined; secret: string; rateLimit: string },
): Record<string, string> {
  return {
    TTCTL_BASE_URL: `${url}${BASE_PATH}`,
    TTCTL_AUTH_URL: url,
    TTCTL_TOKEN_URL: url,
    TTCTL_TOKEN: client.token,
    TTCTL_WORKSPACE: String(client.workspace ?? ''),
    TTCTL_PROFILE: 'default',
    TTCTL_SANDBOX_SECRET: client.secret,
    TTCTL_RATE_LIMIT: client.rateLimit,
  };
}
