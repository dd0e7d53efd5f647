import { EXIT, type Failure } from '../outcome.ts';
import type { Sent } from './send.ts';

/** Stops a run in which going on is of no use: nothing more is begun, and the rest is left for later. */
export interface Brake {
  /** To be told of each row as it ends. */
  see(sent: Sent): void;
  /** Stops for another reason: the journal cannot be written. */
  pull(failure: Failure): void;
  /** Why it was stopped. */
  readonly pulled: Failure | undefined;
}

/** So many rows in a row to which the service did not answer: it is down (docs/requirements.md, D4). */
const DOWN = 10;

/** The login has ended: nothing of the write has happened, and nothing will before somebody signs in. */
export const isSignedOut = ({ failure }: Sent): boolean => failure?.exit === EXIT.signedOut;

export const createBrake = (): Brake => {
  let pulled: Failure | undefined;
  let inARow = 0;
  return {
    see(sent) {
      inARow = sent.failure?.exit === EXIT.tryLater ? inARow + 1 : 0;
      if (isSignedOut(sent) || inARow >= DOWN) pulled ??= sent.failure;
    },
    pull(failure) {
      pulled ??= failure;
    },
    get pulled() {
      return pulled;
    },
  };
};
