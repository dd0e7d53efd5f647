import type { Context } from '../context.ts';
import type { ChangeOfRun } from './change.ts';
import { createAlikeResult } from './if-missing.ts';
import type { RunReconciler } from './reconcile.ts';
import { INTERRUPTED } from './send.ts';
import type { SendResult } from './send-result.ts';

/** The turns of the rows of a run: which is sent after which, and which is not sent at all. */

export const skipped = ({ target, call }: ChangeOfRun, message: string): SendResult => ({
  result: { target, status: 'skipped', operation: call.operation.id, message },
});

export const unbegun = (row: ChangeOfRun, message: string): SendResult => ({
  ...skipped(row, message),
  unbegun: true,
});

export const NAMED_TWICE = 'named twice; sent once';

/** A row whose like is there once the one before it is done. */
export const afterTwin = (row: ChangeOfRun, { result: { status, data } }: SendResult): SendResult =>
  ['done', 'unchanged', 'planned'].includes(status)
    ? createAlikeResult(row, data)
    : skipped(row, NAMED_TWICE);

const DUPLICATE_UNKNOWN = 'not sent: the outcome of an identical row is unknown';

export type Start = (row: ChangeOfRun) => Promise<SendResult>;

/** Equal rows go one after another, and none behind one of which it is not known what became of it. */
export const sendInTurns = (
  context: Context,
  rows: readonly ChangeOfRun[],
  { getDuplicateKey }: RunReconciler,
  send: (row: ChangeOfRun, isDuplicate: boolean) => Promise<SendResult>,
  knownResults: ReadonlyMap<number, SendResult>,
): Start => {
  const turns = new Map<string, Promise<boolean>>();
  for (const { n, call } of rows) {
    const duplicateKey = knownResults.has(n) ? getDuplicateKey(call) : undefined;
    if (duplicateKey !== undefined && knownResults.get(n)?.result.status !== 'done')
      turns.set(duplicateKey, Promise.resolve(false));
  }
  const sendInTurn = async (row: ChangeOfRun, turn: Promise<boolean> | undefined): Promise<SendResult> => {
    if (turn === undefined) return send(row, false);
    if (!(await turn)) return skipped(row, DUPLICATE_UNKNOWN);
    return context.interrupted.aborted ? unbegun(row, INTERRUPTED) : send(row, true);
  };
  return (row) => {
    const duplicateKey = getDuplicateKey(row.call);
    if (duplicateKey === undefined) return send(row, false);
    const sent = sendInTurn(row, turns.get(duplicateKey));
    const isKnown = ({ result }: SendResult): boolean =>
      result.status !== 'unknown' && result.message !== DUPLICATE_UNKNOWN;
    turns.set(
      duplicateKey,
      sent.then(isKnown, () => false),
    );
    return sent;
  };
};

/** What others rest on is made first, and archived last. Other writes rest on nothing. */
const STAGES: readonly (readonly string[])[] = [
  ['projects.create', 'projects.update'],
  ['members.invite', 'members.update', 'members.restore', 'viewers.invite', 'viewers.restore'],
  ['contracts.create', 'contracts.update'],
  ['tasks.create', 'tasks.update'],
  ['tasks.assign', 'tasks.unassign', 'viewers.assign', 'viewers.unassign'],
  ['tasks.archive'],
  ['contracts.archive'],
  ['members.archive', 'viewers.archive'],
  ['projects.archive'],
];

/** A row of another stage than the one before it waits for all that were begun. */
export const sendInStages = (
  start: Start,
  explainStop: (row: ChangeOfRun) => SendResult | undefined,
): Start => {
  let stage: number | undefined;
  let [earlier, begun]: [Promise<unknown> | undefined, Promise<SendResult>[]] = [undefined, []];
  return (row) => {
    const own = STAGES.findIndex((operations) => operations.includes(row.call.operation.id));
    if (stage !== undefined && own !== stage) {
      earlier = Promise.allSettled(begun);
      begun = [];
    }
    stage = own;
    const sent = earlier === undefined ? start(row) : earlier.then(() => explainStop(row) ?? start(row));
    begun.push(sent);
    return sent;
  };
};
