import { EXIT, Failure } from '../outcome.ts';
import type { Delivery } from './delivery.ts';
import type { ExecResult } from './exec.ts';
import { type ForwardResult, isAccepted } from './forward.ts';
import type { ForwardingResult } from './service.ts';

/** What is done with a delivery that is kept: posted on, then given to a command. */

export interface ForwarderOptions {
  readonly forward?: ((delivery: Delivery) => Promise<ForwardResult>) | undefined;
  readonly exec?: ((delivery: Delivery, repeat: boolean) => Promise<ExecResult>) | undefined;
  readonly interrupted: AbortSignal;
}

export interface ForwarderSteps {
  readonly forward: Promise<ForwardResult | undefined>;
  /** After `forward`; commands run one after the other, in the order in which the deliveries came. */
  readonly exec: Promise<ExecResult | undefined>;
}

export const createForwarder = ({ forward, exec, interrupted }: ForwarderOptions) => {
  let last: Promise<unknown> = Promise.resolve();
  return (delivery: Delivery, repeat: boolean): ForwarderSteps => {
    const forwarded = Promise.resolve(forward?.(delivery));
    const previous = last;
    const run = async (): Promise<ExecResult | undefined> => {
      await Promise.all([previous, forwarded]);
      if (exec === undefined) return undefined;
      return interrupted.aborted ? { error: 'interrupted' } : exec(delivery, repeat);
    };
    const executed = run();
    last = executed;
    return { forward: forwarded, exec: executed };
  };
};

/** `200 in 12 ms`, `connection refused`. */
const describeForward = (result: ForwardResult): string =>
  'status' in result ? `${result.status} in ${result.ms} ms` : result.error;

const describeExec = (result: ExecResult): string =>
  'exit' in result ? `exit ${result.exit}` : result.error;

const createForwardFailure = (result: ForwardResult): Failure | undefined => {
  if (isAccepted(result)) return undefined;
  const refused = 'status' in result && result.status < 500;
  return new Failure(`${result.url} did not accept it: ${describeForward(result)}`, {
    code: 'not_forwarded',
    exit: refused ? EXIT.refused : EXIT.tryLater,
  });
};

const createExecFailure = (result: ExecResult): Failure | undefined => {
  if ('exit' in result && result.exit === 0) return undefined;
  const [code, exit] = ['command_failed', EXIT.refused] as const;
  return new Failure(`the command did not accept it: ${describeExec(result)}`, { code, exit });
};

/** What became of one, in words, and the first failure of it. */
export const toForwardingResult = (
  forward: ForwardResult | undefined,
  exec: ExecResult | undefined,
): ForwardingResult => {
  const words = [
    ...(forward === undefined ? [] : [describeForward(forward)]),
    ...(exec === undefined ? [] : [describeExec(exec)]),
  ].join(', ');
  const failure = (forward && createForwardFailure(forward)) ?? (exec && createExecFailure(exec));
  return { words, ...(failure === undefined ? {} : { failure }) };
};
