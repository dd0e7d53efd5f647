import { nounOf } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import { findResource } from '../api/records.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure, toFailureJson } from '../errors.ts';
import { getMeaning, type Meaning, showsValue } from '../parsing/names.ts';
import type { Change } from './change.ts';
import { describeEffect } from './describe-change.ts';
import { NOT_FOUND, type Observation, type SendResult } from './send-result.ts';

/** Whether a record is still as somebody saw it who agreed to a change of it. */

type SeenChange = Pick<Change, 'call' | 'target'>;

/** What is known of a field of the record that a write changes. */
export const meaningOf = ({ operation }: Change['call'], name: string): Meaning =>
  getMeaning(findResource(nounOf(operation))?.fields[name], operation.parameters[name]);

/** Fields that are not as they were seen, as they are now. What is hidden from this account cannot be compared. */
export const findMoved = (call: Change['call'], seen: Row, observation: Observation): Row => {
  const now = { ...observation.record, ...observation.before };
  const moved = Object.keys(seen).filter(
    (name) => now[name] !== undefined && !showsValue(seen[name], now[name], meaningOf(call, name)),
  );
  return Object.fromEntries(moved.map((name) => [name, now[name]]));
};

export const describeMove = (
  { output }: Pick<Context, 'output'>,
  { call }: SeenChange,
  seen: Row,
  now: Row,
): Promise<string> => {
  const before = Object.fromEntries(Object.keys(now).map((name) => [name, seen[name]]));
  return describeEffect(output, { operation: call.operation.id, before, after: now });
};

/** The result of a change that is not sent. */
export const createFailedResult = (
  { call, target }: SeenChange,
  failure: Failure,
  status: 'failed' | 'skipped' = 'failed',
): SendResult => {
  const { message } = failure;
  const result = { target, status, operation: call.operation.id, message, error: toFailureJson(failure) };
  return { result, failure };
};

/** Of a record that somebody has changed meanwhile, or that is gone. */
export const createMovedResult = (change: SeenChange, what: string): SendResult => {
  const hint = 'Nothing was sent for this record. Review it before you decide again.';
  const failure = new Failure(`changed since: ${what}`, { code: 'moved', exit: EXIT.partial, hint });
  return { ...createFailedResult(change, failure, 'skipped'), moved: true };
};

export const createUncheckedResult = (change: SeenChange, { problem, cause }: Observation): SendResult => {
  const exit = cause?.exit ?? EXIT.tryLater;
  const message = 'not sent: the record could not be read, so nobody knows whether it changed';
  return createFailedResult(change, new Failure(message, { code: 'unread', exit, reason: problem }));
};

export interface Verdict {
  readonly observation?: Observation;
  readonly instead?: SendResult;
}

/** Looks at a record before its write. Between this and the write somebody else may still change it. */
export const verifyUnmoved = async (
  context: Context,
  { call, target, seen }: Pick<Change, 'call' | 'target' | 'seen'>,
  look: (call: Change['call']) => Promise<Observation | undefined>,
): Promise<Verdict> => {
  const observation = await look(call);
  if (seen === undefined || observation === undefined) return {};
  const change = { call, target };
  if (observation.problem === NOT_FOUND) return { instead: createMovedResult(change, 'it is gone') };
  if (observation.record === undefined) return { instead: createUncheckedResult(change, observation) };
  const now = findMoved(call, seen, observation);
  // One that is as wanted is left alone, whoever made it so.
  if (Object.keys(now).length === 0 || observation.unchanged === true) return { observation };
  return { instead: createMovedResult(change, await describeMove(context, change, seen, now)) };
};
