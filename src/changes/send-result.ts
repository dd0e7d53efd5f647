import type { ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { EXIT, Failure, toFailureJson } from '../errors.ts';
import { isNumber, isRecord, toText } from '../json.ts';
import type { Result } from '../output/result.ts';
import type { LostWrite } from './look-up.ts';
import type { Reconciliation } from './reconcile.ts';

/** What became of one write. */

/** Why a record could not be read that the service does not have. */
export const NOT_FOUND = 'not found';

export interface Observation {
  /** The record, or whom it is about; undefined where it could not be read. */
  readonly record?: Row;
  /** The fields that the write changes, by their names in the record. */
  readonly before?: Row;
  readonly after?: Row | null;
  readonly old?: Values;
  readonly unchanged?: boolean;
  readonly problem?: string;
  readonly cause?: Failure;
}

/** What the answer left open: what became of the write, or whether its rate was saved. */
export type Open =
  | (LostWrite & { readonly failure: Failure })
  | { readonly rate: true; readonly reconciliation: Reconciliation };

export interface SendResult {
  readonly result: Result;
  readonly observation?: Observation | undefined;
  readonly failure?: Failure;
  /** The id of the record that it made, where the result does not have it. */
  readonly created?: string | undefined;
  /** No record has its target, and that is passed over. */
  readonly missing?: true;
  /** The record is not as it was seen, so nothing was sent. */
  readonly moved?: true;
  /** Of an undo that is planned: fields that it cannot set back. */
  readonly unset?: readonly string[];
  /** Not begun, because the whole run ended: people are told so once, by the end of the run. */
  readonly unbegun?: true;
  /** Why the answer to what is done did not come. */
  readonly lostAnswer?: Failure;
  /** What is to be looked at before this is its result. */
  readonly open?: Open;
  /** The records show that it was not done, and what could still do it has had its time. */
  readonly isNotDone?: true;
  /** When the answer of one that is unknown was lost: milliseconds since the epoch. */
  readonly lostAt?: number;
  /** The `X-Request-Id` of a write that is recorded. */
  readonly requestId?: string | undefined;
}

export type OpenResult<O extends Open = Open> = SendResult & { readonly open: O };
export type OpenRate = OpenResult<Extract<Open, { readonly rate: true }>>;

export function isOpen(sent: SendResult): sent is OpenResult {
  return sent.open !== undefined;
}

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

/** The id of the record that a write made, by its answer; undefined where it changed one, or nobody knows. */
export function findCreatedId(call: ApiCall | undefined, data: unknown): string | undefined {
  if (call?.operation.method !== 'POST' || call.operation.path.includes('{') || !isRecord(data))
    return undefined;
  const ids = [data[call.operation.createdId ?? 'id'], data['id']];
  const id = ids.find((one) => isNumber(one) || (typeof one === 'string' && one !== ''));
  return id === undefined ? undefined : toText(id);
}
