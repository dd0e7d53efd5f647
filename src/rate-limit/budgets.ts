import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { OnWait, Rate, RateBudget } from '../http/pacing.ts';
import { UsageError } from '../outcome.ts';
import { judgeOwnFile } from '../storage/own-files.ts';
import { openLedgerFile, type Tape } from './ledger-file.ts';
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

/** Name of a run: its process and chance, for process numbers come again. @param chance from 0 to 1 */
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
  readonly patienceMs?: number;
  readonly onWait?: OnWait;
  readonly interrupt?: AbortSignal;
  /** For `--debug`: why the ledger cannot be used. Nothing fails for it. */
  readonly onLoss?: (reason: string) => void;
  /** Told of a folder that others could write in. */
  readonly warn?: (text: string) => void;
}

export interface OpenBudget extends RateBudget {
  /** What is left at this moment, with what other processes use; for `--debug` and `doctor`. */
  left(): Promise<RemainingAllowance>;
}

/** The budgets of one run, one for each credential that it uses. */
export interface Budgets {
  for(credential: Credential): Promise<OpenBudget>;
  /** For tests and long runs; at the end of a process the system does it. */
  close(): void;
}

/** Two strips of a tape hold all that counts, with the longest hold (ledger-window.ts) and a little more. */
const spanOf = ({ perSeconds, writesPerSeconds }: Rate): number =>
  Math.ceil(Math.max(60, perSeconds, writesPerSeconds)) + 4;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isOurs = (path: string): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && judgeOwnFile(stats) === undefined;
};

/** Undefined, or why the directory cannot be used. */
const prepare = async (directory: string, warn: (text: string) => void): Promise<string | undefined> => {
  try {
    if (isOurs(directory) && isOurs(dirname(directory))) return undefined;
    const { makePrivateDirectory } = await import('../storage/write.ts');
    makePrivateDirectory(directory, warn);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) warn(`The rate limit is not shared with other runs: ${error.message}`);
    return reasonOf(error);
  }
};

interface Ledger {
  readonly run: string;
  readonly leaseMs: number;
  /** Another view of the same files each time; undefined where there is no place for them. */
  readonly tape: () => Tape | undefined;
}

/** The whole budget of one credential, with what this process has sent before by the short way. */
const openWhole = async (
  { rate, clock, onWait, interrupt, patienceMs, onLoss }: BudgetsOptions,
  { run, leaseMs, tape: ledger }: Ledger,
  sent: number,
): Promise<SharedBudget> => {
  const { createSharedBudget } = await import('./shared-budget.ts');
  return createSharedBudget({
    rate,
    clock,
    run,
    sent,
    rollCall: async () => (await import('./process-liveness.ts')).openProcessLiveness(),
    tape: ledger(),
    leaseMs,
    patienceMs,
    onWait,
    interrupt,
    onLoss: (error) => onLoss?.(reasonOf(error)),
  });
};

/** One credential's budget: by the short way as long as that is open. */
const openBudget = (options: BudgetsOptions, ledger: Ledger): OpenBudget => {
  const { rate, clock, interrupt } = options;
  const fastPath = createFastPath({ ...ledger, tape: ledger.tape(), rate, clock });
  let whole: Promise<SharedBudget> | undefined;
  const opened = (): Promise<SharedBudget> => {
    whole ??= openWhole(options, ledger, fastPath.sent());
    return whole;
  };
  return {
    async admit(kind, bulk = false) {
      const short = whole === undefined && !bulk && interrupt?.aborted !== true;
      return (short ? fastPath.claim(kind) : undefined) ?? (await opened()).admit(kind, bulk);
    },
    left: async () => (await opened()).left(),
  };
};

/** Opens the shared ledgers. Where there is no place for one, the process keeps to the budget by itself. */
export const openBudgets = (options: BudgetsOptions): Budgets => {
  const { rate, directory, clock, onLoss, warn = () => {} } = options;
  const leaseMs = options.timeoutMs + LATE_MS;
  const run = createRunName(options.pid, clock.random());
  const tapes: Tape[] = [];
  const known = new Map<string, Promise<OpenBudget>>();
  const openTape = (name: string): Tape | undefined => {
    if (directory === undefined) return undefined;
    const ledger = openLedgerFile({ directory, name, spanSeconds: spanOf(rate), clock });
    tapes.push(ledger);
    return ledger;
  };
  const open = async (name: string): Promise<OpenBudget> => {
    const problem = directory === undefined ? 'there is no state directory' : await prepare(directory, warn);
    if (problem !== undefined) onLoss?.(problem);
    const ledger = () => (problem === undefined ? openTape(name) : undefined);
    return openBudget(options, { run, leaseMs, tape: ledger });
  };
  return {
    for(credential) {
      const name = createLedgerName(credential);
      const found = known.get(name) ?? open(name);
      known.set(name, found);
      return found;
    },
    close() {
      for (const ledger of tapes) ledger.close();
    },
  };
};

/** A request that was given up may reach the service a little later. */
const LATE_MS = 5000;
