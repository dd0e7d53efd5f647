import { type Fields, toTyped } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { leave, timeRequest, timesheet } from '../api/records.ts';
import type { Names } from '../context.ts';
import { UnknownValue } from '../query/condition.ts';
import { getConditionFields, JOIN_NAMES, type JoinName, toJoined } from '../resources/joins.ts';
import type { InboxItem, InboxKind } from './item.ts';
import type { PendingItem } from './pending.ts';
import { toWarningCodes, WARNING_CODES } from './warnings.ts';

/** What a condition (`inbox --where`, a rule's `when`) sees of something that waits. */

const JOINS: Readonly<Record<InboxKind, readonly JoinName[]>> = {
  timesheet: ['member'],
  leave: ['member', 'policy'],
  'time-request': ['member', 'project'],
};

const FIELDS: Readonly<Record<InboxKind, Fields>> = {
  timesheet: timesheet.fields,
  leave: leave.fields,
  'time-request': timeRequest.fields,
};

/** The fields that a condition on rows of the inbox may read: their own, and those of the records behind them. */
export const getInboxFields = (own: Fields): Fields =>
  getConditionFields(
    JOIN_NAMES,
    { ...timesheet.fields, ...leave.fields, ...timeRequest.fields, ...own },
    { warnings: WARNING_CODES, record: {} },
  );

/** The fields that a condition on records of a kind may read. */
export const getKindFields = (kind: InboxKind): Fields =>
  getConditionFields(JOINS[kind], FIELDS[kind], { warnings: WARNING_CODES });

const getIds = ({ userId, policyId, projectId }: InboxItem): Readonly<Record<JoinName, unknown>> => ({
  member: userId,
  policy: policyId,
  project: projectId,
});

const joinRecord = (item: InboxItem, name: JoinName, names: Names): unknown => {
  const id = getIds(item)[name];
  const record = id == null ? undefined : names[name].record(id);
  if (record !== undefined) return toJoined(name, record);
  return id == null ? null : new UnknownValue(`its ${name} is unknown`);
};

/** The same as values: null where nothing is known. */
export const joinItem = (item: InboxItem, names: Names): Row =>
  Object.fromEntries(
    JOINS[item.kind].map((name) => {
      const joined = joinRecord(item, name, names);
      return [name, joined instanceof UnknownValue ? null : joined];
    }),
  );

/**
 * @param own the fields beside the joined ones; default: those of the record
 * @returns with what could not be found out as `UnknownValue`
 */
export const toConditionRow = (
  { item, warnings }: PendingItem,
  names: Names,
  own: Row = item.record,
): Row => ({
  ...toTyped(FIELDS[item.kind], item.record),
  ...toTyped(FIELDS[item.kind], own),
  ...Object.fromEntries(JOINS[item.kind].map((name) => [name, joinRecord(item, name, names)])),
  warnings: toWarningCodes(warnings),
  record: toTyped(FIELDS[item.kind], item.record),
});
