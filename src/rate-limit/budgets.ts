import type { Clock } from '../clock.ts';
import type { OnWait, Rate, RateBudget } from '../http/pacing.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { type Ledger, openLedgerFile } from './ledger-file.ts';
import type { SharedBudget } from './shared-budget.ts';
import { createFastPath, type RemainingAllowance } from './windows.ts';

/** What a request shows of the credential that it is counted for. */
interface Credential {
  /** Any address of the service. */
  readonly base: string;
  /** The token, or the header that carries it. Absent: none. */
  readonly secret: string | undefined;
}

const mix = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
};

const hash = (text: string, seed: number): number => {
  let value = seed;
  for (let index = 0; index < text.length; index += 1)
    value = mix(Math.imul(value ^ text.charCodeAt(index), 0x01000193));
  return value;
};

/**
 * Name of a credential's ledger: 64 bits of service and token. So few that no token of ordinary length can be got
 * back from them, whatever the hash; loading `node:crypto` for a stronger one would cost each command 1.5 ms.
 */
const createLedgerName = ({ base, secret = '' }: Credential): string => {
  const text = `${new URL(base).origin}\n${secret}`;
  return [0x811c9dc5, 0x9e3779b9].map((seed) => hash(text, seed).toString(16).padStart(8, '0')).join('');
};

/** Name of a run: its process and a random number, for process ids are used again. @param chance from 0 to 1 */
export const createRunName = (pid: number, chance: number): string =>
  `${pid.toString(36)}-${Math.floor(chance * 36 ** 6).toString(36)}`;

export interface BudgetsOptions {
  readonly rate: Rate;
  /** The ledgers' own directory; made when it is missing. Undefined: no state directory. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  /** Of this process. */
  readonly pid: number;
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
  getRemaining(): Promise<RemainingAllowance>;
}

/** The budgets of one run, one for each credential that it uses. */
export interface Budgets {
  for(credential: Credential): Promise<OpenBudget>;
  /** For tests and long runs; at the end of a process the system does it. */
  close(): void;
}

/** Length of a segment: two hold all that counts, with the longest hold (ledger-record.ts), and some more. */
const computeSpanSeconds = ({ perSeconds, writesPerSeconds }: Rate): number =>
  Math.ceil(Math.max(60, perSeconds, writesPerSeconds)) + 4;

const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Undefined, or why the directory cannot be used. */
const prepareDirectory = (directory: string): string | undefined => {
  try {
    makePrivateDirectory(directory);
    return undefined;
  } catch (error) {
    return describeError(error);
  }
};

interface LedgerContext {
  readonly run: string;
  readonly leaseMs: number;
  /** Another view of the same files each time; undefined where there is no directory for them. */
  readonly openLedger: () => Ledger | undefined;
}

/** The full budget of one credential, with what this process has sent before by the fast path. */
const openFullBudget = async (
  { rate, clock, onWait, interrupt, maxWaitMs, onLedgerFailure }: BudgetsOptions,
  { run, leaseMs, openLedger }: LedgerContext,
  sent: number,
): Promise<SharedBudget> => {
  const { createSharedBudget } = await import('./shared-budget.ts');
  return createSharedBudget({
    rate,
    clock,
    run,
    sent,
    loadLiveness: async () => (await import('./process-liveness.ts')).openProcessLiveness(),
    ledger: openLedger(),
    leaseMs,
    maxWaitMs: maxWaitMs,
    onWait,
    interrupt,
    onLedgerFailure: (error) => onLedgerFailure?.(describeError(error)),
  });
};

/** One credential's budget: by the fast path as long as that is open. */
const openBudget = (options: BudgetsOptions, context: LedgerContext): OpenBudget => {
  const { rate, clock, interrupt } = options;
  const fastPath = createFastPath({ ...context, ledger: context.openLedger(), rate, clock });
  let fullBudget: Promise<SharedBudget> | undefined;
  const getFullBudget = (): Promise<SharedBudget> => {
    fullBudget ??= openFullBudget(options, context, fastPath.sent());
    return fullBudget;
  };
  return {
    async admit(kind, bulk = false) {
      const isFast = fullBudget === undefined && !bulk && interrupt?.aborted !== true;
      return (isFast ? fastPath.claim(kind) : undefined) ?? (await getFullBudget()).admit(kind, bulk);
    },
    getRemaining: async () => (await getFullBudget()).getRemaining(),
  };
};

/** Opens the shared ledgers. Without a directory the process keeps to the budget by itself. */
export const openBudgets = (options: BudgetsOptions): Budgets => {
  const { rate, directory, clock, onLedgerFailure } = options;
  const leaseMs = options.timeoutMs + GRACE_MS;
  const run = createRunName(options.pid, clock.random());
  const ledgers: Ledger[] = [];
  const budgets = new Map<string, Promise<OpenBudget>>();
  const openCredentialLedger = (name: string): Ledger | undefined => {
    if (directory === undefined) return undefined;
    const ledger = openLedgerFile({ directory, name, spanSeconds: computeSpanSeconds(rate), clock });
    ledgers.push(ledger);
    return ledger;
  };
  const open = async (name: string): Promise<OpenBudget> => {
    const problem = directory === undefined ? 'there is no state directory' : prepareDirectory(directory);
    if (problem !== undefined) onLedgerFailure?.(problem);
    const openLedger = () => (problem === undefined ? openCredentialLedger(name) : undefined);
    return openBudget(options, { run, leaseMs, openLedger });
  };
  return {
    for(credential) {
      const name = createLedgerName(credential);
      const budget = budgets.get(name) ?? open(name);
      budgets.set(name, budget);
      return budget;
    },
    close() {
      for (const ledger of ledgers) ledger.close();
    },
  };
};

/** A request that was given up may reach the service a little later. */
const GRACE_MS = 5000;
