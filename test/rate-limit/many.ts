import type { Clock } from '../../src/clock.ts';
import type { OnWait, Rate } from '../../src/http/pacing.ts';
import type { Ledger } from '../../src/rate-limit/ledger-file.ts';
import { createSharedBudget, type SharedBudget } from '../../src/rate-limit/shared-budget.ts';

/** Several processes in one: each has its own budget, and they see each other by a tape alone. */

/** A tape in memory that all see. `between` runs before and after each write, in the middle of what its writer does. */
export const createShelf = (between: (owner: number) => void = () => {}) => {
  const lines: string[] = [];
  const ledger = (owner = 0): Ledger => {
    let read = 0;
    return {
      append(line) {
        between(owner);
        lines.push(line.trimEnd());
        between(owner);
        return true;
      },
      read() {
        const fresh = lines.slice(read);
        read = lines.length;
        return fresh;
      },
      close() {},
    };
  };
  return { tape: ledger, lines };
};

export interface ProcessOptions {
  readonly name: string;
  readonly rate: Rate;
  readonly clock: Clock;
  readonly tape: Ledger | undefined;
  readonly dead?: ReadonlySet<string>;
  readonly onWait?: OnWait;
  readonly onLoss?: (error: unknown) => void;
}

export const startProcess = (options: ProcessOptions): SharedBudget => {
  const { name, rate, clock, tape: ledger, dead, onWait, onLoss } = options;
  return createSharedBudget({
    rate,
    clock,
    ledger,
    run: name,
    loadLiveness: async () => ({
      home: 'here',
      isDead: (run, home) => home === 'here' && dead?.has(run) === true,
    }),
    leaseMs: 30_000,
    ...(onWait === undefined ? {} : { onWait }),
    ...(onLoss === undefined ? {} : { onLedgerFailure: onLoss }),
  });
};
