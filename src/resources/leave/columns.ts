import type { Row } from '../../api/page.ts';
import type { Column, Names } from '../../context.ts';
import { isRecord } from '../../json/number.ts';
import { textOf } from '../../json/text.ts';
import { nameColumn, periodColumn, periodColumns } from '../display/columns.ts';

/** @param alike whether all rows have the same status, because the list was asked for one */
export const leaveColumns = ({ member, policy }: Names, alike: boolean): readonly Column[] => [
  { field: 'id' },
  nameColumn(member, 'user_id', 'member'),
  nameColumn(policy, 'policy_id', 'policy', { drop: 3 }),
  ...periodColumns('start_date', 'end_date'),
  { field: 'total.days', title: 'days', kind: 'number', drop: 1 },
  { field: 'total.hours', title: 'hours', kind: 'hours', named: true },
  { field: 'status', kind: 'state', drop: alike ? 9 : 2 },
  { field: 'is_paid', title: 'paid', drop: 6 },
  { field: 'created_on', title: 'asked', kind: 'age', drop: 5 },
  { field: 'note', sparse: true, drop: 4, least: 16 },
  { field: 'reject_reason', title: 'reject reason', sparse: true, drop: 8, least: 16 },
  nameColumn(member, 'created_by', 'asked by', { named: true }),
  nameColumn(member, 'approved_by', 'approved by', { named: true }),
  nameColumn(member, 'rejected_by', 'rejected by', { named: true }),
];

/** `5 d`: how long a leave is. */
export const daysColumn: Column = {
  field: 'total',
  show: ({ total }) =>
    isRecord(total) && Object.hasOwn(total, 'days') ? `${textOf(total['days'])} d` : null,
};

/** A leave in a few words, for questions. */
export const leaveWords = ({ member, policy }: Names): readonly Column[] => [
  nameColumn(member, 'user_id', 'member'),
  periodColumn('start_date', 'end_date'),
  daysColumn,
  nameColumn(policy, 'policy_id', 'policy'),
  { field: 'id' },
];

/** `10 days` as `10 d`: all policies of a person fit on a line. */
const brief = (balance: unknown): unknown =>
  typeof balance === 'string' ? balance.replace(/ (d|h)(ays?|ours?)$/, ' $1') : balance;

const balancesInWords = ({ leave_information: all }: Row): unknown =>
  Array.isArray(all)
    ? all.map((one) => `${textOf(one?.leave_type ?? '?')} ${textOf(brief(one?.balance) ?? '?')}`).join(', ')
    : all;

export const balanceColumns = ({ member }: Names): readonly Column[] => [
  { field: 'user_name', title: 'member', least: 12 },
  nameColumn(member, 'user_id', 'member', { named: true }),
  { field: 'leave_information', title: 'balances', show: balancesInWords },
  { field: 'total_balance', title: 'total', show: (row) => brief(row.total_balance) },
];

export const policyColumns: readonly Column[] = [
  { field: 'id', kind: 'number' },
  { field: 'name' },
  { field: 'is_paid', title: 'paid', drop: 1 },
  {
    field: 'duration',
    title: 'allowance',
    show: ({ duration, time_unit }) => (duration == null ? null : `${textOf(duration)} ${textOf(time_unit)}`),
  },
  { field: 'hours_per_day', title: 'h/day', kind: 'number', drop: 2 },
  { field: 'reason_required', title: 'reason needed', drop: 3 },
  { field: 'allow_negative_balance', title: 'below zero', drop: 4 },
];
