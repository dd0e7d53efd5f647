import { createNamer } from '../../api/kinds.ts';
import type { Row } from '../../api/page.ts';
import { leave, leaveBalanceFields, leavePolicy } from '../../api/records.ts';
import type { Names } from '../../context.ts';
import { isRecord, toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import {
  createColumns,
  createNameColumn,
  createPeriodColumn,
  createPeriodColumns,
} from '../display/columns.ts';

const column = createColumns(leave.fields);
const balanceColumn = createColumns(leaveBalanceFields);
const policyColumn = createColumns(leavePolicy.fields);

/** @param alike whether all rows have the same status, because the list was asked for one */
export const leaveColumns = ({ member, policy }: Names, alike: boolean): readonly Column[] => [
  createNameColumn(member, 'user_id', 'member'),
  createNameColumn(policy, 'policy_id', 'policy', { drop: 3 }),
  ...createPeriodColumns('start_date', 'end_date'),
  { field: 'total.days', title: 'days', kind: 'number', drop: 1 },
  { field: 'total.hours', title: 'hours', kind: 'hours', onRequest: true },
  column('status', { drop: alike ? 9 : 2 }),
  column('is_paid', { drop: 6 }),
  column('created_on', { kind: 'age', drop: 5 }),
  column('note', { sparse: true, drop: 4, least: 16 }),
  column('reject_reason', { title: 'reject reason', sparse: true, drop: 8, least: 16 }),
  createNameColumn(member, 'created_by', 'requested by', { onRequest: true }),
  createNameColumn(member, 'approved_by', 'approved by', { onRequest: true }),
  createNameColumn(member, 'rejected_by', 'rejected by', { onRequest: true }),
  column('id', { short: true }),
];

/** `5 d`: how long a leave is. */
export const daysColumn: Column = {
  field: 'total',
  show: ({ total }) =>
    isRecord(total) && Object.hasOwn(total, 'days') ? `${toText(total['days'])} d` : null,
};

/** A leave in a few words, for questions. */
export const leaveWords = ({ member, policy }: Names): readonly Column[] => [
  createNameColumn(member, 'user_id', 'member'),
  createPeriodColumn('start_date', 'end_date'),
  daysColumn,
  createNameColumn(policy, 'policy_id', 'policy'),
  column('id'),
];

/** `10 days` as `10 d`: all policies of a person fit on a line. */
const brief = (balance: unknown): unknown =>
  typeof balance === 'string' ? balance.replace(/ (d|h)(ays?|ours?)$/, ' $1') : balance;

const balancesInWords = ({ leave_information: all }: Row): unknown =>
  Array.isArray(all)
    ? all.map((one) => `${toText(one?.leave_type ?? '?')} ${toText(brief(one?.balance) ?? '?')}`).join(', ')
    : all;

export const balanceColumns = ({ member }: Names): readonly Column[] => [
  balanceColumn('user_name', { least: 12 }),
  createNameColumn(member, 'user_id', 'member', { onRequest: true }),
  { field: 'leave_information', title: 'balances', show: balancesInWords },
  balanceColumn('total_balance', { show: (row) => brief(row.total_balance) }),
];

/** @param rows all of them */
const createUserColumn = (rows: readonly Row[]): Column => {
  const getName = createNamer(rows.map(({ user_id: id, user_name: name }) => ({ id, name })));
  return balanceColumn('user_name', { least: 12, show: (row) => getName(row.user_id, row.user_name) });
};

/** A column for each policy. @param rows all of them */
export const createBalanceColumns = (
  { member }: Names,
  rows: readonly Row[],
  policies: readonly string[],
): readonly Column[] => [
  createUserColumn(rows),
  createNameColumn(member, 'user_id', 'member', { onRequest: true }),
  ...policies.map(
    (field, i): Column => ({
      field,
      title: field,
      kind: 'number',
      show: (row) => brief(row[field]),
      drop: i + 1,
    }),
  ),
  balanceColumn('total_balance', { kind: 'number', show: (row) => brief(row.total_balance) }),
];

/** A row for each balance. */
export const longBalanceColumns = ({ member }: Names, rows: readonly Row[]): readonly Column[] => [
  createUserColumn(rows),
  createNameColumn(member, 'user_id', 'member', { onRequest: true }),
  { field: 'leave_type', title: 'policy' },
  { field: 'balance', kind: 'number' },
  { field: 'balance_unit', title: 'unit' },
];

export const policyColumns: readonly Column[] = [
  policyColumn('name'),
  policyColumn('is_paid', { drop: 1 }),
  policyColumn('duration', {
    show: ({ duration, time_unit }) => (duration == null ? null : `${toText(duration)} ${toText(time_unit)}`),
  }),
  policyColumn('hours_per_day', { drop: 2 }),
  policyColumn('reason_required', { drop: 3 }),
  policyColumn('allow_negative_balance', { drop: 4 }),
  policyColumn('id', { kind: 'number' }),
];
