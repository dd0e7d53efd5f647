import type { Api, ApiCall } from '../api/client.ts';
import { findReconciler } from '../resources/reconcile/of-operation.ts';
import type { Reconciler, RunSnapshot } from '../resources/reconcile/reconciler.ts';
import { reconciliationOf } from './find-unsaved.ts';
import { readBefore, unlessRefused } from './reconcile.ts';

/** What must be known before the writes of a run are sent: read for many at once where that takes fewer requests. */

/** A list that was read so long ago is read again. A write may wait as long for its turn after its own reading. */
const SNAPSHOT_MS = 60_000;

/** The writes of one operation in a run. */
interface Group {
  readonly reconciler: Reconciler | undefined;
  /** Those that one reading can stand for. */
  readonly calls: ApiCall[];
  taken?: { readonly at: number; readonly snapshot: Promise<RunSnapshot | undefined> };
}

const snapshotOf = async (
  api: Api,
  group: Group,
  beforeRun: NonNullable<Reconciler['beforeRun']>,
  now: () => number,
): Promise<RunSnapshot | undefined> => {
  const { calls, taken } = group;
  if (taken !== undefined && now() - taken.at < SNAPSHOT_MS) return taken.snapshot;
  const [first] = calls;
  const reading = async () => {
    const at = first === undefined ? api : (await reconciliationOf(api, first)).api;
    return beforeRun(
      at,
      calls.map(({ values }) => values),
    );
  };
  const snapshot = reading();
  group.taken = { at: now(), snapshot };
  snapshot.catch(() => {
    delete group.taken;
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
  before(call: ApiCall, alone: boolean): Promise<unknown>;
  /** Writes with the same text make records that look alike: they are sent one after another. */
  twinOf(call: ApiCall): string | undefined;
}

export const reconcilerOfRun = async (
  api: Api,
  calls: Iterable<ApiCall>,
  now: () => number,
): Promise<RunReconciler> => {
  const groups = new Map<string, Group>();
  for (const call of calls) {
    const { id } = call.operation;
    const group = groups.get(id) ?? { reconciler: await findReconciler(call.operation), calls: [] };
    groups.set(id, group);
    if (group.reconciler?.beforeRun !== undefined) group.calls.push(call);
  }
  return {
    async before(call, alone) {
      const group = groups.get(call.operation.id);
      const { beforeRun } = group?.reconciler ?? {};
      const own = async () => readBefore(await reconciliationOf(api, call));
      if (alone || group === undefined || group.calls.length < 2 || beforeRun === undefined) return own();
      return unlessRefused(
        snapshotOf(api, group, beforeRun, now).then((known) =>
          known === undefined ? own() : known(call.values),
        ),
      );
    },
    twinOf: (call) => groups.get(call.operation.id)?.reconciler?.duplicateKey?.(call.values),
  };
};
