import type { Api, ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import { findReconciler } from '../resources/reconcile/of-operation.ts';
import type { Change } from './change.ts';
import { createReconciliation } from './reconcile.ts';
import type { SendResult } from './send-result.ts';

/** `--if-missing`: what is there already is not made again. Likeness is what lost answers are recognised by. */

/**
 * The records that are there already, of the like that these calls of one operation would make.
 * @throws as a read: what cannot be looked up is not made
 */
export const findLikes = async (
  api: Api,
  calls: readonly ApiCall[],
): Promise<(call: ApiCall) => Row | undefined> => {
  const [first] = calls;
  if (first === undefined) return () => undefined;
  const { api: own, reconciler } = await createReconciliation(api, first);
  const find = await reconciler?.likes?.(
    own,
    calls.map(({ values }) => values),
  );
  return ({ values }) => find?.(values);
};

/** The whole of a record that a list has shown, as its creation would have been answered. */
export const readLike = async (api: Api, call: ApiCall, row: Row): Promise<Row> => {
  const { api: own, reconciler } = await createReconciliation(api, call);
  return (await reconciler?.whole?.(own, row, call.values)) ?? row;
};

/** Creations with the same text make records that are alike. */
export const createLikenessKey = async (
  operation: ApiCall['operation'],
): Promise<(values: ApiCall['values']) => string | undefined> => {
  const reconciler = await findReconciler(operation);
  return (values) => reconciler?.duplicateKey?.(values);
};

/** @param data the record that is there already; undefined where it will be */
export const createAlikeResult = (
  { target, call }: Pick<Change, 'target' | 'call'>,
  data: unknown,
): SendResult => ({
  result: {
    target,
    status: 'unchanged',
    operation: call.operation.id,
    message: 'already exists',
    ...(data == null ? {} : { data }),
  },
});
