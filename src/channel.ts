import type { Channel } from './api/client.ts';
import type { Operation } from './api/operation.ts';
import { type Extra, NO_EXTRA } from './api/plan.ts';
import { scoped } from './auth/scopes.ts';
import type { Session } from './auth/session.ts';
import type { Clock } from './clock.ts';
import type { Settings } from './config/settings-types.ts';
import type { Raws } from './context.ts';
import { authorizing, bearer } from './http/authorize.ts';
import { UNLIMITED } from './http/budget.ts';
import { departing } from './http/depart.ts';
import { dryRun } from './http/dry-run.ts';
import type { Wait } from './http/interrupt.ts';
import { type Budget, pacing } from './http/pace.ts';
import { permitting } from './http/permit.ts';
import { readOnly } from './http/read-only.ts';
import { retrying } from './http/retry.ts';
import { createSender } from './http/send.ts';
import type { HttpRequest, Transport } from './http/transport.ts';
import { lazy } from './lazy.ts';
import type { Machine } from './machine.ts';
import { UsageError } from './outcome.ts';
import type { EmbeddedService } from './sandbox-embedded.ts';

/** The transport chain of one run, link by link, and the client's door to it. */

export interface ChainOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly session: Session;
  /** Answers in place of the network: the embedded sandbox. */
  readonly embedded: Pick<EmbeddedService, 'transport' | 'close'> | undefined;
  /** State file of the embedded sandbox. */
  readonly stateFile: string | undefined;
  /** Root of the API that the requests go to. */
  readonly base: () => string;
  /** Of the ledgers that all processes share (contract, section 6). Undefined: no place is known for them. */
  readonly limits: string | undefined;
  /** Asks before the first write to a protected profile. */
  readonly permit: () => Promise<void>;
  /** Tells a person why nothing happens: waiting for the rate limit, for a fault to pass. */
  readonly onWait: (text: string) => void;
}

export interface Chain {
  readonly transport: Transport;
  /** From now on the requests are some of very many: they let single commands pass (contract, section 6). */
  bulk(on: boolean): void;
  /** What is left of the limits, with what other processes use: `132 of 150 this minute, …`; or `off`. */
  limits(base: string): Promise<string>;
  /** To be called after the output: the embedded sandbox may have something to send. */
  close(): Promise<void>;
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

const waitText = ({ ms, why }: Wait): string =>
  why === 'fault' ? `trying again in ${seconds(ms)} s` : `waiting ${seconds(ms)} s for the rate limit`;

/** What is waited by: time, or the clock of a sandbox that is moved on in place of waiting. */
interface Waiting {
  readonly clock: Clock;
  /** Where the ledgers lie: those of a sandbox's time apart from those of time itself. */
  readonly limits: string | undefined;
}

const openWaiting = (options: ChainOptions): (() => Promise<Waiting>) => {
  const { machine, limits, base, embedded, stateFile } = options;
  const { clock } = machine;
  if ((machine.env.TTCTL_SANDBOX_CLOCK ?? '') === '') return async () => ({ clock, limits });
  return lazy(async () => {
    const { clockForWaiting } = await import('./sandbox-waits.ts');
    const own = embedded === undefined ? undefined : stateFile;
    const moved = await clockForWaiting({ machine, base: base(), embedded: own });
    return moved === clock ? { clock, limits } : { clock: moved, limits: limits && `${limits}-sandbox` };
  });
};

/** The budget of each request: of the credential that it carries, shared with all processes of the user. */
const openPace = ({ machine, settings, onWait }: ChainOptions, waiting: () => Promise<Waiting>) => {
  const rate = settings.rateLimit.value;
  if (rate === 'off') return { budgetOf: (): Budget => UNLIMITED, left: async () => 'off' };
  const debug = settings.debug.value;
  const say = (text: string) => void machine.stderr.write(`limits: ${text}\n`);
  const lost = (reason: string) => say(`no ledger is shared with other processes (${reason})`);
  const budgets = lazy(async () => {
    const { openBudgets } = await import('./limits/budgets.ts');
    const { clock, limits } = await waiting();
    return openBudgets({
      rate,
      directory: limits,
      clock,
      pid: machine.pid,
      timeoutMs: settings.timeoutSeconds.value * 1000,
      onWait: (wait) => onWait(waitText(wait)),
      interrupt: machine.interrupted,
      ...(debug ? { onLoss: lost } : {}),
    });
  });
  const budgetOf = async ({ base, headers }: HttpRequest): Promise<Budget> => {
    const budget = await (await budgets()).for({ base, secret: headers.authorization });
    if (!debug) return budget;
    const { telling } = await import('./limits/telling.ts');
    return telling(budget, rate, say);
  };
  const left = async (base: string, authorization: string): Promise<string> => {
    const { leftText } = await import('./limits/left.ts');
    return leftText(rate, await (await (await budgets()).for({ base, secret: authorization })).left());
  };
  return { budgetOf, left };
};

/** dryRun(retrying(authorizing(pacing(tracing(send))))): what is sent again after a 401 counts again. */
export const createChain = async (options: ChainOptions): Promise<Chain> => {
  const { machine, settings, session, onWait } = options;
  const { clock, redactor } = machine;
  const sender =
    options.embedded === undefined
      ? createSender({
          timeoutMs: settings.timeoutSeconds.value * 1000,
          userAgent: `ttctl/${machine.version}`,
          interrupt: machine.interrupted,
          env: machine.env,
          clock,
        })
      : options.embedded;
  let link = sender.transport;
  if (settings.debug.value) {
    const { tracing } = await import('./http/trace.ts');
    link = tracing(link, { write: (line) => void machine.stderr.write(`${line}\n`), redactor, clock });
  }
  link = departing(link);
  let bulk = false;
  const waiting = openWaiting(options);
  const pace = openPace(options, waiting);
  const isBulk = (): boolean => bulk;
  link = authorizing(pacing(link, pace.budgetOf, { isBulk }), session);
  link = retrying(link, {
    maxWaitMs: settings.maxWaitSeconds.value * 1000,
    clock: { ...clock, sleep: async (ms, signal) => (await waiting()).clock.sleep(ms, signal) },
    interrupt: machine.interrupted,
    onWait: (wait) => onWait(waitText(wait)),
  });
  if (settings.protected.value) link = permitting(link, options.permit);
  link = scoped(link, session);
  if (settings.readOnly.value) link = readOnly(link, settings.profile.value);
  if (settings.dryRun.value) link = dryRun(link, redactor);
  return {
    transport: link,
    bulk(on) {
      bulk = on;
    },
    limits: async (base) => pace.left(base, bearer(await session.token())),
    // Not even the sandbox sends anything in a dry run.
    close: async () => (settings.dryRun.value && options.embedded !== undefined ? undefined : sender.close()),
  };
};

export interface ChannelOptions {
  readonly chain: () => Promise<Chain>;
  readonly base: () => string;
  readonly session: Session;
  readonly workspaceId: () => Promise<number>;
  readonly knownWorkspaceId: () => Promise<number | undefined>;
  /** The operation of the running command and its raw values; they are for it alone. */
  readonly own: Operation | undefined;
  readonly raws: () => Raws;
  readonly flagOf: (parameter: string) => string;
  readonly seen: Channel['seen'];
}

const asObject = (input: unknown): Readonly<Record<string, unknown>> => {
  if (input === undefined) return {};
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...input };
  throw new UsageError('--input is not a JSON object');
};

/** What the typed client talks through. */
export const createChannel = (options: ChannelOptions): Channel => {
  const extraFor = (operation: Operation): Extra => {
    if (operation.id !== options.own?.id) return NO_EXTRA;
    const { query, fields, input } = options.raws();
    return { query, body: fields, input: asObject(input) };
  };
  return {
    get base() {
      return options.base();
    },
    transport: async (request) => (await options.chain()).transport(request),
    workspaceId: options.workspaceId,
    extraFor,
    flagOf: options.flagOf,
    seen: options.seen,
    async explain(error, operation, values) {
      const { hintFor } = await import('./hints.ts');
      const identity = await options.session.identity();
      // An operation that takes no workspace may be the very look-up of its name: to wait for that would be for ever.
      const workspace = operation.workspace === 'none' ? undefined : await options.knownWorkspaceId();
      return hintFor(error, operation, values, { identity, workspace });
    },
  };
};
