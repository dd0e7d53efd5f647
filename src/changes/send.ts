import type { Api } from '../api/client.ts';
import { ARCHIVED } from '../api/fields.ts';
import { nounOf, type Operation } from '../api/operation.ts';
import { runOrderedPool, takeTurn } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import { toText } from '../json.ts';
import type { Result } from '../output/result.ts';
import { isOtherRecord } from '../resources/proof.ts';
import type { Run } from '../run.ts';
import {
  checkAccepted,
  endsRun,
  INTERRUPTED,
  isRefusal,
  resultOf,
  toFailed,
  toFailure,
  toPlanned,
  withUnsetFields,
} from './accepted.ts';
import type {
  Change,
  Changes,
  Observation,
  OpenResult,
  Reconciliation,
  RunLog,
  SendResult,
} from './change.ts';
import { describeRecord } from './describe-change.ts';
import { createCheckingLook, createLook, createMissingResult, findMove, type Look, lookNow } from './look.ts';
import {
  createAlikeResult,
  createReconciliation,
  findLikes,
  formatInspectHint,
  RunReconciler,
  settleOpen,
} from './proof.ts';

/** Sends the changes of a run: each once, several on their way at once, results in the order given. */

/**
 * How many writes are on their way at once: so many that 20 a second can go out though each takes more than a second
 * to be answered. The budget holds them back, not this.
 */
const MAX_IN_FLIGHT = 32;

export interface SendAllOptions {
  readonly breaker?: CircuitBreaker;
  /** Where it is written down. */
  readonly log?: RunLog | undefined;
  /** The client for what is still to be done after Ctrl-C; absent: an interrupt ends it. */
  readonly afterwards?: Api;
}

type RunChanges = Pick<Changes, 'changes' | 'knownResults' | 'skipMissing' | 'ifMissing' | 'plan' | 'seenAt'>;

/** Nothing is begun after an interrupt, or after the circuit breaker tripped; the rows that are left are given as skipped. */
export async function* sendAll(
  context: Run,
  run: RunChanges,
  options: SendAllOptions = {},
): AsyncGenerator<SendResult> {
  const { changes, knownResults } = run;
  const { afterwards: api = context.api } = options;
  const calls = changes.map(({ call }) => call);
  const reconciler = await RunReconciler.open(api, calls, () => context.clock.now());
  const sender = new RunSender(context, run, options, reconciler);
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

/** The later ones rest on the earlier. */
const RESTING: readonly (readonly string[])[] = [
  ['projects'],
  ['members', 'viewers'],
  ['contracts'],
  ['tasks'],
];

/** What others rest on is made first, then joined, and archived last. Other writes rest on nothing. */
function findStage(operation: Operation): number {
  const place = RESTING.findIndex((nouns) => nouns.includes(nounOf(operation)));
  if (place < 0) return place;
  if (operation.moves?.to === ARCHIVED) return 2 * RESTING.length - place;
  return operation.joins ? RESTING.length : place;
}

/** Lets another row begin, though the result of this one is still to come. */
type Release = () => void;

class RunSender {
  readonly #context: Run;
  readonly #run: RunChanges;
  readonly #options: SendAllOptions;
  readonly #api: Api;
  readonly #breaker: CircuitBreaker;
  readonly #interrupted: AbortSignal;
  readonly #reconciler: RunReconciler;
  readonly #look: Promise<Look>;
  readonly #check: ReturnType<typeof createCheckingLook>;
  #lacksWorkspace: Promise<boolean> | undefined;
  /** By key, what was begun; its result where a row of its like needs it. */
  readonly #begun = new Map<string, Promise<SendResult> | undefined>();
  /** By what records look alike by: whether the last that was begun is known. */
  readonly #turns = new Map<string, Promise<boolean>>();
  #stage: number | undefined;
  #ofStage: Promise<SendResult>[] = [];
  #earlierStages: Promise<unknown> | undefined;
  /** Rows whose outcome is still open. */
  readonly #open = new Map<OpenResult, (final: SendResult | Promise<never>) => void>();
  #active = 0;
  #isSettling = false;

  constructor(context: Run, run: RunChanges, options: SendAllOptions, reconciler: RunReconciler) {
    const { changes, knownResults, seenAt } = run;
    this.#context = context;
    this.#run = run;
    this.#options = options;
    this.#api = options.afterwards ?? context.api;
    this.#breaker = options.breaker ?? new CircuitBreaker();
    this.#interrupted = options.afterwards === undefined ? context.interrupted : new AbortController().signal;
    this.#reconciler = reconciler;
    const { names, clock, lists } = context;
    const calls = changes.map(({ call }) => call);
    this.#look = createLook({ api: this.#api, names, clock, lists }, calls);
    const seen = changes.filter((change) => change.seen !== undefined).map(({ call }) => call);
    this.#check = createCheckingLook(context, seen, seenAt);
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
    const stage = findStage(row.call.operation);
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
      const sent = await this.#sendWithNotice(row, isDuplicate);
      const { failure, open } = sent;
      const isAnother = this.#breaker.record(sent, await this.#isForAll(failure));
      if (open === undefined) {
        const isMissing = this.#run.skipMissing === true && failure?.exit === EXIT.notFound;
        if (isMissing) return await this.#end(row, createMissingResult(row));
        return await this.#end(row, isAnother ? unbegun(row, `not done: ${failure?.message}`) : sent);
      }
      opened = new Promise((resolve) => void this.#open.set({ ...sent, open }, resolve));
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
    const settle = async (sent: OpenResult, final: SendResult | Promise<never>): Promise<void> => {
      this.#open.get(sent)?.(final);
      this.#open.delete(sent);
    };
    try {
      await settleOpen(context, open, settle, { resumeLine: this.#options.log?.resumeLine });
    } catch (error) {
      for (const sent of open) await settle(sent, Promise.reject(error));
    }
    this.#isSettling = false;
    void this.#settleWhenIdle();
  }

  /** A second Ctrl-C while the write is on its way says that nobody knows what becomes of it. */
  async #sendWithNotice(row: Change, isDuplicate: boolean): Promise<SendResult> {
    let isOut = false;
    const getNotice = () =>
      isOut
        ? { message: 'stopped during a write; its outcome is unknown', hint: formatInspectHint(row) }
        : undefined;
    const onOut = () => {
      isOut = true;
    };
    const sent = await this.#context.exitNotices.during(
      getNotice,
      () => this.#sendOnce(row, isDuplicate, onOut),
      true,
    );
    const requestId = this.#requestId(row);
    return requestId === undefined ? sent : { ...sent, requestId };
  }

  /** Goes out with the request, so that the service's own log tells which write it was. Undefined: it is not recorded. */
  #requestId({ n }: Change): string | undefined {
    return this.#options.log?.entryId(n);
  }

  /**
   * What its answer leaves open is told as such. Nothing is sent where the record is already as the write would make it,
   * as far as that was looked at.
   */
  async #sendOnce(row: Change, isDuplicate: boolean, onOut: () => void): Promise<SendResult> {
    const { call, target, seen } = row;
    const isDryRun = this.#context.settings.dryRun.value;
    const requestId = this.#requestId(row);
    // An address may have a password in it.
    const base = { target: String(call.redact(target)), operation: call.operation.id };
    const reconciliation = await createReconciliation(this.#api, call);
    let before: unknown;
    try {
      let observation = seen === undefined || isDryRun ? undefined : await (await this.#check)(call);
      const moved = observation && (await findMove(this.#context, row, observation));
      if (moved !== undefined) return moved;
      const { first } = reconciliation.reconciler?.record ?? {};
      const isLookedAt = first === true || (first === 'old-values' && requestId !== undefined);
      if (isDryRun || isLookedAt) observation ??= await this.#lookAt(row);
      if (observation?.unchanged === true) return { result: { ...base, status: 'unchanged' }, observation };
      before = await this.#reconciler.readBefore(call, isDuplicate);
      const { message, data, planned, status } = await call.send({
        ...{ target, requestId },
        beforeSend: async () => {
          await this.#writeDownBefore(row, before, observation);
          onOut();
        },
      });
      if (planned !== undefined) return toPlanned(row, base, planned, observation);
      const accepted: Result = {
        ...base,
        status: 'done',
        ...(message === undefined ? {} : { message }),
        data: isOtherRecord(call, data) ? null : data,
      };
      return { ...checkAccepted(reconciliation, accepted), observation, answered: status };
    } catch (error) {
      const failure = toFailure(error);
      const alike = isRefusal(failure) ? await this.#findAlike(base.target, reconciliation) : undefined;
      return alike ?? toFailed(base, failure, reconciliation, { before, lostAt: this.#context.clock.now() });
    }
  }

  async #lookAt({ call, before }: Change): Promise<Observation | undefined> {
    return (await this.#look)(call, before);
  }

  /** Where the row cannot be written down before it goes out, nothing goes out, and the run ends. */
  async #writeDownBefore(row: Change, before: unknown, seen: Observation | undefined): Promise<void> {
    const { log } = this.#options;
    if (log === undefined) return;
    try {
      // What a list has shown already takes no request.
      const observation = seen ?? (row.before === undefined ? undefined : await this.#lookAt(row));
      await log.beforeSend(row, { before, observation });
    } catch (error) {
      this.#breaker.trip(toFailure(error));
      throw error;
    }
  }

  /** What is so already where the service refused a write: somebody was faster. */
  async #findAlike(target: string, { call, reconciler }: Reconciliation): Promise<SendResult | undefined> {
    const { names, clock, lists } = this.#context;
    const api = this.#api;
    const isChange = reconciler?.record !== undefined;
    if (isChange && (await lookNow({ api, names, clock, lists }, call))?.unchanged === true)
      return { result: resultOf({ target, call }, 'unchanged') };
    if (this.#run.ifMissing !== true && this.#run.plan === undefined) return undefined;
    const find = await findLikes(api, [call]).catch(toFailure);
    const record = find instanceof Failure ? undefined : find(call);
    return record && createAlikeResult({ call, target }, record);
  }

  /** Whether every row would be refused so. */
  async #isForAll(failure: Failure | undefined): Promise<boolean> {
    if (failure === undefined) return false;
    if (failure.code !== 'forbidden' || this.#run.changes.length === 1) return endsRun(failure);
    this.#lacksWorkspace ??= lacksWorkspace(this.#context);
    return endsRun(failure) || this.#lacksWorkspace;
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

function skipped(row: Change, message: string): SendResult {
  return { result: resultOf(row, 'skipped', { message }) };
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
async function lacksWorkspace(context: Run): Promise<boolean> {
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
