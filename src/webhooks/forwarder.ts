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

/** What became of it; undefined: there is none such. */
export interface ForwarderResult {
  readonly forward: ForwardResult | undefined;
  readonly exec: ExecResult | undefined;
}

/** @returns never rejects. @param repeat whether it may have been forwarded before */
export const createForwarder =
  ({ forward, exec, interrupted }: ForwarderOptions) =>
  async (delivery: Delivery, repeat: boolean): Promise<ForwarderResult> => {
    const forwarded = await forward?.(delivery);
    if (exec === undefined) return { forward: forwarded, exec };
    const executed = interrupted.aborted ? { error: 'interrupted' } : await exec(delivery, repeat);
    return { forward: forwarded, exec: executed };
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
export const toForwardingResult = ({ forward, exec }: ForwarderResult): ForwardingResult => {
  const words = [
    ...(forward === undefined ? [] : [describeForward(forward)]),
    ...(exec === undefined ? [] : [describeExec(exec)]),
  ].join(', ');
  const failure = (forward && createForwardFailure(forward)) ?? (exec && createExecFailure(exec));
  return { words, ...(failure === undefined ? {} : { failure }) };
};
