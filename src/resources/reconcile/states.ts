import { decisionStates } from '../decision.ts';
import { type Outcome, type Reconciler, type SavedView, toOutcome } from './reconciler.ts';

const DECISIONS: ReadonlySet<unknown> = new Set(decisionStates);

/** Whether a decision came to be. Not all states are documented: another word tells nothing. */
export const judgeDecision = (status: unknown, wanted: string): Outcome =>
  DECISIONS.has(status) ? toOutcome(status === wanted) : 'unknown';

/** The state of an answer that names another than is wanted, where it is one that is known. */
export const createContradictionCheck =
  (known: readonly string[], wanted: readonly string[]): NonNullable<Reconciler['contradicts']> =>
  ({ status }) =>
    typeof status === 'string' && known.includes(status) && !wanted.includes(status) ? 'status' : undefined;

/** What is sent as `reason` is shown as `reject_reason`; a `reason` in a record would be another one. */
export const createRejectionView = (read: SavedView['read']): SavedView => ({
  view: (record) => ({ ...record, reason: record.reject_reason }),
  read,
});
