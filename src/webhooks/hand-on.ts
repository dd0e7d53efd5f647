import { EXIT, Failure } from '../outcome.ts';
import type { Delivery } from './delivery.ts';
import type { Handed } from './desk.ts';
import type { Executed } from './exec.ts';
import { type Forwarded, isTaken } from './forward.ts';

/** What is done with a delivery that is kept: posted on, then given to a command. */

export interface HandOnDoors {
  readonly forward?: ((delivery: Delivery) => Promise<Forwarded>) | undefined;
  readonly exec?: ((delivery: Delivery, repeat: boolean) => Promise<Executed>) | undefined;
  readonly interrupted: AbortSignal;
}

export interface Course {
  readonly forward: Promise<Forwarded | undefined>;
  /** After `forward`; commands run one after the other, in the order in which the deliveries came. */
  readonly exec: Promise<Executed | undefined>;
}

export const createHandOn = ({ forward, exec, interrupted }: HandOnDoors) => {
  let last: Promise<unknown> = Promise.resolve();
  return (delivery: Delivery, repeat: boolean): Course => {
    const forwarded = Promise.resolve(forward?.(delivery));
    const before = last;
    const run = async (): Promise<Executed | undefined> => {
      await Promise.all([before, forwarded]);
      if (exec === undefined) return undefined;
      return interrupted.aborted ? { error: 'interrupted' } : exec(delivery, repeat);
    };
    const executed = run();
    last = executed;
    return { forward: forwarded, exec: executed };
  };
};

/** `200 in 12 ms`, `connection refused`. */
export const forwardWords = (result: Forwarded): string =>
  'status' in result ? `${result.status} in ${result.ms} ms` : result.error;

const execWords = (result: Executed): string => ('exit' in result ? `exit ${result.exit}` : result.error);

const failed = (result: Forwarded): Failure | undefined => {
  if (isTaken(result)) return undefined;
  const refused = 'status' in result && result.status < 500;
  return new Failure(`${result.url} did not accept it: ${forwardWords(result)}`, {
    code: 'not_forwarded',
    exit: refused ? EXIT.refused : EXIT.tryLater,
  });
};

const exited = (result: Executed): Failure | undefined => {
  if ('exit' in result && result.exit === 0) return undefined;
  const [code, exit] = ['command_failed', EXIT.refused] as const;
  return new Failure(`the command did not accept it: ${execWords(result)}`, { code, exit });
};

/** What became of one, in words, and the first failure of it. */
export const handedOf = (forward: Forwarded | undefined, exec: Executed | undefined): Handed => {
  const words = [
    ...(forward === undefined ? [] : [forwardWords(forward)]),
    ...(exec === undefined ? [] : [execWords(exec)]),
  ].join(', ');
  const failure = (forward && failed(forward)) ?? (exec && exited(exec));
  return { words, ...(failure === undefined ? {} : { failure }) };
};
