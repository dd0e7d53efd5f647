import type { Api, ApiCall } from '../api/client.ts';
import { ARCHIVED } from '../api/fields.ts';
import { runOrderedPool, takeTurn } from '../clock.ts';
import { Cancelled, EXIT, Failure } from '../errors.ts';
import { toText } from '../json.ts';
import { isOtherRecord } from '../resources/proof.ts';
import type { Run } from '../run.ts';
import {
  checkAccepted,
  classifyFailure,
  createFailedResult,
  resultOf,
  toFailure,
  withUnsetFields,
} from './accepted.ts';
import type { Change, Changes, Observation, OpenResult, Reconciliation, SendResult } from './change.ts';
import { describeRecord } from './describe-change.ts';
import type { RunLog } from './log.ts';
import { createCheckingLook, createLook, createMissingResult, findMove, type Look } from './look.ts';
import {
  createAlikeResult,
  findLikes,
  groupByOperation,
  type OperationGroup,
  readBefore,
  settleOpen,
} from './proof.ts';

/** Sends the changes of a run: each once, several on their way at once, results in the order given. */

/** So many that 20 a second can go out though each takes more than a second. The budget holds them back, not this. */
const MAX_IN_FLIGHT = 32;

export interface SendAllOptions {
  readonly breaker?: CircuitBreaker;
  readonly log?: RunLog | undefined;
  /** The client for what is still to be done after Ctrl-C; absent: an interrupt ends it. */
  readonly afterwards?: Api;
  readonly onResult?: (sent: SendResult, change: Change) => void;
}

type RunChanges = Partial<Changes> & Pick<Changes, 'changes'>;

/** Nothing is begun after an interrupt, or after the circuit breaker tripped; the rows that are left are given as skipped. */
export async function* sendAll(
  run: Run,
  work: RunChanges,
  options: SendAllOptions = {},
): AsyncGenerator<SendResult> {
  const { changes, knownResults, warnings } = work;
  const sender = new RunSender(run, work, options, await groupByOperation(changes));
  let count = 0;
  const pace = { width: MAX_IN_FLIGHT, stopped: () => sender.whyStopped !== undefined };
  for (const part of splitByStage(changes)) {
    for await (const sent of runOrderedPool(part, (row, release) => sender.start(row, release), pace)) {
      const change = changes[count] as Change;
      count += 1;
      options.onResult?.(sent, change);
      yield { ...sent, ...warnings?.get(change.key) };
    }
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

  /** @param isForAll whether a row was refused as every row would be @returns whether the run had ended so already */
  record({ failure }: SendResult, isForAll: boolean): boolean {
    this.#inARow = failure?.exit === EXIT.tryLater ? this.#inARow + 1 : 0;
    if (isForAll || this.#inARow >= DOWN_AFTER) this.tripped ??= failure;
    const isAnother = isForAll && this.#isRefused;
    this.#isRefused ||= isForAll;
    return isAnother;
  }
}

const RESTING = ['projects', 'members', 'viewers', 'contracts', 'tasks'];

/** Others may rest on these: what is of another stage than the one before it waits for that. */
function splitByStage(changes: readonly Change[]): readonly (readonly Change[])[] {
  const parts: Change[][] = [];
  let last: string | undefined;
  for (const change of changes) {
    const { operation } = change.call;
    const noun = operation.noun;
    const stage = RESTING.includes(noun)
      ? `${noun} ${operation.moves?.to === ARCHIVED} ${operation.joins}`
      : '';
    if (stage !== last) parts.push([]);
    last = stage;
    parts.at(-1)?.push(change);
  }
  return parts;
}

class RunSender {
  readonly #run: Run;
  readonly #work: RunChanges;
  readonly #options: SendAllOptions;
  readonly #api: Api;
  readonly #breaker: CircuitBreaker;
  readonly #interrupted: AbortSignal;
  readonly #groups: ReadonlyMap<string, OperationGroup>;
  #look: Promise<Look> | undefined;
  #check: ReturnType<typeof createCheckingLook> | undefined;
  #lacksWorkspace: Promise<boolean> | undefined;
  /** By key, what was begun; its result where a row of its like needs it. */
  readonly #begun = new Map<string, Promise<SendResult> | undefined>();
  /** By what records look alike by: whether the last that was begun is known. */
  readonly #turns = new Map<string, Promise<boolean>>();
  readonly #open = new Map<OpenResult, (final: SendResult | Promise<never>) => void>();
  #active = 0;
  #isSettling = false;

  constructor(
    run: Run,
    work: RunChanges,
    options: SendAllOptions,
    groups: ReadonlyMap<string, OperationGroup>,
  ) {
    this.#run = run;
    this.#work = work;
    this.#options = options;
    this.#api = options.afterwards ?? run.api;
    this.#breaker = options.breaker ?? new CircuitBreaker();
    this.#interrupted = options.afterwards === undefined ? run.interrupted : new AbortController().signal;
    this.#groups = groups;
    for (const { n, call } of work.changes) {
      const known = work.knownResults?.get(n);
      const duplicateKey = known && groups.get(call.operation.id)?.reconciler?.duplicateKey?.(call.values);
      if (duplicateKey !== undefined && known?.status !== 'done')
        this.#turns.set(duplicateKey, Promise.resolve(false));
    }
  }

  get whyStopped(): string | undefined {
    if (this.#interrupted.aborted) return INTERRUPTED;
    const { tripped } = this.#breaker;
    return tripped && `not sent: ${tripped.message}`;
  }

  /**
   * Equal rows go one after another, and none behind one of which it is not known what became of it.
   * @param release lets another row begin, though the result of this one is still to come
   */
  async start(row: Change, release: () => void): Promise<SendResult> {
    const { operation, values } = row.call;
    const known = this.#work.knownResults?.get(row.n);
    if (known !== undefined) return known;
    if (this.#begun.has(row.key)) {
      const twin = await this.#begun.get(row.key);
      if (twin === undefined) return skipped(row, NAMED_TWICE);
      // Its like is there once the one before it is done.
      const isThere = ['done', 'unchanged', 'planned'].includes(twin.status);
      return this.#end(row, isThere ? createAlikeResult(row, twin.data) : skipped(row, NAMED_TWICE));
    }
    const duplicateKey = this.#groups.get(operation.id)?.reconciler?.duplicateKey?.(values);
    const turn = duplicateKey === undefined ? undefined : this.#turns.get(duplicateKey);
    const sending = this.#send(row, turn, release);
    this.#begun.set(row.key, this.#work.ifMissing === true ? sending : undefined);
    if (duplicateKey !== undefined) {
      const isKnown = sending.then(
        ({ status, message }) => status !== 'unknown' && message !== DUPLICATE_UNKNOWN,
        () => false,
      );
      this.#turns.set(duplicateKey, isKnown);
    }
    return sending;
  }

  /** @param turn whether it is known what became of an equal row before it */
  async #send(row: Change, turn: Promise<boolean> | undefined, release: () => void): Promise<SendResult> {
    if (turn !== undefined) {
      if (!(await turn)) return skipped(row, DUPLICATE_UNKNOWN);
      if (this.whyStopped !== undefined) return unbegun(row, this.whyStopped);
    }
    let opened: Promise<SendResult>;
    this.#active += 1;
    try {
      const result = await this.#request(row, turn !== undefined);
      const sent = { ...result, requestId: this.#options.log?.entryId(row.n) };
      const { failure, open } = sent;
      // Refusals that would meet every row: nothing is gained by sending the others.
      let isForAll = failure?.exit === EXIT.signedOut || failure?.code === 'insufficient_scope';
      if (failure?.code === 'forbidden' && this.#work.changes.length > 1) {
        this.#lacksWorkspace ??= lacksWorkspace(this.#run);
        isForAll ||= await this.#lacksWorkspace;
      }
      const isAnother = this.#breaker.record(sent, isForAll);
      if (open === undefined) {
        const isMissing = this.#work.skipMissing === true && failure?.exit === EXIT.notFound;
        if (isMissing) return await this.#end(row, createMissingResult(row));
        return await this.#end(row, isAnother ? unbegun(row, `not done: ${failure?.message}`) : sent);
      }
      opened = new Promise((resolve) => void this.#open.set({ ...sent, open }, resolve));
    } finally {
      this.#active -= 1;
      if (this.#open.size > 0) void this.#settleWhenIdle();
    }
    release();
    return this.#end(row, await opened);
  }

  /** Open rows are looked at together when nothing else can be sent: by list pages, in place of a request for each. */
  async #settleWhenIdle(): Promise<void> {
    // A row that has ended may let another begin.
    await takeTurn();
    if (this.#active > 0 || this.#isSettling || this.#open.size === 0) return;
    this.#isSettling = true;
    const { clock, settings, events, output } = this.#run;
    const context = { clock, settings, events, output, interrupted: this.#interrupted };
    const open = [...this.#open.keys()];
    const settle = async (sent: OpenResult, final: SendResult | Promise<never> = sent): Promise<void> => {
      this.#open.get(sent)?.(final);
      this.#open.delete(sent);
    };
    try {
      await settleOpen(context, open, settle, this.#options.log?.resumeLine);
    } catch (error) {
      for (const sent of open) await settle(sent, Promise.reject(error));
    }
    this.#isSettling = false;
    void this.#settleWhenIdle();
  }

  /** Nothing is sent where the record is already as the write would make it, as far as that was looked at. */
  async #request(row: Change, isDuplicate: boolean): Promise<SendResult> {
    const { call, seen } = row;
    const { log } = this.#options;
    const requestId = log?.entryId(row.n);
    const isDryRun = this.#run.settings.dryRun.value;
    const group = this.#groups.get(call.operation.id) ?? { reconciler: undefined, calls: [] };
    const reconciliation = { api: this.#api, call, reconciler: group.reconciler };
    // An address may have a password in it.
    const change = { call, target: String(call.redact(row.target)) };
    let before: unknown;
    try {
      let observation: Observation | undefined;
      if (seen !== undefined && !isDryRun) {
        this.#check ??= createCheckingLook(this.#run, this.#work);
        observation = await (await this.#check)(call);
        const moved = observation && (await findMove(this.#run, row, observation));
        if (moved !== undefined) return moved;
      }
      const { first } = group.reconciler?.record ?? {};
      const isLookedAt = first === true || (first === 'old-values' && requestId !== undefined);
      if (isDryRun || isLookedAt) observation ??= await this.#lookAt(row);
      if (observation?.unchanged === true) return { ...resultOf(change, 'unchanged'), observation };
      // What a list has shown already takes no request.
      if (log !== undefined && row.before !== undefined) observation ??= await this.#lookAt(row);
      const needsBefore = group.reconciler?.before !== undefined;
      if (needsBefore) before = await readBefore(this.#api, group, call, this.#run.clock.now(), isDuplicate);
      const { message, data, planned, status } = await call.send({
        ...{ target: row.target, requestId },
        beforeSend: async () => {
          // Where the row cannot be written down before it goes out, nothing goes out, and the run ends.
          await log?.beforeSend(row, before, observation).catch((error: unknown) => {
            this.#breaker.tripped ??= toFailure(error);
            throw error;
          });
        },
      });
      if (planned !== undefined) return createPlannedResult(change, planned, observation);
      const accepted = resultOf(change, 'done', {
        ...(message !== undefined && { message }),
        data: isOtherRecord(call, data) ? null : data,
      });
      return checkAccepted(reconciliation, { ...accepted, observation, answered: status });
    } catch (error) {
      return this.#judgeFailure(change, toFailure(error), reconciliation, before);
    }
  }

  async #judgeFailure(
    change: Target,
    failure: Failure,
    reconciliation: Reconciliation,
    before: unknown,
  ): Promise<SendResult> {
    // An interrupt ends what has not left; a write on its way is finished.
    if (failure instanceof Cancelled) return { ...unbegun(change, INTERRUPTED), failure };
    const answer = classifyFailure(failure);
    if (answer === 'silence') {
      const lost = { failure, before, lostAt: this.#run.clock.now() };
      return { ...createFailedResult(change, failure, 'unknown'), open: { ...reconciliation, lost } };
    }
    const isAlike = answer === 'refused' && failure.exit !== EXIT.notFound;
    const alike = isAlike ? await this.#findAlike(change, reconciliation) : undefined;
    return alike ?? createFailedResult(change, failure);
  }

  /** @param calls those that are looked at together */
  #createLook(calls: readonly ApiCall[]): Promise<Look> {
    const { names, clock, lists } = this.#run;
    return createLook({ api: this.#api, names, clock, lists }, calls);
  }

  async #lookAt({ call, before }: Change): Promise<Observation | undefined> {
    this.#look ??= this.#createLook(this.#work.changes.map((change) => change.call));
    return (await this.#look)(call, before);
  }

  /** What is so already where the service refused a write: somebody was faster. */
  async #findAlike(change: Target, { call, reconciler }: Reconciliation): Promise<SendResult | undefined> {
    const api = this.#api;
    if (reconciler?.record !== undefined) {
      const now = await (await this.#createLook([call]))(call, undefined, Number.POSITIVE_INFINITY);
      if (now?.unchanged === true) return resultOf(change, 'unchanged');
    }
    if (this.#work.ifMissing !== true && this.#work.plan === undefined) return undefined;
    const find = await findLikes(api, [call]).catch(toFailure);
    const record = find instanceof Failure ? undefined : find(call);
    return record && createAlikeResult(change, record);
  }

  /** The row has its result all the same; that it could not be written down ends the run. */
  async #end(row: Change, ended: SendResult): Promise<SendResult> {
    const sent = row.unset?.length ? withUnsetFields(row.call, ended, row.unset) : ended;
    const { log } = this.#options;
    await log?.logResult(row, sent).catch((error: unknown) => {
      this.#breaker.tripped ??= toFailure(error);
    });
    if (row.label !== undefined) return { ...sent, label: row.label };
    const record = this.#run.settings.dryRun.value ? sent.observation?.record : undefined;
    return record === undefined ? sent : { ...sent, label: await describeRecord(this.#run, row, record) };
  }
}

/** @param request has been masked on its way */
function createPlannedResult(
  change: Target,
  request: NonNullable<SendResult['request']>,
  observation: Observation = {},
): SendResult {
  const { before, after, problem } = observation;
  const changed = { ...(before && { before }), ...(after === undefined ? {} : { after }) };
  const said = problem === undefined ? {} : { message: `The current record could not be read: ${problem}` };
  const masked = change.call.redact(changed) as typeof changed;
  return { ...resultOf(change, 'planned', said), ...masked, request, observation };
}

type Target = Pick<Change, 'call' | 'target'>;

function skipped(change: Target, message: string): SendResult {
  return resultOf(change, 'skipped', { message });
}

function unbegun(change: Target, message: string): SendResult {
  return { ...skipped(change, message), unbegun: true };
}

const INTERRUPTED = 'interrupted; not sent';
export const NAMED_TWICE = 'named twice; sent once';
const DUPLICATE_UNKNOWN = 'not sent: the outcome of an identical row is unknown';

/** Whether the workspace of this run is none of those that the account is in: every write of it will be refused. */
async function lacksWorkspace(run: Run): Promise<boolean> {
  const { api, lists } = run;
  const workspace = await run.knownWorkspaceId();
  try {
    const ids = (await lists.rows(api.workspaces.list({}))).map(({ id }) => toText(id));
    return workspace !== undefined && ids.length > 0 && !ids.includes(toText(workspace));
  } catch (error) {
    toFailure(error);
    return false;
  }
}
