import type { Api, ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Names } from '../context.ts';
import { isRecord } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { Cancelled, Failure } from '../outcome.ts';
import { findReconciler } from '../resources/reconcile/of-operation.ts';
import { isOtherRecord, type Reconciler } from '../resources/reconcile/reconciler.ts';
import { listDifferingFields, listSentFields } from '../resources/reconcile/sent-fields.ts';
import { RATE_FIELDS } from '../resources/resource.ts';

/** Whether a write that the service accepted was carried out as it was sent: fields may be dropped without a word. */

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
  /** Names of the ids that were sent; absent: they are not looked up. */
  readonly names?: Names | undefined;
}

export const createReconciliation = async (
  api: Api,
  call: ApiCall,
  names?: Names,
): Promise<Reconciliation> => ({
  api: withOwnWorkspace(api, call),
  call,
  reconciler: await findReconciler(call.operation),
  names,
});

export interface UnsavedFields {
  /** By the names of the write's parameters. */
  readonly fields: readonly string[];
  /** The record as it is now; absent: it could not be read. */
  readonly record?: Row;
  /** Why it could not. */
  readonly why?: 'interrupted' | 'unread' | 'unclear';
}

/** @throws what is no `Failure`: a fault of ours */
export const explainUnread = (error: unknown): 'interrupted' | 'unread' => {
  if (!(error instanceof Failure)) throw error;
  return error instanceof Cancelled ? 'interrupted' : 'unread';
};

export const toWrittenView = ({ call, reconciler, names }: Reconciliation, record: Row): Row =>
  reconciler?.saved?.view?.(record, call.values, names) ?? record;

/** The record that a write was answered with; undefined for none, and for another than the one that was written. */
export const readAnswerRecord = (call: ApiCall, data: unknown): Row | undefined =>
  isRecord(data) && Object.keys(data).length > 0 && !isOtherRecord(call, data) ? data : undefined;

interface UnprovedFields {
  /** Fields that the record has to show as they were sent: one that it hides counts as not saved. */
  readonly needed: readonly string[];
  /** All that was sent, where nothing of it was answered. */
  readonly unseen: readonly string[];
  /** Fields that no document knows: the service may ignore them, which only a record that has them shows. */
  readonly unknown: readonly string[];
}

/** What was sent, and is not proved to be saved by what the service answered. */
const findUnprovedFields = (reconciliation: Reconciliation, answer: Row | undefined): UnprovedFields => {
  const { operation, values } = reconciliation.call;
  const names = listSentFields(operation, values).map(([name]) => name);
  const differing =
    answer === undefined ? [] : listDifferingFields(operation, toWrittenView(reconciliation, answer), values);
  return {
    needed: [...new Set([...differing, ...names.filter((name) => RATE_FIELDS.has(name))])],
    unseen: answer === undefined ? names : [],
    unknown: names.filter((name) => !Object.hasOwn(operation.parameters, name)),
  };
};

const listUnsavedFields = (
  reconciliation: Reconciliation,
  record: Row,
  { needed }: UnprovedFields,
): readonly string[] => {
  const { call, reconciler } = reconciliation;
  const view = toWrittenView(reconciliation, record);
  const hidden = needed.filter((name) => view[name] === undefined);
  const state = reconciler?.contradicts?.(record, call.values) ?? [];
  return [
    ...new Set([...listDifferingFields(call.operation, view, call.values), ...hidden, ...[state].flat()]),
  ];
};

const loadNames = async ({ call, reconciler, names }: Reconciliation, record: Row): Promise<void> => {
  if (names !== undefined) await reconciler?.saved?.load?.(record, call.values, names);
};

/** Whether a record that was read shows all as it was sent. */
export const showsAllSent = async (reconciliation: Reconciliation, record: Row): Promise<boolean> => {
  await loadNames(reconciliation, record);
  return listUnsavedFields(reconciliation, record, findUnprovedFields(reconciliation, record)).length === 0;
};

/**
 * Reads the record again where the answer leaves open whether all of it was saved.
 * @param answer the record that the service answered with, or that its list shows; undefined for none
 * @param find the record of a creation whose answer does not say which it is
 * @returns undefined where all was saved, as far as the service shows it
 */
export const findUnsaved = async (
  reconciliation: Reconciliation,
  answer: Row | undefined,
  find: () => Promise<Row | undefined> = async () => undefined,
): Promise<UnsavedFields | undefined> => {
  const { api, call, reconciler } = reconciliation;
  const { saved } = reconciler ?? {};
  if (saved === undefined) return undefined;
  if (answer !== undefined) await loadNames(reconciliation, answer);
  const unproved = findUnprovedFields(reconciliation, answer);
  const openFields = [...new Set([...unproved.needed, ...unproved.unseen])];
  if (openFields.length + unproved.unknown.length === 0) return undefined;
  const read = async () => (await saved.read(api, call.values, answer ?? {})) ?? (await find()) ?? 'unclear';
  const record = await read().catch(explainUnread);
  if (typeof record === 'string')
    return openFields.length === 0 ? undefined : { fields: openFields, why: record };
  await loadNames(reconciliation, record);
  const fields = listUnsavedFields(reconciliation, record, unproved);
  return fields.length === 0 ? undefined : { fields, record };
};
