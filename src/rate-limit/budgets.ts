import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import {
  type Admission,
  HeldBackError,
  type OnWait,
  pause,
  type Rate,
  type RateBudget,
  type RateLimitRefusal,
  type RequestKind,
  toCancelled,
} from '../http/pacing.ts';
import { getSelf } from '../storage/holder.ts';
import {
  computeWaitMs,
  countRemaining,
  createRateWindows,
  type Ledger,
  LONGEST_HOLD_MS,
  openSharedLedger,
  type RemainingAllowance,
  settleLedger,
} from './ledger.ts';

/** What a request shows of the credential that it is counted for. */
interface Credential {
  /** Any address of the service. */
  readonly base: string;
  /** The token, or the header that carries it. Absent: none. */
  readonly secret: string | undefined;
}

export interface BudgetsOptions {
  readonly rate: Rate;
  /** The ledgers' own directory; made when it is missing. Undefined: no state directory. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  /** The longest that one request may take. */
  readonly timeoutMs: number;
  /** How long one request may be held back for what the service refused; 0: not at all (`--max-wait`). */
  readonly maxWaitMs?: number;
  readonly onWait?: OnWait;
  readonly interrupt?: AbortSignal;
  /** For `--debug`: why the ledger cannot be used. Nothing fails for it. */
  readonly onLedgerFailure?: (reason: string) => void;
}

export interface OpenBudget extends RateBudget {
  /** What is left at this moment, with what other processes use; for `--debug` and `doctor`. */
  getRemaining(): RemainingAllowance;
}

/** The budgets of one run, one for each credential that it uses. Without a directory the process keeps to them by itself. */
export const openBudgets = (options: BudgetsOptions): ((credential: Credential) => OpenBudget) => {
  const budgets = new Map<string, OpenBudget>();
  return (credential) => {
    const name = createLedgerName(credential);
    const budget = budgets.get(name) ?? openBudget(name, options);
    budgets.set(name, budget);
    return budget;
  };
};

/** A request that was given up may reach the service a little later. */
const GRACE_MS = 5000;
/** How soon to look again while requests of others are under way: their end is not known. */
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 250;
/** Nobody wants to read of shorter waits: at full load each request waits for some milliseconds. */
const MIN_REPORTED_MS = 1000;

/**
 * The allowance of one credential over all processes of a user: a request goes out when the ledger has a place for it,
 * and is written into it at the same moment.
 */
function openBudget(name: string, options: BudgetsOptions): OpenBudget {
  const { rate, clock, directory, interrupt, onLedgerFailure = () => {} } = options;
  const windows = createRateWindows(rate);
  const longestMs = Math.max(windows[0].lengthMs, windows[1].lengthMs);
  const run = `${getSelf().pid.toString(36)}-${Math.floor(clock.random() * 36 ** 6).toString(36)}`;
  const leaseMs = options.timeoutMs + GRACE_MS;
  const ledger = openSharedLedger({ directory, name, clock, onFailure: onLedgerFailure });
  const settle = (content: Ledger, now: number) => settleLedger(content, now, { own: run, longestMs });
  /** A run that sends more than the reserve holds is no single command: a list of many pages. */
  const maxSingle = Math.max(1, windows[0].reserve);
  let count = 0;
  let turn: Promise<unknown> = Promise.resolve();

  /** Takes a place, where there is one. */
  const tryEnter = (kind: RequestKind, number: number, bulk: boolean) =>
    ledger.update((content) => {
      const now = clock.now();
      settle(content, now);
      const isBulk = (bulk || number > maxSingle) && ledger.isShared();
      const waitMs = computeWaitMs(content, windows, { kind, bulk: isBulk }, now);
      if (waitMs === 0) {
        content.requests.push({ run, number, kind, until: now + leaseMs });
        content.runs[run] = getSelf();
      }
      return { waitMs, heldMs: Math.max(0, content.heldUntil - now) };
    }, interrupt);

  const leave = (kind: RequestKind, number: number, refusal: RateLimitRefusal | undefined) => {
    const end = clock.now();
    return ledger.update((content) => {
      const request = content.requests.find((one) => one.run === run && one.number === number);
      if (request === undefined) content.requests.push({ run, number, kind, until: end, end });
      else request.end = end;
      const holdMs = Math.min(refusal?.retryAfterMs ?? 0, LONGEST_HOLD_MS);
      if (holdMs > 0) content.heldUntil = Math.max(content.heldUntil, end + holdMs);
    });
  };

  const enter = async (kind: RequestKind, number: number, bulk: boolean): Promise<Admission> => {
    const checkMaxWait = createMaxWaitCheck(options);
    const begun = clock.now();
    let isTold = false;
    let pollMs = FIRST_POLL_MS;
    for (let attempt = 1; ; attempt += 1) {
      if (interrupt?.aborted) throw toCancelled(interrupt);
      const { waitMs, heldMs } = await tryEnter(kind, number, bulk);
      if (waitMs === 0) return { done: (refusal) => leave(kind, number, refusal) };
      checkMaxWait(heldMs);
      const ms = Number.isFinite(waitMs) ? waitMs : pollMs * (0.5 + clock.random());
      pollMs = Math.min(pollMs * 1.5, LONGEST_POLL_MS);
      // Others may be faster each time: many short waits are a long one.
      if (ms >= MIN_REPORTED_MS || (!isTold && clock.now() - begun >= MIN_REPORTED_MS)) {
        isTold = true;
        options.onWait?.({ ms: Math.max(ms, MIN_REPORTED_MS), why: 'budget', attempt });
      }
      await pause(clock, ms, interrupt);
    }
  };

  return {
    /** First come, first served: one request of a process looks for its place at a time. */
    admit(kind, bulk = false) {
      count += 1;
      const number = count;
      const admission = turn.then(() => enter(kind, number, bulk));
      turn = admission.catch(() => {});
      return admission;
    },
    getRemaining() {
      const content = ledger.read();
      const now = clock.now();
      settle(content, now);
      return {
        requests: countRemaining(content, windows[0], now),
        writes: countRemaining(content, windows[1], now),
        waitMs: computeWaitMs(content, windows, { kind: 'read', bulk: false }, now),
      };
    },
  };
}

/**
 * A hold comes from a refusal, so it is bounded as refusals are; keeping to the allowance is not (`--max-wait`).
 * @returns throws HeldBackError where the waits of one request on holds, with the one that is left, come to more
 */
function createMaxWaitCheck({ clock, maxWaitMs = Number.POSITIVE_INFINITY }: BudgetsOptions) {
  let heldSince: number | undefined;
  return (heldMs: number): void => {
    if (heldMs <= 0) return;
    heldSince ??= clock.now();
    if (clock.now() - heldSince + heldMs > maxWaitMs) throw new HeldBackError(heldMs);
  };
}

/** Name of a credential's ledger: 64 bits of service and token, so few that no token can be got back from them. */
const createLedgerName = ({ base, secret = '' }: Credential): string =>
  createHash('sha256')
    .update(`${new URL(base).origin}\n${secret}`)
    .digest('hex')
    .slice(0, 16);
