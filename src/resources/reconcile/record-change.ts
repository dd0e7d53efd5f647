import type { Api, ApiCall } from '../../api/client.ts';
import { findState, isArchived, type Resource, type Transition } from '../../api/fields.ts';
import type { Operation } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { toText } from '../../json.ts';
import { isSameValue, showsValue } from '../../parsing/names.ts';
import {
  type ChangedRecord,
  type Effect,
  type Outcome,
  type Reconciler,
  readOne,
  toOutcome,
} from './reconciler.ts';
import { compareSent, listSentFields } from './sent-fields.ts';

/** How the record of a write shows what it changed. */

interface RecordRule extends ChangedRecord {
  /** What it tells that the service has no such record. Default: nothing. */
  readonly missing?: Outcome;
}

export const createRecordReconciler = (
  { missing = 'unknown', ...record }: RecordRule,
  more: Partial<Reconciler> = {},
): Reconciler => {
  const judge = async (found: Row | null | undefined, values: Values): Promise<Outcome> => {
    if (found === undefined) return missing;
    return found === null ? 'unknown' : (await record.effect(found, values)).outcome;
  };
  const after = async (api: Api, values: Values) => judge(await record.read(api, values), values);
  const { key, lists: listsOf } = record;
  return {
    after,
    ...(listsOf && {
      afterRun: async (lists, api, all) => {
        const { rows } = await lists.search(listsOf(api, all), new Set(all.map(key)));
        return async (values) => {
          const [row] = rows.get(key(values)) ?? [];
          const outcome = row === undefined ? 'unknown' : await judge(row, values);
          // A list may leave out what the record has.
          return outcome === 'unknown' ? after(api, values) : outcome;
        };
      },
    }),
    record,
    ...more,
  };
};

interface UpdateRule extends Pick<ChangedRecord, 'lists' | 'key'> {
  readonly operation: Operation;
  readonly resource: Named;
  readonly get: (api: Api, values: Values) => ApiCall<Row>;
  /** As in `Reconciler`. */
  readonly view?: Reconciler['view'];
  /** A value as the record will show it. Default: as it is sent. */
  readonly toShown?: (name: string, value: unknown, record: Row) => unknown;
}

/** What a resource says of its fields' names. */
export type Named = Pick<Resource, 'noun' | 'shownAs'>;

/** The field of a record that shows a parameter of its writes. */
const getField = ({ shownAs = {} }: Named, name: string): string => shownAs[name] ?? name;

type FieldRule = Pick<UpdateRule, 'operation' | 'resource'>;

/** What a write sends, by the names of the record. */
export const toRecordFields = (
  { operation, resource }: FieldRule,
  values: Values,
  toShown: (name: string, value: unknown) => unknown = (_, value) => value,
): Row =>
  Object.fromEntries(
    listSentFields(operation, values).map(([name, value]) => [
      getField(resource, name),
      toShown(name, value),
    ]),
  );

/** The record in the words of its writes, where these have other names for its fields. */
export const createWrittenView =
  (resource: Named) =>
  (record: Row): Row => {
    const renamed = Object.entries(resource.shownAs ?? {})
      .filter(([, field]) => record[field] !== undefined)
      .map(([name, field]) => [name, record[field]]);
    return { ...record, ...Object.fromEntries(renamed) };
  };

/** What an update changes: the fields that the record does not show so already. */
export const describeUpdate = (
  { operation, resource, toShown = (_, value) => value }: FieldRule & Pick<UpdateRule, 'toShown'>,
  { record, shown, values }: { readonly record: Row; readonly shown: Row; readonly values: Values },
): Effect => {
  const changed = listSentFields(operation, values).filter(
    ([name, value]) =>
      shown[name] === undefined || !showsValue(value, shown[name], operation.parameters[name]),
  );
  const fields = changed.map(([name, value]) => {
    const field = getField(resource, name);
    return { field, was: record[field] ?? shown[name], value: toShown(name, value, record) };
  });
  return {
    before: Object.fromEntries(
      fields.filter(({ was }) => was !== undefined).map(({ field, was }) => [field, was]),
    ),
    after: Object.fromEntries(fields.map(({ field, value }) => [field, value])),
    old: Object.fromEntries(changed.map(([name]) => [name, shown[name]])),
    outcome: compareSent(operation, shown, values),
  };
};

/** The sent fields against the record's. */
export const createUpdateReconciler = (
  { get, key, lists, ...rule }: UpdateRule,
  more: Partial<Reconciler> = {},
): Reconciler => {
  const { resource, view = createWrittenView(resource) } = rule;
  const read = (api: Api, values: Values) => readOne(get(api, values));
  return createRecordReconciler(
    {
      read,
      key,
      ...(lists && { lists }),
      effect: (record, values) => describeUpdate(rule, { record, shown: view(record, values), values }),
      first: 'old-values',
    },
    { view, ...more },
  );
};

interface StateRule extends Omit<RecordRule, 'effect'> {
  /** The field that shows the state. Default: `status`. */
  readonly state?: string;
  /** What the field will show. */
  readonly to: string | null;
  /** Whether a record has come to that state. */
  readonly judge: (record: Row) => Outcome;
  /** Fields that the write sets beside it, by the names of the record's fields. */
  readonly others?: (values: Values) => Row;
}

/** A change of state. */
export const createStateReconciler = (
  { state = 'status', to, judge, others = () => ({}), ...rule }: StateRule,
  more: Partial<Reconciler> = {},
): Reconciler => {
  const effect = (record: Row, values: Values): Effect => {
    const outcome = judge(record);
    const set = Object.entries(others(values)).filter(([name, value]) => !isSameValue(value, record[name]));
    const after = { ...(outcome === 'done' ? {} : { [state]: to }), ...Object.fromEntries(set) };
    const known = Object.keys(after).filter((name) => record[name] !== undefined);
    return { before: Object.fromEntries(known.map((name) => [name, record[name]])), after, outcome };
  };
  const sets = (values: Values): Row => ({ [state]: to, ...others(values) });
  return createRecordReconciler({ ...rule, effect, sets }, more);
};

/** What stands for a time that only the write will set. */
export const NOW = 'now';

/** A soft delete: the record says so, or the service shows it no longer. */
export const createArchivalReconciler = (rule: Omit<StateRule, 'to' | 'judge'>): Reconciler =>
  createStateReconciler(
    {
      missing: 'done',
      state: 'deleted_at',
      to: NOW,
      judge: (record) => toOutcome(isArchived(record)),
      ...rule,
    },
    { contradicts: (answer) => (answer.deleted_at === null ? 'deleted_at' : undefined) },
  );

/** What is really gone: a record that was deleted is not found. */
export const createDeletionReconciler = (
  { fields }: Pick<Resource, 'fields'>,
  rule: Omit<RecordRule, 'effect'>,
): Reconciler => {
  const shown = Object.keys(fields).filter((name) => fields[name]?.kind !== 'secret');
  const effect = (record: Row): Effect => ({
    before: Object.fromEntries(shown.filter((name) => name in record).map((name) => [name, record[name]])),
    after: null,
    outcome: 'not-done',
  });
  return createRecordReconciler(
    { missing: 'done', ...rule, effect },
    { contradicts: (answer) => (answer.deleted_at === null ? 'deleted_at' : undefined) },
  );
};

interface MembershipRule extends Omit<RecordRule, 'effect'> {
  /** The field that lists who or what belongs to the record. */
  readonly field: string;
  /** The value whose place in the list the write changes: `userId`. */
  readonly item: string;
  /** Whether it is to be in the list. */
  readonly wanted: boolean;
  /** As in `Effect`. */
  readonly subject?: (values: Values) => Row;
  /** The ids in the list; undefined where the record does not show it. */
  readonly ids: (record: Row) => readonly string[] | undefined;
}

/** Whom a record lists: who is assigned to it, what it may see. */
export const createMembershipReconciler = (
  { field, item, wanted, ids, subject, ...rule }: MembershipRule,
  more: Partial<Reconciler> = {},
): Reconciler => {
  const compare = (record: Row, values: Values): Effect => {
    const listed = ids(record);
    const id = toText(values[item]);
    if (listed === undefined)
      return { before: {}, after: wanted ? { [field]: [id] } : {}, outcome: 'unknown' };
    if (listed.includes(id) === wanted) return { before: {}, after: {}, outcome: 'done' };
    const others = listed.filter((one) => one !== id);
    const after = { [field]: wanted ? [...listed, id] : others };
    return { before: { [field]: listed }, after, outcome: 'not-done' };
  };
  const effect = (record: Row, values: Values): Effect => ({
    ...compare(record, values),
    ...(subject && { subject: subject(values) }),
  });
  return createRecordReconciler({ ...rule, effect, first: true }, more);
};

/** A change of state that has a verb. A status that is not known tells nothing: not all are documented. */
export const createTransitionReconciler = (
  resource: Pick<Resource, 'states' | 'aliases'>,
  { to, back }: Transition,
  rule: Omit<StateRule, 'to' | 'judge'>,
): Reconciler => {
  const judge = (row: Row): Outcome => {
    const state = findState(resource, row);
    return state === undefined ? 'unknown' : toOutcome(state === to);
  };
  // What can be taken back is answered as done where it is done already: the record is looked at first.
  return createStateReconciler(
    { ...rule, to, judge, ...(back !== undefined && { first: true }) },
    { contradicts: (answer) => (judge(answer) === 'not-done' ? 'status' : undefined) },
  );
};

/** What is sent as `reason` is shown as `reject_reason`; a `reason` in a record would be another one. */
export const toRejectionView = (record: Row): Row => ({ ...record, reason: record.reject_reason });
