import type { ApiCall } from '../api/client.ts';
import type { Context } from '../context.ts';
import { lazy } from '../lazy.ts';
import { EXIT, type Failure } from '../outcome.ts';
import type { ChangeOfRun } from './change.ts';
import { formatEntryId } from './job/record.ts';
import { verifyUnmoved } from './moved.ts';
import { runOrderedPool } from './ordered-pool.ts';
import { createRunReconciler, type RunReconciler } from './reconcile.ts';
import { createReferences, hasReference, type MadeIds, type References } from './references.ts';
import { type RunLog, writeDown } from './run-log.ts';
import {
  createLazyLook,
  createMissingResult,
  INTERRUPTED,
  type SendOneOptions,
  sendWithExitNotice,
  toFailure,
  withLabel,
} from './send.ts';
import type { SendResult } from './send-result.ts';
import { afterTwin, NAMED_TWICE, type Start, sendInStages, sendInTurns, skipped, unbegun } from './turns.ts';
import { withUnsetFields } from './unset-fields.ts';

/** Sends the changes of a run: each once, several on their way at once, results in the order given. */

/** Stops a run in which going on is of no use: nothing more is begun, and the rest is left for later. */
export interface CircuitBreaker {
  /** To be told of each row as it ends. */
  record(sent: SendResult): void;
  /** Stops for another reason: the journal cannot be written. */
  trip(failure: Failure): void;
  /** Why it was stopped. */
  readonly tripped: Failure | undefined;
}

/** So many rows in a row to which the service did not answer: it is down. */
const DOWN_AFTER = 10;

/** The login has ended: nothing of the write has happened, and nothing will before somebody signs in. */
const isSignedOut = ({ failure }: SendResult): boolean => failure?.exit === EXIT.signedOut;

export const createCircuitBreaker = (): CircuitBreaker => {
  let tripped: Failure | undefined;
  let inARow = 0;
  return {
    record(sent) {
      inARow = sent.failure?.exit === EXIT.tryLater ? inARow + 1 : 0;
      if (isSignedOut(sent) || inARow >= DOWN_AFTER) tripped ??= sent.failure;
    },
    trip(failure) {
      tripped ??= failure;
    },
    get tripped() {
      return tripped;
    },
  };
};

/**
 * How many writes are on their way at once: so many that 20 a second can go out though each takes more than a second
 * to be answered. The budget holds them back, not this.
 */
const MAX_IN_FLIGHT = 32;
/** How many results may wait for an earlier one: one that times out holds up no more than a minute's work. */
const MAX_AHEAD = 256;

/** Nothing of it has happened, and it is no fault of the row: it can go on when somebody has signed in. */
const notSignedIn = (row: ChangeOfRun, { failure }: SendResult): SendResult => ({
  ...skipped(row, `not done: ${failure?.message}`),
  ...(failure === undefined ? {} : { failure }),
});

interface SendAllOptions {
  /** Whether targets that no record has are passed over. */
  readonly skipMissing?: boolean | undefined;
  /** Whether a row like one before it makes no record of its own. */
  readonly ifMissing?: boolean | undefined;
  readonly breaker: CircuitBreaker;
  readonly log?: RunLog | undefined;
  /** Ids of what earlier runs of the same job have made. */
  readonly made?: MadeIds | undefined;
  /** The run's id in the history. */
  readonly run?: string | undefined;
  /** When a person agreed to what was shown: the records are looked at again after it. Absent: nobody was asked. */
  readonly seenAt?: number | undefined;
  /** Rows by number of which it is known what became of them, or which must wait: they are given, not sent. */
  readonly knownResults?: ReadonlyMap<number, SendResult> | undefined;
}

/** One after another: a call is made when it is asked for, and many take much memory. */
function* listCalls(
  rows: readonly ChangeOfRun[],
  needs: References['needs'] = hasReference,
): Generator<ApiCall> {
  for (const { call } of rows) if (!needs(call)) yield call;
}

type Look = ReturnType<typeof createLazyLook>;

interface RowLog extends Pick<SendAllOptions, 'breaker'> {
  readonly log: RunLog;
  readonly look: Look;
}

/** Writes a row down before it goes out; where that cannot be, the run ends. */
const createBeforeSend =
  (row: ChangeOfRun, { log, breaker, look }: RowLog): NonNullable<SendOneOptions['beforeSend']> =>
  async (before, observed) => {
    try {
      // What a list has shown already takes no request.
      const observation = observed ?? (row.before === undefined ? undefined : await look(row));
      await log.beforeSend(row, { before, observation });
    } catch (error) {
      breaker.trip(toFailure(error));
      throw error;
    }
  };

/** Of a record that is made in the same run nothing can be looked at before. */
const createLookAt = (context: Context, rows: readonly ChangeOfRun[]): Look => {
  const look = createLazyLook(context, listCalls(rows));
  return async (row, anew = (row as ChangeOfRun).resolved) => {
    if (!hasReference(row.call)) return look(row, anew);
    return (await import('./effect.ts')).predictEffect(row.call);
  };
};

/** One row, sent and written down. */
const createSend = (
  context: Context,
  rows: readonly ChangeOfRun[],
  { readBefore: before }: RunReconciler,
  { breaker, log, run, skipMissing, seenAt }: SendAllOptions,
) => {
  const look = createLookAt(context, rows);
  const check = lazy(async () => {
    const calls = listCalls(rows.filter(({ seen }) => seen !== undefined));
    return (await import('./effect.ts')).createCheckingLook(context, calls, seenAt);
  });
  const dryRun = context.settings.dryRun.value;
  /** @param isDuplicate whether an equal row was sent before it */
  return async (row: ChangeOfRun, isDuplicate: boolean): Promise<SendResult> => {
    const { n, call, target, resolved = false } = row;
    let sent = await sendWithExitNotice(
      context,
      { call, target },
      {
        before: () => before(call, isDuplicate || resolved),
        look: (anew) => look(row, anew),
        dryRun,
        requestId: run && formatEntryId(run, n),
        ...(row.seen === undefined || dryRun
          ? {}
          : { verify: async () => verifyUnmoved(context, row, await check()) }),
        ...(log && { beforeSend: createBeforeSend(row, { log, breaker, look }) }),
      },
    );
    breaker.record(sent);
    sent = withUnsetFields(sent, row.unset);
    if (skipMissing === true && sent.failure?.exit === EXIT.notFound) sent = createMissingResult(row);
    const result = isSignedOut(sent) && rows.length > 1 ? notSignedIn(row, sent) : sent;
    return withLabel(context, row, await writeDown(row, result, { log, breaker }));
  };
};

/** The same of rows that need what others make. */
const createResolvingSend = (
  context: Context,
  rows: readonly ChangeOfRun[],
  reconciler: RunReconciler,
  run: SendAllOptions,
  references: References,
) => {
  const send = createSend(context, rows, reconciler, run);
  return async (given: ChangeOfRun, isDuplicate: boolean): Promise<SendResult> => {
    const row = context.settings.dryRun.value ? given : await references.resolve(given);
    return 'result' in row ? writeDown(given, row, run) : send(row, isDuplicate);
  };
};

/** Rows that are the same write are sent once. */
const createStart = async (
  context: Context,
  rows: readonly ChangeOfRun[],
  run: SendAllOptions,
): Promise<Start> => {
  const { knownResults = new Map<number, SendResult>(), ifMissing = false } = run;
  const references = createReferences(context.api, run.made);
  const calls = listCalls(rows, references.needs);
  const reconciler = await createRunReconciler(context.api, calls, () => context.clock.now());
  const send = createResolvingSend(context, rows, reconciler, run, references);
  const inTurns = sendInTurns(context, rows, reconciler, send, knownResults);
  const start = sendInStages(inTurns, (row) => explainStop(context, run, row));
  const sent = new Map<string, Promise<SendResult> | undefined>();
  return (row) => {
    const known = knownResults.get(row.n);
    if (known !== undefined) {
      references.add(row, Promise.resolve(known));
      return Promise.resolve(known);
    }
    if (sent.has(row.key)) {
      const twin = sent.get(row.key);
      return (
        twin?.then((one) => writeDown(row, afterTwin(row, one), run)) ??
        Promise.resolve(skipped(row, NAMED_TWICE))
      );
    }
    const sending = start(row);
    references.add(row, sending);
    sent.set(row.key, ifMissing ? sending : undefined);
    return sending;
  };
};

/** What becomes of a row that is not begun, for the run has ended; undefined while it goes on. */
const explainStop = (
  { interrupted }: Context,
  { breaker }: SendAllOptions,
  row: ChangeOfRun,
): SendResult | undefined => {
  if (interrupted.aborted) return unbegun(row, INTERRUPTED);
  return breaker.tripped && unbegun(row, `not sent: ${breaker.tripped.message}`);
};

/** Nothing is begun after an interrupt, or after the circuit breaker tripped; the rows that are left are given as skipped. */
export async function* sendAll(
  context: Context,
  rows: readonly ChangeOfRun[],
  run: SendAllOptions,
): AsyncGenerator<SendResult> {
  const { knownResults } = run;
  const start = await createStart(context, rows, run);
  const stopped = (): boolean => context.interrupted.aborted || run.breaker.tripped !== undefined;
  let count = 0;
  for await (const sent of runOrderedPool(rows, start, { width: MAX_IN_FLIGHT, ahead: MAX_AHEAD, stopped })) {
    count += 1;
    yield sent;
  }
  for (const row of rows.slice(count))
    yield knownResults?.get(row.n) ?? explainStop(context, run, row) ?? unbegun(row, INTERRUPTED);
}
