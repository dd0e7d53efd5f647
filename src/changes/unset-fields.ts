import { EXIT, Failure, toFailureJson } from '../outcome.ts';
import type { SendResult } from './send-result.ts';

/** Old values that an undo cannot send, for the API cannot make a field empty. */

export const formatUnset = (unset: readonly string[]): string => `the API cannot clear ${unset.join(', ')}`;

/** The result of such an undo, which is no better than the truth: it is not called done. */
export const withUnsetFields = (sent: SendResult, unset: readonly string[] = []): SendResult => {
  const { result } = sent;
  if (unset.length === 0 || !['done', 'planned'].includes(result.status)) return sent;
  if (result.status === 'planned')
    return { ...sent, unset, result: { ...result, message: formatUnset(unset) } };
  const failure = new Failure(`only partly undone: ${formatUnset(unset)}`, {
    code: 'not_undone',
    exit: EXIT.partial,
    hint: 'The other fields were restored.',
  });
  const { message } = failure;
  return {
    ...sent,
    failure,
    result: { ...result, status: 'failed', message, error: toFailureJson(failure) },
  };
};
