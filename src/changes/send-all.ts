import type { ApiCall } from '../api/client.ts';
import type { Context } from '../context.ts';
import { EXIT, type Failure } from '../outcome.ts';
import type { ChangeOfRun } from './change.ts';
import { type RunReconciler, reconcilerOfRun } from './reconcile.ts';
import { INTERRUPTED, type SendResult, sendWithExitNotice, toFailure } from './send.ts';

export interface PoolOptions {
  /** How many are under way at once. */
  readonly width: number;
  /** How many results may wait for an earlier one. */
  readonly ahead: number;
  /** Asked before each start; once true, nothing more is begun. */
  readonly stopped: () => boolean;
}

/**
 * Starts the items in order, several under way at once, and gives their results in that order. What is under way is
 * waited for in any case, also when the reader goes or a start fails.
 */
export async function* runOrderedPool<T, R>(
  items: readonly T[],
  start: (item: T) => Promise<R>,
  { width, ahead, stopped }: PoolOptions,
): AsyncGenerator<R> {
  const inOrder: Promise<R>[] = [];
  let [next, underWay, over] = [0, 0, false];
  const fill = (): void => {
    while (!over && underWay < width && inOrder.length < ahead && next < items.length && !stopped()) {
      underWay += 1;
      const result = start(items[next] as T);
      next += 1;
      inOrder.push(result);
      result.then(ended, () => {
        over = true;
        ended();
      });
    }
  };
  const ended = (): void => {
    underWay -= 1;
    fill();
  };
  try {
    fill();
    for (let first = inOrder.shift(); first !== undefined; first = inOrder.shift()) {
      yield await first;
      fill();
    }
  } finally {
    over = true;
    await Promise.allSettled(inOrder);
  }
}

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

/** So many rows in a row to which the service did not answer: it is down (docs/requirements.md, D4). */
const DOWN = 10;

/** The login has ended: nothing of the write has happened, and nothing will before somebody signs in. */
const isSignedOut = ({ failure }: SendResult): boolean => failure?.exit === EXIT.signedOut;

export const createCircuitBreaker = (): CircuitBreaker => {
  let pulled: Failure | undefined;
  let inARow = 0;
  return {
    record(sent) {
      inARow = sent.failure?.exit === EXIT.tryLater ? inARow + 1 : 0;
      if (isSignedOut(sent) || inARow >= DOWN) pulled ??= sent.failure;
    },
    trip(failure) {
      pulled ??= failure;
    },
    get tripped() {
      return pulled;
    },
  };
};

/** Where a run writes down what it does. */
export interface RunLog {
  /** The row is about to go out. Its end means that this is on the disk. */
  beforeSend(n: number, before: unknown): Promise<void>;
  /** What became of the row. */
  ended(n: number, sent: SendResult): Promise<void>;
}

/**
 * How many writes are on their way at once: so many that 20 a second can go out though each takes more than a second
 * to be answered. The budget holds them back, not this.
 */
const OVERLAP = 32;
/** How many results may wait for an earlier one: one that times out holds up no more than a minute's work. */
const AHEAD = 256;

const skipped = ({ target, call }: ChangeOfRun, message: string): SendResult => ({
  result: { target, status: 'skipped', operation: call.operation.id, message },
});

const unbegun = (row: ChangeOfRun, message: string): SendResult => ({
  ...skipped(row, message),
  unbegun: true,
});

/** Nothing of it has happened, and it is no fault of the row: it can go on when somebody has signed in. */
const notSignedIn = (row: ChangeOfRun, { failure }: SendResult): SendResult => ({
  ...skipped(row, `not done: ${failure?.message}`),
  ...(failure === undefined ? {} : { failure }),
});

const TWIN = 'not sent: the outcome of an identical row is unknown';

interface Run {
  readonly brake: CircuitBreaker;
  readonly log?: RunLog | undefined;
  /** Rows by number of which it is known what became of them, or which must wait: they are given, not sent. */
  readonly settled?: ReadonlyMap<number, SendResult>;
}

/** One after another: a call is made when it is asked for, and many take much memory. */
function* callsOf(rows: readonly ChangeOfRun[]): Generator<ApiCall> {
  for (const { call } of rows) yield call;
}

/** One row, sent and written down. */
const createSend = (
  context: Context,
  rows: readonly ChangeOfRun[],
  { before }: RunReconciler,
  { brake: breaker, log }: Run,
) => {
  const departs = async (n: number, known: unknown): Promise<void> => {
    try {
      await log?.beforeSend(n, known);
    } catch (error) {
      breaker.trip(toFailure(error));
      throw error;
    }
  };
  /** @param follows whether an equal row went before it */
  return async (row: ChangeOfRun, follows: boolean): Promise<SendResult> => {
    const { n, call, target } = row;
    const sent = await sendWithExitNotice(
      context,
      { call, target },
      {
        before: () => before(call, follows),
        ...(log === undefined ? {} : { beforeSend: (known: unknown) => departs(n, known) }),
      },
    );
    breaker.record(sent);
    const shown = isSignedOut(sent) && rows.length > 1 ? notSignedIn(row, sent) : sent;
    // The row has its result all the same; that it could not be written down ends the run.
    await log?.ended(n, shown).catch((error: unknown) => breaker.trip(toFailure(error)));
    return shown;
  };
};

/** Equal rows go one after another, and none behind one of which it is not known what became of it. */
const createStart = async (context: Context, rows: readonly ChangeOfRun[], run: Run) => {
  const { settled = new Map<number, SendResult>() } = run;
  const reconciler = await reconcilerOfRun(context.api, callsOf(rows), () => context.clock.now());
  const { twinOf } = reconciler;
  const send = createSend(context, rows, reconciler, run);
  const seen = new Set<string>();
  const lines = new Map<string, Promise<boolean>>();
  for (const { n, call } of rows) {
    const twin = settled.has(n) ? twinOf(call) : undefined;
    if (twin !== undefined && settled.get(n)?.result.status !== 'done')
      lines.set(twin, Promise.resolve(false));
  }
  const inLine = async (row: ChangeOfRun, line: Promise<boolean> | undefined): Promise<SendResult> => {
    if (line === undefined) return send(row, false);
    if (!(await line)) return skipped(row, TWIN);
    return context.interrupted.aborted ? unbegun(row, INTERRUPTED) : send(row, true);
  };
  return (row: ChangeOfRun): Promise<SendResult> => {
    const known = settled.get(row.n);
    if (known !== undefined) return Promise.resolve(known);
    if (seen.has(row.key)) return Promise.resolve(skipped(row, 'named twice; sent once'));
    seen.add(row.key);
    const twin = twinOf(row.call);
    if (twin === undefined) return send(row, false);
    const sent = inLine(row, lines.get(twin));
    const free = ({ result }: SendResult): boolean => result.status !== 'unknown' && result.message !== TWIN;
    lines.set(
      twin,
      sent.then(free, () => false),
    );
    return sent;
  };
};

/** Nothing is begun after an interrupt, or after the brake was pulled; the rows that are left are given as skipped. */
export async function* sendAll(
  context: Context,
  rows: readonly ChangeOfRun[],
  run: Run,
): AsyncGenerator<SendResult> {
  const { brake: breaker, settled } = run;
  const start = await createStart(context, rows, run);
  const stopped = (): boolean => context.interrupted.aborted || breaker.tripped !== undefined;
  let given = 0;
  for await (const sent of runOrderedPool(rows, start, { width: OVERLAP, ahead: AHEAD, stopped })) {
    given += 1;
    yield sent;
  }
  for (const row of rows.slice(given)) {
    const why = context.interrupted.aborted ? INTERRUPTED : `not sent: ${breaker.tripped?.message}`;
    yield settled?.get(row.n) ?? unbegun(row, why);
  }
}
