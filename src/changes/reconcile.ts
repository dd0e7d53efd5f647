import type { Api, ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import { hasUnknownOutcome } from '../api/reply.ts';
import { toText } from '../json/stringify.ts';
import { ApiError, Cancelled, EXIT, Failure, NetworkError } from '../outcome.ts';
import { findReconciler } from '../resources/reconcile/of-operation.ts';
import type { Outcome, PreviewRow, Reconciler, RunSnapshot } from '../resources/reconcile/reconciler.ts';

/**
 * After a write whose answer was lost: what the service's own records say. Nothing is ever sent again here.
 */

type Verbs = Readonly<Record<string, (values: object, extra: object) => ApiCall>>;

/**
 * The client for the look-ups of a write: one that brings its own `workspace_id` (`--field`, `--input`) is looked for
 * in that workspace, and not in the one of the run.
 */
const withOwnWorkspace = (api: Api, { values: { workspace_id: own } }: Pick<ApiCall, 'values'>): Api => {
  if (own === undefined) return api;
  const extra = { query: [['workspace_id', toText(own)]], body: {}, input: {} };
  const withExtra = (verbs: Verbs): Verbs =>
    new Proxy(verbs, { get: (all, verb) => (values: object) => all[String(verb)]?.(values, extra) });
  return new Proxy(api, { get: (nouns, noun) => withExtra(Reflect.get(nouns, noun)) });
};

/** A write, and how the service's own records show what became of it. */
export interface Reconciliation {
  /** The client for the look-ups. */
  readonly api: Api;
  readonly call: ApiCall;
  /** Absent: no record shows it. */
  readonly reconciler: Reconciler | undefined;
}

export const createReconciliation = async (api: Api, call: ApiCall): Promise<Reconciliation> => ({
  api: withOwnWorkspace(api, call),
  call,
  reconciler: await findReconciler(call.operation),
});

const isCreateTimeout = ({ operation }: ApiCall, error: unknown): boolean =>
  error instanceof NetworkError &&
  error.code === 'timeout' &&
  operation.method === 'POST' &&
  operation.returns === 'record';

/** `unread`: the records could not be read. */
const readOutcome = async (
  { api, call, reconciler }: Reconciliation,
  before: unknown,
): Promise<Outcome | PreviewRow | 'unread'> => {
  try {
    return (await reconciler?.after(api, call.values, before)) ?? 'unknown';
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled || isSignedOut(error)) throw error;
    return 'unread'; // the look-up met the same trouble
  }
};

/**
 * What the records say of a write that was sent. `unknown` too when they cannot be read.
 * @param before what `readBefore` gave before it was sent
 * @throws Cancelled when interrupted, ApiError when the login has ended
 */
export const lookUpOutcome = async (
  reconciliation: Reconciliation,
  before: unknown,
): Promise<WriteOutcome> => {
  const finding = await readOutcome(reconciliation, before);
  if (finding === 'unread') return { became: 'unknown' };
  return typeof finding === 'string' ? { became: finding } : { became: 'done', record: finding.record };
};

const isSignedOut = (error: unknown): boolean => error instanceof Failure && error.exit === EXIT.signedOut;

/** Who may write but not list all is not kept from writing; only a lost answer stays unknown then. */
const unlessRefused = async <T>(reading: Promise<T> | undefined): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && !isSignedOut(error)) return undefined;
    if (error instanceof Failure && error.code === 'incomplete') return undefined;
    throw error;
  }
};

/** What must be known before the write is sent. A JSON value, so that it can be stored. */
export const readBefore = async ({ api, call, reconciler }: Reconciliation): Promise<unknown> =>
  unlessRefused(reconciler?.before?.(api, call.values));

/** @throws what is no `Failure`: a fault of ours */
const explainUnread = (error: unknown): 'interrupted' | 'unread' => {
  if (!(error instanceof Failure)) throw error;
  return error instanceof Cancelled ? 'interrupted' : 'unread';
};

/** The new record as the service would have answered with it; where it cannot be read, as the list has it. */
const readFullRecord = async ({ api, call, reconciler }: Reconciliation, record: Row): Promise<Row> => {
  const whole = await reconciler?.whole?.(api, record, call.values).catch(explainUnread);
  return typeof whole === 'object' && whole !== null ? whole : record;
};

export interface WriteOutcome {
  readonly became: 'failed' | Outcome;
  /** The record that was made or changed, where the records show which one it is. */
  readonly record?: Row;
  /** Of what is unknown: the records were not read, could not be, do not tell, or may show it later. */
  readonly why?: 'interrupted' | 'unread' | 'unclear' | 'late';
}

/** After an error: `failed` when the service refused the write or it never left; else what the records say. */
export const reconcile = async (
  reconciliation: Reconciliation,
  before: unknown,
  error: unknown,
): Promise<WriteOutcome> => {
  if (!hasUnknownOutcome(error)) return { became: 'failed' };
  const finding = await readOutcome(reconciliation, before).catch(explainUnread);
  if (typeof finding !== 'string') {
    return { became: 'done', record: await readFullRecord(reconciliation, finding.record) };
  }
  if (finding === 'unread' || finding === 'interrupted') return { became: 'unknown', why: finding };
  // The service may still be at work on it, and a second one would be a duplicate.
  if (finding === 'not-done' && isCreateTimeout(reconciliation.call, error))
    return { became: 'unknown', why: 'late' };
  return { became: finding };
};

/** What must be known before the writes of a run are sent: read for many at once where that takes fewer requests. */

/** A list that was read so long ago is read again. A write may wait as long for its turn after its own reading. */
const SNAPSHOT_MS = 60_000;

/** The writes of one operation in a run. */
interface OperationGroup {
  readonly reconciler: Reconciler | undefined;
  /** Those that one reading can stand for. */
  readonly calls: ApiCall[];
  lastSnapshot?: { readonly at: number; readonly snapshot: Promise<RunSnapshot | undefined> };
}

const getSnapshot = async (
  api: Api,
  group: OperationGroup,
  beforeRun: NonNullable<Reconciler['beforeRun']>,
  now: () => number,
): Promise<RunSnapshot | undefined> => {
  const { calls, lastSnapshot: taken } = group;
  if (taken !== undefined && now() - taken.at < SNAPSHOT_MS) return taken.snapshot;
  const [first] = calls;
  const reading = async () => {
    const at = first === undefined ? api : (await createReconciliation(api, first)).api;
    return beforeRun(
      at,
      calls.map(({ values }) => values),
    );
  };
  const snapshot = reading();
  group.lastSnapshot = { at: now(), snapshot };
  snapshot.catch(() => {
    delete group.lastSnapshot;
  });
  return snapshot;
};

/** The writes of one run. */
export interface RunReconciler {
  /**
   * What must be known before a write is sent: where the reconciler can, one reading stands for all of an operation,
   * for a minute.
   * @param alone whether it must not rest on that: rows that could be mistaken for one another, but the first
   */
  readBefore(call: ApiCall, alone: boolean): Promise<unknown>;
  /** Writes with the same text make records that look alike: they are sent one after another. */
  getDuplicateKey(call: ApiCall): string | undefined;
}

export const createRunReconciler = async (
  api: Api,
  calls: Iterable<ApiCall>,
  now: () => number,
): Promise<RunReconciler> => {
  const groups = new Map<string, OperationGroup>();
  for (const call of calls) {
    const { id } = call.operation;
    const group = groups.get(id) ?? { reconciler: await findReconciler(call.operation), calls: [] };
    groups.set(id, group);
    if (group.reconciler?.beforeRun !== undefined) group.calls.push(call);
  }
  return {
    async readBefore(call, alone) {
      const group = groups.get(call.operation.id);
      const { beforeRun } = group?.reconciler ?? {};
      const readOwn = async () => readBefore(await createReconciliation(api, call));
      if (alone || group === undefined || group.calls.length < 2 || beforeRun === undefined) return readOwn();
      return unlessRefused(
        getSnapshot(api, group, beforeRun, now).then((known) =>
          known === undefined ? readOwn() : known(call.values),
        ),
      );
    },
    getDuplicateKey: (call) => groups.get(call.operation.id)?.reconciler?.duplicateKey?.(call.values),
  };
};
