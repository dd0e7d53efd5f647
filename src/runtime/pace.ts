import type { Clock } from '../clock.ts';
import type { Settings } from '../config/settings-types.ts';
import { type RateBudget, UNLIMITED, type WaitNotice } from '../http/pacing.ts';
import type { HttpRequest } from '../http/transport.ts';
import { lazy } from '../lazy.ts';
import type { Machine } from '../platform/machine.ts';
import type { EmbeddedService } from '../sandbox-host/embedded.ts';

/** What the requests of one run wait by: a clock, and the budget that all processes share. */

export interface RateLimitOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  /** Answers in place of the network: the embedded sandbox. */
  readonly embedded: Pick<EmbeddedService, 'transport' | 'close'> | undefined;
  /** State file of the embedded sandbox. */
  readonly stateFile: string | undefined;
  /** Root of the API that the requests go to. */
  readonly base: () => string;
  /** Of the ledgers that all processes share. Undefined: no place is known for them. */
  readonly limitsDirectory: string | undefined;
  /** Tells a person why nothing happens: waiting for the rate limit, for a fault to pass. */
  readonly onWait: (wait: WaitNotice) => void;
  readonly warn: (text: string) => void;
}

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** A second try is not the same news as the first, and less than a second is no time to be told. */
const formatWait = ({ ms, why, attempt }: WaitNotice): string => {
  if (why !== 'fault') return `waiting ${toSeconds(ms)} s for the rate limit`;
  const time = ms < 1000 ? '' : ` in ${toSeconds(ms)} s`;
  return `retrying${time}${attempt > 1 ? `, attempt ${attempt + 1}` : ''}`;
};

/** A later end of the same wait is news from so much on. */
const REPEAT_NOTICE_MS = 10_000;

/** Says that something is waited for: once, however many requests wait for the same. */
export const createWaitNotifier = (
  notify: (text: string) => void,
  now: () => number,
): ((wait: WaitNotice) => void) => {
  const announcedEnds = new Map<boolean, number>();
  return (wait) => {
    const end = now() + wait.ms;
    const isFault = wait.why === 'fault';
    const before = announcedEnds.get(isFault) ?? Number.NEGATIVE_INFINITY;
    if (now() < before && end < before + REPEAT_NOTICE_MS) return;
    announcedEnds.set(isFault, end);
    notify(formatWait(wait));
  };
};

/** What is left of the limits, with what other processes use. */
export interface RemainingLimits {
  /** `132 of 150 this minute, …`; or `off`. */
  readonly text: string;
  /** Milliseconds until a read may go; 0: now. */
  readonly waitMs: number;
}

/** What is waited by: time, or the clock of a sandbox that is moved on in place of waiting. */
interface WaitClock {
  readonly clock: Clock;
  /** Where the ledgers lie: those of a sandbox's time apart from those of time itself. */
  readonly limits: string | undefined;
}

export const openWaitClock = (options: RateLimitOptions): (() => Promise<WaitClock>) => {
  const { machine, limitsDirectory: limits, base, embedded, stateFile } = options;
  const { clock } = machine;
  if ((machine.env.TTCTL_SANDBOX_CLOCK ?? '') === '') return async () => ({ clock, limits });
  return lazy(async () => {
    const { createWaitClock } = await import('../sandbox-host/waits.ts');
    const own = embedded === undefined ? undefined : stateFile;
    const moved = await createWaitClock({ machine, base: base(), embedded: own });
    return moved === clock ? { clock, limits } : { clock: moved, limits: limits && `${limits}-sandbox` };
  });
};

/** The budget of each request: of the credential that it carries, shared with all processes of the user. */
export const openRateLimit = (
  { machine, settings, onWait }: RateLimitOptions,
  getWaitClock: () => Promise<WaitClock>,
) => {
  const rate = settings.rateLimit.value;
  if (rate === 'off')
    return { getBudget: (): RateBudget => UNLIMITED, getRemaining: async () => ({ text: 'off', waitMs: 0 }) };
  const debug = settings.debug.value;
  const log = (text: string) => void machine.stderr.write(`limits: ${text}\n`).catch(() => {});
  const onLedgerFailure = (reason: string) => log(`no ledger shared with other processes (${reason})`);
  const budgets = lazy(async () => {
    const { openBudgets } = await import('../rate-limit/budgets.ts');
    const { clock, limits } = await getWaitClock();
    return openBudgets({
      rate,
      directory: limits,
      clock,
      pid: machine.pid,
      timeoutMs: settings.timeoutSeconds.value * 1000,
      maxWaitMs: settings.maxWaitSeconds.value * 1000,
      onWait,
      interrupt: machine.interrupted,
      ...(debug ? { onLedgerFailure } : {}),
    });
  });
  const getBudget = async ({ base, headers }: HttpRequest): Promise<RateBudget> => {
    const budget = await (await budgets()).for({ base, secret: headers.authorization });
    if (!debug) return budget;
    const { withRemainingNotice } = await import('../rate-limit/remaining-notice.ts');
    return withRemainingNotice(budget, rate, log);
  };
  const getRemaining = async (base: string, authorization: string): Promise<RemainingLimits> => {
    const { formatRemaining } = await import('../rate-limit/remaining.ts');
    const remaining = await (await (await budgets()).for({ base, secret: authorization })).getRemaining();
    return { text: formatRemaining(rate, remaining), waitMs: remaining.waitMs };
  };
  return { getBudget, getRemaining };
};
