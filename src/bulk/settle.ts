import type { Api, Call } from '../api/client.ts';
import { mayHaveHappened } from '../api/reply.ts';
import { NetworkError } from '../outcome.ts';
import { memberProofs } from './proofs/members.ts';
import type { Proof, Proofs, Verdict } from './proofs/proof.ts';
import { timesheetProofs } from './proofs/timesheets.ts';

/**
 * After a write whose answer was lost: what the service's own records say. Nothing is ever sent again here
 * (contract, section 5; requirement E2).
 */

const PROOFS: Proofs = { ...memberProofs, ...timesheetProofs };

export interface Settlement {
  /** `failed` when the service refused the write or it never left; else what the records say. */
  became(error: unknown): Promise<'failed' | Verdict>;
}

const lateCreate = ({ operation }: Call, error: unknown): boolean =>
  error instanceof NetworkError &&
  error.code === 'timeout' &&
  operation.method === 'POST' &&
  operation.answer === 'record';

const read = async (
  api: Api,
  call: Call,
  proof: Proof,
  before: unknown,
  error: unknown,
): Promise<Verdict> => {
  try {
    const verdict = await proof.after(api, call.values, before);
    // The service may still be at work on it, and a second one would be a duplicate.
    return verdict === 'not-done' && lateCreate(call, error) ? 'unknown' : verdict;
  } catch {
    return 'unknown'; // the look-up met the same fault
  }
};

/** To be made before the write is sent: what must be known from before is read here. */
export const prepareSettlement = async (api: Api, call: Call): Promise<Settlement> => {
  const proof = PROOFS[call.operation.id];
  const before = await proof?.before?.(api, call.values);
  return {
    async became(error) {
      if (!mayHaveHappened(error)) return 'failed';
      return proof === undefined ? 'unknown' : read(api, call, proof, before, error);
    },
  };
};
