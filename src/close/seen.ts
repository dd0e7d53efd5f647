import { toNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { getOffsetMinutes } from '../parsing/calendar.ts';
import { formatHours } from '../parsing/duration.ts';
import { formatMoney } from '../parsing/money.ts';
import { parseInstant } from '../pending/item.ts';
import { formatDay, formatDays } from '../pending/text.ts';
import { expense } from '../resources/expense.ts';
import { leave } from '../resources/leave.ts';
import { findState } from '../resources/resource.ts';
import { timeRequest } from '../resources/time-request.ts';
import { timesheet } from '../resources/timesheet.ts';
import { clip, contains, listWorkdays } from './calendar.ts';
import { createSpenderFinder } from './find.ts';
import type { CloseFinding } from './finding.ts';
import { type CloseRecord, type CloseScope, type Person, toRecordDay } from './records.ts';
import type { CloseView } from './view.ts';

/** The records of a period as a check saw them, and what became of them since. Pure. */

const RESOURCES = { timesheet, leave, 'time-request': timeRequest, expense } as const;

type Value = string | number | null;

/** A record with what it is closed on, whatever generation of the service sent it. */
export interface SeenRecord {
  readonly kind: keyof typeof RESOURCES;
  readonly id: string;
  readonly member: Person;
  readonly from: string;
  readonly to: string;
  readonly fields: Readonly<Record<string, Value>>;
}

const toValue = (value: unknown): Value => (value == null ? null : toText(value));

/** To two digits, as the service writes hours: an older and a newer generation then show the same. */
const toAmount = (value: number | null): Value => (value === null ? null : Math.round(value * 100) / 100);

const toIsoTime = (text: string | null): Value => {
  const ms = parseInstant(text);
  return ms === null ? text : new Date(ms).toISOString();
};

const getStatus = ({ kind, row }: CloseRecord): Value =>
  findState(RESOURCES[kind], row) ?? toValue(row.status);

const pickFields = (record: CloseRecord): SeenRecord['fields'] => {
  const { kind, from, to, start, end, hours, days, policyId } = record;
  const status = getStatus(record);
  if (kind === 'time-request') return { status, start: toIsoTime(start), end: toIsoTime(end) };
  const all = { status, from, to, hours: toAmount(hours) };
  return kind === 'timesheet' ? all : { ...all, days: toAmount(days), policy: toValue(policyId) };
};

const listSeenExpenses = (view: CloseView): readonly SeenRecord[] => {
  const findSpender = createSpenderFinder(view);
  return (view.lists.expenses ?? []).flatMap((row): readonly SeenRecord[] => {
    const day = toRecordDay(row.expense_date);
    const member = findSpender(toText(row.member ?? ''));
    if (day === undefined || member === undefined || !contains(view.scope.period, day)) return [];
    const fields = {
      date: day,
      name: toValue(row.expense_name),
      amount: row.amount == null ? null : String(toNumber(row.amount)),
      category: toValue(row.category),
      project: toValue(row.project),
      billing: toValue(row.type),
    };
    return [{ kind: 'expense', id: toText(row.id), member, from: day, to: day, fields }];
  });
};

/** Every record of the period and of the members that are asked about. */
export const listSeenRecords = (view: CloseView): readonly SeenRecord[] => [
  ...[...view.timesheets, ...view.leaves, ...view.timeRequests].map((record) => ({
    kind: record.kind,
    id: record.id,
    member: view.findPerson(record),
    from: record.from,
    to: record.to,
    fields: pickFields(record),
  })),
  ...listSeenExpenses(view),
];

const MINUTE_MS = 60_000;

const formatValue = (name: string, value: Value, { today, timeZone }: CloseScope): string => {
  if (value === null) return '–';
  if (name === 'hours') return formatHours(toNumber(value));
  if (name === 'amount') return formatMoney(value) ?? String(value);
  if (name === 'start' || name === 'end') {
    const ms = Date.parse(String(value));
    if (Number.isNaN(ms)) return String(value);
    const local = new Date(ms + getOffsetMinutes(ms, timeZone) * MINUTE_MS).toISOString();
    return `${formatDay(local.slice(0, 10), today)} ${local.slice(11, 16)}`;
  }
  return ['from', 'to', 'date'].includes(name) ? formatDay(String(value), today) : String(value);
};

const describeSeen = ({ kind, from, to, fields }: SeenRecord, { today }: CloseScope): string => {
  const [noun] = RESOURCES[kind].words;
  const name = kind === 'expense' ? ` ${fields['name'] ?? ''}` : '';
  return `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}${name} ${formatDays(from, to, today)}`;
};

/** `Timesheet Oct 5–11 changed: status approved → open`; undefined where nothing did. */
const describeDifference = (
  before: SeenRecord | undefined,
  now: SeenRecord | undefined,
  scope: CloseScope,
): string | undefined => {
  if (now === undefined) {
    return before && `${describeSeen(before, scope)} was deleted, or is no longer in this period`;
  }
  const label = describeSeen(now, scope);
  if (before === undefined) {
    const status = now.fields['status'];
    return `${label} is new${status == null ? '' : ` (${status})`}`;
  }
  const changes = Object.keys(now.fields).flatMap((name) => {
    const [was, is] = [before.fields[name] ?? null, now.fields[name] ?? null];
    if (was === is) return [];
    return [`${name} ${formatValue(name, was, scope)} → ${formatValue(name, is, scope)}`];
  });
  return changes.length === 0 ? undefined : `${label} changed: ${changes.join(', ')}`;
};

const getKey = ({ kind, id }: SeenRecord): string => `${kind}:${id}`;

const LISTS = {
  timesheet: 'timesheets',
  leave: 'leaves',
  'time-request': 'timeRequests',
  expense: 'expenses',
} as const;

/**
 * What is not as an earlier check saw it, in the lists that could be read.
 * @param fix the command that takes it as it is now
 */
export const findChanges = (
  earlier: readonly SeenRecord[],
  view: CloseView,
  fix: string,
): readonly CloseFinding[] => {
  const { lists, scope } = view;
  const readable = earlier.filter(({ kind }) => lists[LISTS[kind]] !== undefined);
  const before = new Map(readable.map((record) => [getKey(record), record]));
  const after = new Map(listSeenRecords(view).map((record) => [getKey(record), record]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): readonly CloseFinding[] => {
    const [was, is] = [before.get(key), after.get(key)];
    const record = is ?? was;
    const message = describeDifference(was, is, scope);
    if (record === undefined || message === undefined) return [];
    const inside = clip(record, scope.period);
    const days = record.kind === 'expense' ? null : listWorkdays(inside).length;
    const partial = inside.from !== record.from || inside.to !== record.to;
    return [{ code: 'changed_after_close', member: record.member, ...inside, days, partial, message, fix }];
  });
};
