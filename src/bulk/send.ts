import type { Api, Call } from '../api/client.ts';
import type { TargetResult } from '../context.ts';
import { Failure, failureJson } from '../outcome.ts';
import { prepareSettlement, type Settlement } from './settle.ts';

/** A result, and the failure behind it where there is one. */
export interface Sent {
  readonly result: TargetResult;
  readonly failure?: Failure;
}

const asFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  throw error;
};

/**
 * Sends one write once, and tells what became of it. After a lost answer the service's records are read.
 * @param target what the person named: an id, an e-mail address
 */
export const sendOne = async (api: Api, call: Call, target: string): Promise<Sent> => {
  const about = { target, operation: call.operation.id };
  let settlement: Settlement | undefined;
  try {
    settlement = await prepareSettlement(api, call);
    const { message, data, planned } = await call.send();
    if (planned !== undefined) return { result: { ...about, status: 'planned', request: planned } };
    return { result: { ...about, status: 'done', ...(message === undefined ? {} : { message }), data } };
  } catch (error) {
    const failure = asFailure(error);
    const became = (await settlement?.became(error)) ?? 'failed';
    if (became === 'done') {
      const message = `The answer was lost (${failure.message}), but the service's records show it done.`;
      return { result: { ...about, status: 'done', message } };
    }
    const status = became === 'unknown' ? 'unknown' : 'failed';
    return { result: { ...about, status, message: failure.message, error: failureJson(failure) }, failure };
  }
};
