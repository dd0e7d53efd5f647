import type { Api } from '../api/client.ts';
import { takeTurn } from '../clock.ts';
import type { Context } from '../context.ts';
import { EXIT, type Failure } from '../errors.ts';
import { toText } from '../json.ts';
import { lazy } from '../lazy.ts';
import { toFailure } from './accepted.ts';
import type { Change, Changes, Observation, OpenResult, RunLog, SendResult } from './change.ts';
import { describeRecord } from './describe-change.ts';
import { formatEntryId } from './job/record.ts';
import { createCheckingLook, createLook, createMissingResult, findMove, type Look } from './look.ts';
import { endsRun } from './outcomes.ts';
import { createAlikeResult, RunReconciler, settleOpen } from './proof.ts';
import { INTERRUPTED, sendOne, withUnsetFields } from './send.ts';

/** Sends the changes of a run: each once, several on their way at once, results in the order given. */

/**
 * How many writes are on their way at once: so many that 20 a second can go out though each takes more than a second
 * to be answered. The budget holds them back, not this.
 */
const MAX_IN_FLIGHT = 32;

export interface SendAllOptions {
  readonly breaker?: CircuitBreaker;
  /** Where it is written down; its name is `run`. */
  readonly log?: RunLog | undefined;
  readonly run?: string | undefined;
  readonly resumeLine?: string | undefined;
  /** The client for what is still to be done after Ctrl-C; absent: an interrupt ends it. */
  readonly afterwards?: Api;
}

type Run = Pick<Changes, 'changes' | 'knownResults' | 'skipMissing' | 'ifMissing' | 'plan' | 'seenAt'>;

/** Nothing is begun after an interrupt, or after the circuit breaker tripped; the rows that are left are given as skipped. */
export async function* sendAll(
  context: Context,
  run: Run,
  options: SendAllOptions = {},
): AsyncGenerator<SendResult> {
  const { changes, knownResults } = run;
  const { names, clock, lists } = context;
  const calls = changes.map(({ call }) => call);
  const api = options.afterwards ?? context.api;
  const reconciler = await RunReconciler.open(api, calls, () => clock.now());
  const look = await createLook({ api, names, clock, lists }, calls);
  const sender = new RunSender(context, run, options, reconciler, look);
  const pool = runOrderedPool(changes, (row, release) => sender.start(row, release), {
    width: MAX_IN_FLIGHT,
    stopped: () => sender.whyStopped !== undefined,
  });
  let count = 0;
  for await (const sent of pool) {
    count += 1;
    yield sent;
  }
  for (const row of changes.slice(count))
    yield knownResults?.get(row.n) ?? unbegun(row, sender.whyStopped ?? INTERRUPTED);
}

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

interface Waiting {
  readonly resolve: (final: SendResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Lets another row begin, though the result of this one is still to come. */
type Release = () => void;

class RunSender {
  readonly #context: Context;
  readonly #run: Run;
  readonly #options: SendAllOptions;
  readonly #breaker: CircuitBreaker;
  readonly #interrupted: AbortSignal;
  readonly #reconciler: RunReconciler;
  readonly #look: Look;
  readonly #check;
  readonly #isWrongWorkspace;
  /** By key, what was begun; its result where a row of its like needs it. */
  readonly #begun = new Map<string, Promise<SendResult> | undefined>();
  /** By what records look alike by: whether the last that was begun is known. */
  readonly #turns = new Map<string, Promise<boolean>>();
  #stage: number | undefined;
  #ofStage: Promise<SendResult>[] = [];
  #earlierStages: Promise<unknown> | undefined;
  /** Rows whose outcome is still open. */
  readonly #open = new Map<OpenResult, Waiting>();
  #active = 0;
  #isSettling = false;

  constructor(context: Context, run: Run, options: SendAllOptions, reconciler: RunReconciler, look: Look) {
    const { changes, knownResults, seenAt } = run;
    this.#context = context;
    this.#run = run;
    this.#options = options;
    this.#breaker = options.breaker ?? new CircuitBreaker();
    this.#interrupted = options.afterwards === undefined ? context.interrupted : new AbortController().signal;
    this.#reconciler = reconciler;
    this.#look = look;
    this.#check = lazy(() => {
      const calls = changes.filter(({ seen }) => seen !== undefined).map(({ call }) => call);
      return createCheckingLook(context, calls, seenAt);
    });
    this.#isWrongWorkspace = lazy(() => lacksWorkspace(context));
    for (const { n, call } of changes) {
      const known = knownResults?.get(n);
      const duplicateKey = known && reconciler.getDuplicateKey(call);
      if (duplicateKey !== undefined && known?.result.status !== 'done')
        this.#turns.set(duplicateKey, Promise.resolve(false));
    }
  }

  /** Why nothing more is begun, for the run has ended; undefined while it goes on. */
  get whyStopped(): string | undefined {
    if (this.#interrupted.aborted) return INTERRUPTED;
    const { tripped } = this.#breaker;
    return tripped && `not sent: ${tripped.message}`;
  }

  /** Rows that are the same write are sent once. */
  async start(row: Change, release: Release): Promise<SendResult> {
    const known = this.#run.knownResults?.get(row.n);
    if (known !== undefined) return known;
    const twin = this.#begun.get(row.key);
    if (twin !== undefined) return this.#writeDown(row, afterTwin(row, await twin));
    if (this.#begun.has(row.key)) return skipped(row, NAMED_TWICE);
    const sending = this.#sendInStage(row, release);
    this.#begun.set(row.key, this.#run.ifMissing === true ? sending : undefined);
    return sending;
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
    const sendUnlessStopped = () => (this.whyStopped === undefined ? send() : unbegun(row, this.whyStopped));
    const sent = this.#earlierStages?.then(sendUnlessStopped) ?? send();
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
      return this.#interrupted.aborted ? unbegun(row, INTERRUPTED) : this.#send(row, true, release);
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
    let opened: Promise<SendResult>;
    this.#active += 1;
    try {
      const sent = await this.#sendOne(row, isDuplicate);
      const { failure, open } = sent;
      const isAnother = this.#breaker.record(sent, await this.#isForAll(failure));
      if (open === undefined) {
        const isMissing = this.#run.skipMissing === true && failure?.exit === EXIT.notFound;
        if (isMissing) return await this.#end(row, createMissingResult(row));
        return await this.#end(row, isAnother ? unbegun(row, `not done: ${failure?.message}`) : sent);
      }
      opened = new Promise((resolve, reject) => void this.#open.set({ ...sent, open }, { resolve, reject }));
    } finally {
      this.#active -= 1;
      void this.#settleWhenIdle();
    }
    release();
    return this.#end(row, await opened);
  }

  /**
   * Open rows are looked at together when nothing else can be sent: so the others go on meanwhile, and the looks take
   * list pages in place of a request for each.
   */
  async #settleWhenIdle(): Promise<void> {
    // A row that has ended may let another begin.
    await takeTurn();
    if (this.#active > 0 || this.#isSettling || this.#open.size === 0) return;
    this.#isSettling = true;
    const { clock, settings, events, output } = this.#context;
    const context = { clock, settings, events, output, interrupted: this.#interrupted };
    const open = [...this.#open.keys()];
    const settle = async (sent: OpenResult, final: SendResult) => this.#take(sent)?.resolve(final);
    try {
      await settleOpen(context, open, settle, { resumeLine: this.#options.resumeLine });
    } catch (error) {
      for (const sent of open) this.#take(sent)?.reject(error);
    }
    this.#isSettling = false;
    void this.#settleWhenIdle();
  }

  #take(sent: OpenResult): Waiting | undefined {
    const waiting = this.#open.get(sent);
    this.#open.delete(sent);
    return waiting;
  }

  #sendOne(row: Change, isDuplicate: boolean): Promise<SendResult> {
    const { api, exitNotices, settings, names, clock } = this.#context;
    const { ifMissing, plan } = this.#run;
    const { log, run } = this.#options;
    const look = () => this.#look(row.call, row.before);
    const verify = async (): Promise<Observation | SendResult | undefined> => {
      const observation = await (await this.#check())(row.call);
      return observation && ((await findMove(this.#context, row, observation)) ?? observation);
    };
    return sendOne({ api: this.#options.afterwards ?? api, clock, exitNotices, settings, names }, row, {
      readBefore: () => this.#reconciler.readBefore(row.call, isDuplicate),
      look,
      verify: row.seen === undefined || settings.dryRun.value ? undefined : verify,
      beforeSend: async (before, observed) => {
        if (log === undefined) return;
        try {
          // What a list has shown already takes no request.
          const observation = observed ?? (row.before === undefined ? undefined : await look());
          await log.beforeSend(row, { before, observation });
        } catch (error) {
          // Where the row cannot be written down before it goes out, the run ends.
          this.#breaker.trip(toFailure(error));
          throw error;
        }
      },
      requestId: run && formatEntryId(run, row.n),
      takesAlike: ifMissing === true || plan !== undefined,
    });
  }

  /** Whether every row would be refused so. */
  async #isForAll(failure: Failure | undefined): Promise<boolean> {
    if (failure === undefined) return false;
    const isRefused = failure.code === 'forbidden' && this.#run.changes.length > 1;
    return endsRun(failure) || (isRefused && (await this.#isWrongWorkspace()));
  }

  async #end(row: Change, ended: SendResult): Promise<SendResult> {
    const sent = await this.#writeDown(row, withUnsetFields(ended, row.unset));
    const { result, observation: { record } = {} } = sent;
    if (row.label !== undefined) return { ...sent, result: { ...result, label: row.label } };
    if (record === undefined || !this.#context.settings.dryRun.value) return sent;
    return { ...sent, result: { ...result, label: await describeRecord(this.#context, row, record) } };
  }

  /** The row has its result all the same; that it could not be written down ends the run. */
  async #writeDown({ n }: Change, sent: SendResult): Promise<SendResult> {
    await this.#options.log
      ?.logResult(n, sent)
      .catch((error: unknown) => this.#breaker.trip(toFailure(error)));
    return sent;
  }
}

function skipped({ target, call }: Change, message: string): SendResult {
  return { result: { target, status: 'skipped', operation: call.operation.id, message } };
}

function unbegun(row: Change, message: string): SendResult {
  return { ...skipped(row, message), unbegun: true };
}

export const NAMED_TWICE = 'named twice; sent once';
const DUPLICATE_UNKNOWN = 'not sent: the outcome of an identical row is unknown';

/** A row whose like is there once the one before it is done. */
function afterTwin(row: Change, { result: { status, data } }: SendResult): SendResult {
  return ['done', 'unchanged', 'planned'].includes(status)
    ? createAlikeResult(row, data)
    : skipped(row, NAMED_TWICE);
}

/** Whether the workspace of this run is none of those that the account is in: every write of it will be refused. */
async function lacksWorkspace(context: Context): Promise<boolean> {
  const { api, lists } = context;
  const workspace = await context.knownWorkspaceId();
  try {
    const ids = (await lists.rows(api.workspaces.list({}))).map(({ id }) => toText(id));
    return workspace !== undefined && ids.length > 0 && !ids.includes(toText(workspace));
  } catch (error) {
    toFailure(error);
    return false;
  }
}

/** What waits for nothing, as in a dry run, would leave signals no turn. */
const PART = 100;

/**
 * Starts the items in order, several under way at once, and gives their results in that order. What is under way is
 * waited for in any case, also when the reader goes or a start fails.
 * @param start `release`: another may begin, though the result is still to come
 * @param options `stopped`: asked before each start; once true, nothing more is begun
 */
export async function* runOrderedPool<T, R>(
  items: readonly T[],
  start: (item: T, release: () => void) => Promise<R>,
  { width, stopped }: { readonly width: number; readonly stopped: () => boolean },
): AsyncGenerator<R> {
  const inOrder: Promise<R>[] = [];
  let [next, underWay, isOver, inTurn] = [0, 0, false, 0];
  const fill = (): void => {
    while (!isOver && underWay < width && inTurn < PART && next < items.length && !stopped()) {
      underWay += 1;
      inTurn += 1;
      if (inTurn === PART) void takeTurn().then(refill);
      let isReleased = false;
      const release = (): void => {
        if (isReleased) return;
        isReleased = true;
        underWay -= 1;
        queueMicrotask(fill);
      };
      const result = start(items[next] as T, release);
      next += 1;
      inOrder.push(result);
      result.then(release, () => {
        isOver = true;
        release();
      });
    }
  };
  const refill = (): void => {
    inTurn = 0;
    fill();
  };
  try {
    fill();
    for (;;) {
      const first = inOrder.shift();
      if (first !== undefined) yield await first;
      else if (isOver || next >= items.length || stopped()) return;
      else await takeTurn();
      fill();
    }
  } finally {
    isOver = true;
    await Promise.allSettled(inOrder);
  }
}
