import type { Api, ApiCall } from '../api/client.ts';
import { ApiError, EXIT, Failure } from '../errors.ts';
import { toText } from '../json.ts';
import { findReconciler } from '../resources/reconcile/of-operation.ts';
import type { Reconciler, RunSnapshot } from '../resources/reconcile/reconciler.ts';

/** How the service's own records show what became of a write, and what must be known of them before it is sent. */

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

export const isSignedOut = (error: unknown): boolean =>
  error instanceof Failure && error.exit === EXIT.signedOut;

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
