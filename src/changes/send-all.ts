import type { ApiCall } from '../api/client.ts';
import type { Context } from '../context.ts';
import { lazy } from '../lazy.ts';
import { EXIT, type Failure } from '../outcome.ts';
import { lacksWorkspace } from './account.ts';
import type { ChangeOfRun } from './change.ts';
import { formatEntryId } from './job/record.ts';
import { verifyUnmoved } from './moved.ts';
import { OpenRows } from './open-rows.ts';
import { runOrderedPool } from './ordered-pool.ts';
import { endsRun } from './outcomes.ts';
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
import { isOpen, type SendResult } from './send-result.ts';
import { afterTwin, NAMED_TWICE, type Start, sendInStages, sendInTurns, skipped, unbegun } from './turns.ts';
import { withUnsetFields } from './unset-fields.ts';

/** Sends the changes of a run: each once, several on their way at once, results in the order given. */

/** Stops a run in which going on is of no use: nothing more is begun, and the rest is left for later. */
export interface CircuitBreaker {
  /**
   * To be told of each row as it ends.
   * @param isForAll whether it was refused as every row would be
   * @returns whether the run had ended so already
   */
  record(sent: SendResult, isForAll: boolean): boolean;
  /** Stops for another reason: the journal cannot be written. */
  trip(failure: Failure): void;
  /** Why it was stopped. */
  readonly tripped: Failure | undefined;
}

/** So many rows in a row to which the service did not answer: it is down. */
const DOWN_AFTER = 10;

export const createCircuitBreaker = (): CircuitBreaker => {
  let tripped: Failure | undefined;
  let [inARow, isRefused] = [0, false];
  return {
    record({ failure }, isForAll) {
      inARow = failure?.exit === EXIT.tryLater ? inARow + 1 : 0;
      if (isForAll || inARow >= DOWN_AFTER) tripped ??= failure;
      const isAnother = isForAll && isRefused;
      isRefused ||= isForAll;
      return isAnother;
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

interface SendAllOptions {
  /** Whether targets that no record has are passed over. */
  readonly skipMissing?: boolean | undefined;
  /** Whether a row like one before it makes no record of its own. */
  readonly ifMissing?: boolean | undefined;
  /** Whether a record of its like is as good, where the service refuses to make another. */
  readonly takesAlike?: boolean | undefined;
  /** The command line that goes on with the run. */
  readonly resumeLine?: string | undefined;
  /** Lets another row begin, though the result of this one is still to come. */
  readonly release?: (n: number) => void;
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

/** One row, sent and written down; what its answer leaves open is settled when the others have been sent. */
const createSend = (
  context: Context,
  rows: readonly ChangeOfRun[],
  { readBefore: before }: RunReconciler,
  run: SendAllOptions,
) => {
  const { breaker, log, run: runId, skipMissing, takesAlike, seenAt } = run;
  const look = createLookAt(context, rows);
  const check = lazy(async () => {
    const calls = listCalls(rows.filter(({ seen }) => seen !== undefined));
    return (await import('./effect.ts')).createCheckingLook(context, calls, seenAt);
  });
  const dryRun = context.settings.dryRun.value;
  const open = new OpenRows(async (results, settle) => {
    const { settleOpen } = await import('./settle.ts');
    await settleOpen(context, results, settle, { resumeLine: run.resumeLine });
  });
  const isWrongWorkspace = lazy(() => lacksWorkspace(context));
  const end = async (row: ChangeOfRun, sent: SendResult): Promise<SendResult> =>
    withLabel(context, row, await writeDown(row, withUnsetFields(sent, row.unset), run));
  const isForAll = async ({ failure }: SendResult): Promise<boolean> =>
    failure !== undefined &&
    (endsRun(failure) || (failure.code === 'forbidden' && (await isWrongWorkspace())));
  /** What is not open. */
  const conclude = (row: ChangeOfRun, sent: SendResult, isAnother: boolean): Promise<SendResult> => {
    const { failure } = sent;
    if (skipMissing === true && failure?.exit === EXIT.notFound) return end(row, createMissingResult(row));
    return end(row, isAnother ? unbegun(row, `not done: ${failure?.message}`) : sent);
  };
  /** @param isDuplicate whether an equal row was sent before it */
  return async (row: ChangeOfRun, isDuplicate: boolean): Promise<SendResult> => {
    const { n, call, target, resolved = false } = row;
    let opened: Promise<SendResult> | undefined;
    const result = await open.during(async () => {
      const sent = await sendWithExitNotice(
        context,
        { call, target },
        {
          before: () => before(call, isDuplicate || resolved),
          look: (anew) => look(row, anew),
          dryRun,
          takesAlike,
          requestId: runId && formatEntryId(runId, n),
          ...(row.seen === undefined || dryRun
            ? {}
            : { verify: async () => verifyUnmoved(context, row, await check()) }),
          ...(log && { beforeSend: createBeforeSend(row, { log, breaker, look }) }),
        },
      );
      const isAnother = breaker.record(sent, await isForAll(sent));
      if (!isOpen(sent)) return conclude(row, sent, isAnother);
      opened = open.add(sent);
      return sent;
    });
    if (opened === undefined) return result;
    run.release?.(n);
    return end(row, await opened);
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
  const releases = new Map<number, () => void>();
  const start = await createStart(context, rows, { ...run, release: (n) => releases.get(n)?.() });
  const begin = (row: ChangeOfRun, release: () => void): Promise<SendResult> => {
    releases.set(row.n, release);
    return start(row);
  };
  const stopped = (): boolean => context.interrupted.aborted || run.breaker.tripped !== undefined;
  let count = 0;
  for await (const sent of runOrderedPool(rows, begin, { width: MAX_IN_FLIGHT, stopped })) {
    count += 1;
    yield sent;
  }
  for (const row of rows.slice(count))
    yield knownResults?.get(row.n) ?? explainStop(context, run, row) ?? unbegun(row, INTERRUPTED);
}
