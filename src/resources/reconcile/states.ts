import { decisionStates } from '../decision.ts';
import { type Reconciler, type Verdict, verdict } from './reconciler.ts';

const DECISIONS: ReadonlySet<unknown> = new Set(decisionStates);

/** Whether a decision came to be. The states are not all named by the document: another word tells nothing. */
export const decided = (status: unknown, wanted: string): Verdict =>
  DECISIONS.has(status) ? verdict(status === wanted) : 'unknown';

/** The state of an answer that names another than is wanted, where it is one that is known. */
export const contradiction =
  (known: readonly string[], wanted: readonly string[]): NonNullable<Reconciler['contradicts']> =>
  ({ status }) =>
    typeof status === 'string' && known.includes(status) && !wanted.includes(status) ? 'status' : undefined;
