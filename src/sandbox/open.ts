import type { RepeatableRequest, SandboxRequest, SandboxResponse } from './answer.ts';
import { answer, BASE_PATH, type Env } from './app.ts';
import type { MachineClock } from './basics.ts';
import { type ControlledSandbox, createControl } from './control.ts';
import { createDeliverySender } from './deliveries.ts';
import type { ServiceDialect } from './dialect.ts';
import { createLogRow, createMemoryLog } from './log.ts';
import { type SandboxStore, toSandboxTime } from './state.ts';
import type { World } from './world.ts';

export interface OpenOptions<Store extends SandboxStore>
  extends Partial<Omit<ControlledSandbox, 'store' | 'clock' | 'sender'>> {
  readonly store: Store;
  readonly clock: MachineClock;
  readonly dialect?: ServiceDialect;
  readonly oauth?: Env['oauth'];
  readonly allowed?: readonly string[];
  /** Webhooks hear of a change at once, and again when it is time; absent: only where `idle` is called. */
  readonly keepsSending?: boolean;
  /** What waits for the next attempt; default: the clock. */
  readonly timers?: MachineClock;
  readonly signal?: AbortSignal | undefined;
}

export type OpenSandbox<Store extends SandboxStore = SandboxStore> = ReturnType<typeof open<Store>>;

/** Opens a sandbox over a state: the same one for a command, a server and a test of somebody else. */
export function open<Store extends SandboxStore>(options: OpenOptions<Store>) {
  const { store, clock, oauth, dialect, allowed = [], timers = clock } = options;
  const { log = createMemoryLog(), signal = new AbortController().signal } = options;
  const sender = createDeliverySender({ store, clock, timers, allowed, signal });
  const random = () => clock.random();
  let isUsed = false;

  function noteChange(): void {
    isUsed = true;
    if (options.keepsSending === true) sender.wake();
  }

  const watched: SandboxStore = {
    peek: () => store.peek(),
    use: (work) =>
      store.use((world, save) =>
        work(world, (change) => {
          save(change);
          noteChange();
        }),
      ),
    replace: (make) => store.replace(make).finally(noteChange),
  };

  return {
    store,
    control: createControl({
      ...{ snapshots: new Map<string, string>(), about: () => ({}), stop: async () => {} },
      ...{ ...options, store: watched, log, sender },
    }),
    /** Answers a request to the API (`/api/v2/members`) or the OAuth2 host (`/oauth/token`); 404 for any other path. */
    async answer(request: SandboxRequest): Promise<SandboxResponse> {
      isUsed = true;
      const answerOver = (world: World, save: (change?: RepeatableRequest) => void): SandboxResponse => {
        const at = clock.now();
        const now = toSandboxTime(world, at);
        const limits = world.limits === true ? undefined : options.limits;
        const { response, entry, changed } = answer(world, request, { now, random, limits, dialect, oauth });
        if (changed !== false) save(changed === 'state' ? undefined : changed);
        const path = request.path.replace(new RegExp(`^${BASE_PATH}(?=/)`), '');
        const took = clock.now() - at + (response.wire?.latency_ms ?? 0);
        log.add(createLogRow({ ...request, path }, entry, now, took, random));
        return { ...response, headers: { date: new Date(now).toUTCString(), ...response.headers } };
      };
      // A read that counts nothing, no fault and no limit, waits for nobody.
      const world = request.method === 'GET' && options.limits === 'off' ? await store.peek() : undefined;
      const isFree =
        world?.limits !== true && (world?.faults ?? []).length === 0 && request.path.startsWith(BASE_PATH);
      return world && isFree ? answerOver(world, () => {}) : watched.use(answerOver);
    },
    /** Sends to webhooks what is due, and again when the next attempt is. */
    wake: sender.wake,
    /**
     * Sends what is due by now; where nothing was asked of the sandbox, nothing.
     * @param deadline the machine's time, ms, by which all is to be over
     */
    async idle(deadline?: number): Promise<void> {
      if (isUsed) await sender.idle(deadline);
    },
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
