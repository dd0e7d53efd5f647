import { takeTurn } from '../clock.ts';
import type { Context } from '../context.ts';
import { EXIT, type Failure } from '../errors.ts';
import { lazy } from '../lazy.ts';
import { lacksWorkspace } from './account.ts';
import type { Change, RunLog } from './change.ts';
import { createAlikeResult } from './if-missing.ts';
import { formatEntryId } from './job/record.ts';
import { verifyUnmoved } from './moved.ts';
import { runOrderedPool } from './ordered-pool.ts';
import { endsRun } from './outcomes.ts';
import { createRunReconciler, type RunReconciler } from './reconcile.ts';
import {
  createLazyLook,
  createMissingResult,
  INTERRUPTED,
  type SendOneOptions,
  sendWithExitNotice,
  toFailure,
  withLabel,
} from './send.ts';
import { isOpen, type OpenResult, type SendResult, withUnsetFields } from './send-result.ts';

/** Sends the changes of a run: each once, several on their way at once, results in the order given. */

/** So many rows in a row to which the service did not answer: it is down. */
const DOWN_AFTER = 10;

/** Stops a run in which going on is of no use: nothing more is begun, and the rest is left for later. */
export class CircuitBreaker {
  tripped: Failure | undefined;
  #inARow = 0;
  #isRefused = false;

  /**
   * To be told of each row as it ends.
   * @param isForAll whether it was refused as every row would be
   * @returns whether the run had ended so already
   */
  record({ failure }: SendResult, isForAll: boolean): boolean {
    this.#inARow = failure?.exit === EXIT.tryLater ? this.#inARow + 1 : 0;
    if (isForAll || this.#inARow >= DOWN_AFTER) this.tripped ??= failure;
    const isAnother = isForAll && this.#isRefused;
    this.#isRefused ||= isForAll;
    return isAnother;
  }

  /** Stops for another reason: the journal cannot be written. */
  trip(failure: Failure): void {
    this.tripped ??= failure;
  }
}

/**
 * How many writes are on their way at once: so many that 20 a second can go out though each takes more than a second
 * to be answered. The budget holds them back, not this.
 */
const MAX_IN_FLIGHT = 32;

export interface SendAllOptions {
  readonly skipMissing?: boolean | undefined;
  /** Whether a row like one before it makes no record of its own. */
  readonly ifMissing?: boolean | undefined;
  /** Whether a record of its like is as good, where the service refuses to make another. */
  readonly takesAlike?: boolean | undefined;
  readonly resumeLine?: string | undefined;
  readonly breaker: CircuitBreaker;
  readonly log?: RunLog | undefined;
  readonly run?: string | undefined;
  /** When a person agreed to what was shown: the records are looked at again after it. Absent: nobody was asked. */
  readonly seenAt?: number | undefined;
  /** Rows by number of which it is known what became of them, or which must wait: they are given, not sent. */
  readonly knownResults?: ReadonlyMap<number, SendResult> | undefined;
}

/** Nothing is begun after an interrupt, or after the circuit breaker tripped; the rows that are left are given as skipped. */
export async function* sendAll(
  context: Context,
  rows: readonly Change[],
  run: SendAllOptions,
): AsyncGenerator<SendResult> {
  const { api, clock, interrupted } = context;
  const calls = rows.map(({ call }) => call);
  const reconciler = await createRunReconciler(api, calls, () => clock.now());
  const sender = new RunSender(context, rows, run, reconciler);
  const stopped = (): boolean => interrupted.aborted || run.breaker.tripped !== undefined;
  const pool = runOrderedPool(rows, (row, release) => sender.start(row, release), {
    width: MAX_IN_FLIGHT,
    stopped,
  });
  let count = 0;
  for await (const sent of pool) {
    count += 1;
    yield sent;
  }
  for (const row of rows.slice(count))
    yield run.knownResults?.get(row.n) ?? sender.explainStop(row) ?? unbegun(row, INTERRUPTED);
}

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

/** Lets another row begin, though the result of this one is still to come. */
type Release = () => void;

class RunSender {
  readonly #context: Context;
  readonly #run: SendAllOptions;
  readonly #reconciler: RunReconciler;
  readonly #look: ReturnType<typeof createLazyLook>;
  readonly #check;
  readonly #isWrongWorkspace;
  readonly #open: OpenRows;
  /** By key, what was begun; its result where a row of its like needs it. */
  readonly #begun = new Map<string, Promise<SendResult> | undefined>();
  /** By what records look alike by: whether the last that was begun is known. */
  readonly #turns = new Map<string, Promise<boolean>>();
  #stage: number | undefined;
  #ofStage: Promise<SendResult>[] = [];
  #earlierStages: Promise<unknown> | undefined;

  constructor(context: Context, rows: readonly Change[], run: SendAllOptions, reconciler: RunReconciler) {
    this.#context = context;
    this.#run = run;
    this.#reconciler = reconciler;
    this.#look = createLazyLook(
      context,
      rows.map(({ call }) => call),
    );
    this.#check = lazy(async () => {
      const calls = rows.filter(({ seen }) => seen !== undefined).map(({ call }) => call);
      return (await import('./effect.ts')).createCheckingLook(context, calls, run.seenAt);
    });
    this.#isWrongWorkspace = lazy(() => lacksWorkspace(context));
    this.#open = new OpenRows(async (results, settle) => {
      const { settleOpen } = await import('./settle.ts');
      await settleOpen(context, results, settle, { resumeLine: run.resumeLine });
    });
    for (const { n, call } of rows) {
      const known = run.knownResults?.get(n);
      const duplicateKey = known && reconciler.getDuplicateKey(call);
      if (duplicateKey !== undefined && known?.result.status !== 'done')
        this.#turns.set(duplicateKey, Promise.resolve(false));
    }
  }

  /** Rows that are the same write are sent once. */
  start(row: Change, release: Release): Promise<SendResult> {
    const known = this.#run.knownResults?.get(row.n);
    if (known !== undefined) return Promise.resolve(known);
    if (this.#begun.has(row.key)) {
      const twin = this.#begun.get(row.key);
      return (
        twin?.then((one) => this.#writeDown(row, afterTwin(row, one))) ??
        Promise.resolve(skipped(row, NAMED_TWICE))
      );
    }
    const sending = this.#sendInStage(row, release);
    this.#begun.set(row.key, this.#run.ifMissing === true ? sending : undefined);
    return sending;
  }

  /** What becomes of a row that is not begun, for the run has ended; undefined while it goes on. */
  explainStop(row: Change): SendResult | undefined {
    if (this.#context.interrupted.aborted) return unbegun(row, INTERRUPTED);
    const { tripped } = this.#run.breaker;
    return tripped && unbegun(row, `not sent: ${tripped.message}`);
  }

  /** A row of another stage than the one before it waits for all that were begun. */
  #sendInStage(row: Change, release: Release): Promise<SendResult> {
    const stage = STAGES.findIndex((operations) => operations.includes(row.call.operation.id));
    if (this.#stage !== undefined && stage !== this.#stage) {
      this.#earlierStages = Promise.allSettled(this.#ofStage);
      this.#ofStage = [];
    }
    this.#stage = stage;
    const send = () => this.#sendInTurn(row, release);
    const sent = this.#earlierStages?.then(() => this.explainStop(row) ?? send()) ?? send();
    this.#ofStage.push(sent);
    return sent;
  }

  /** Equal rows go one after another, and none behind one of which it is not known what became of it. */
  #sendInTurn(row: Change, release: Release): Promise<SendResult> {
    const duplicateKey = this.#reconciler.getDuplicateKey(row.call);
    if (duplicateKey === undefined) return this.#send(row, false, release);
    const turn = this.#turns.get(duplicateKey);
    const sendInTurn = async (): Promise<SendResult> => {
      if (turn === undefined) return this.#send(row, false, release);
      if (!(await turn)) return skipped(row, DUPLICATE_UNKNOWN);
      return this.#context.interrupted.aborted ? unbegun(row, INTERRUPTED) : this.#send(row, true, release);
    };
    const sent = sendInTurn();
    const isKnown = ({ result }: SendResult): boolean =>
      result.status !== 'unknown' && result.message !== DUPLICATE_UNKNOWN;
    this.#turns.set(
      duplicateKey,
      sent.then(isKnown, () => false),
    );
    return sent;
  }

  /**
   * One row, sent and written down; what its answer leaves open is settled when the others have been sent.
   * @param isDuplicate whether an equal row was sent before it
   */
  async #send(row: Change, isDuplicate: boolean, release: Release): Promise<SendResult> {
    let opened: Promise<SendResult> | undefined;
    const result = await this.#open.during(async () => {
      const sent = await sendWithExitNotice(this.#context, row, this.#toOptions(row, isDuplicate));
      const isAnother = this.#run.breaker.record(sent, await this.#isForAll(sent));
      if (!isOpen(sent)) return this.#conclude(row, sent, isAnother);
      opened = this.#open.add(sent);
      return sent;
    });
    if (opened === undefined) return result;
    release();
    return this.#end(row, await opened);
  }

  #toOptions(row: Change, isDuplicate: boolean): SendOneOptions {
    const context = this.#context;
    const { breaker, log, run, takesAlike } = this.#run;
    const dryRun = context.settings.dryRun.value;
    const look = (anew?: boolean) => this.#look(row, anew);
    /** Where the row cannot be written down before it goes out, the run ends. */
    const beforeSend: SendOneOptions['beforeSend'] = async (before, observed) => {
      try {
        // What a list has shown already takes no request.
        const observation = observed ?? (row.before === undefined ? undefined : await look());
        await log?.beforeSend(row, { before, observation });
      } catch (error) {
        breaker.trip(toFailure(error));
        throw error;
      }
    };
    return {
      before: () => this.#reconciler.readBefore(row.call, isDuplicate),
      look,
      dryRun,
      takesAlike,
      requestId: run && formatEntryId(run, row.n),
      ...(row.seen !== undefined &&
        !dryRun && { verify: async () => verifyUnmoved(context, row, await this.#check()) }),
      ...(log && { beforeSend }),
    };
  }

  async #isForAll({ failure }: SendResult): Promise<boolean> {
    if (failure === undefined) return false;
    return endsRun(failure) || (failure.code === 'forbidden' && (await this.#isWrongWorkspace()));
  }

  #conclude(row: Change, sent: SendResult, isAnother: boolean): Promise<SendResult> {
    const { failure } = sent;
    if (this.#run.skipMissing === true && failure?.exit === EXIT.notFound)
      return this.#end(row, createMissingResult(row));
    return this.#end(row, isAnother ? unbegun(row, `not done: ${failure?.message}`) : sent);
  }

  async #end(row: Change, sent: SendResult): Promise<SendResult> {
    return withLabel(this.#context, row, await this.#writeDown(row, withUnsetFields(sent, row.unset)));
  }

  /** The row has its result all the same; that it could not be written down ends the run. */
  async #writeDown({ n }: Change, sent: SendResult): Promise<SendResult> {
    const { log, breaker } = this.#run;
    await log?.logResult(n, sent).catch((error: unknown) => breaker.trip(toFailure(error)));
    return sent;
  }
}

const skipped = ({ target, call }: Change, message: string): SendResult => ({
  result: { target, status: 'skipped', operation: call.operation.id, message },
});

const unbegun = (row: Change, message: string): SendResult => ({
  ...skipped(row, message),
  unbegun: true,
});

export const NAMED_TWICE = 'named twice; sent once';
const DUPLICATE_UNKNOWN = 'not sent: the outcome of an identical row is unknown';

/** A row whose like is there once the one before it is done. */
const afterTwin = (row: Change, { result: { status, data } }: SendResult): SendResult =>
  ['done', 'unchanged', 'planned'].includes(status)
    ? createAlikeResult(row, data)
    : skipped(row, NAMED_TWICE);

type Settle = (
  open: readonly OpenResult[],
  settle: (sent: OpenResult, final: SendResult) => Promise<void>,
) => Promise<void>;

interface Waiting {
  readonly resolve: (final: SendResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The rows of a run whose outcome is still open. They are looked at together when nothing else can be sent: so the
 * others go on meanwhile, and the looks take list pages in place of a request for each.
 */
export class OpenRows {
  readonly #settle: Settle;
  readonly #waiting = new Map<OpenResult, Waiting>();
  #active = 0;
  #isSettling = false;

  constructor(settle: Settle) {
    this.#settle = settle;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#active += 1;
    try {
      return await work();
    } finally {
      this.#active -= 1;
      void this.#settleWhenIdle();
    }
  }

  add(sent: OpenResult): Promise<SendResult> {
    return new Promise((resolve, reject) => void this.#waiting.set(sent, { resolve, reject }));
  }

  async #settleWhenIdle(): Promise<void> {
    // A row that has ended may let another begin.
    await takeTurn();
    if (this.#active > 0 || this.#isSettling || this.#waiting.size === 0) return;
    this.#isSettling = true;
    const open = [...this.#waiting.keys()];
    try {
      await this.#settle(open, async (sent, final) => this.#take(sent)?.resolve(final));
    } catch (error) {
      for (const sent of open) this.#take(sent)?.reject(error);
    }
    this.#isSettling = false;
    void this.#settleWhenIdle();
  }

  #take(sent: OpenResult): Waiting | undefined {
    const waiting = this.#waiting.get(sent);
    this.#waiting.delete(sent);
    return waiting;
  }
}
