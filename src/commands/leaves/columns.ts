import type { Row } from '../../api/page.ts';
import type { Column, Names } from '../../context.ts';
import { nameColumn } from '../columns.ts';

/** @param alike whether all rows have the same status, because the list was asked for one */
export const leaveColumns = ({ member, policy }: Names, alike: boolean): readonly Column[] => [
  { field: 'id' },
  nameColumn(member, 'user_id', 'member'),
  nameColumn(policy, 'policy_id', 'policy', { drop: 1 }),
  { field: 'start_date', title: 'from', kind: 'date' },
  { field: 'end_date', title: 'to', kind: 'date', drop: 2 },
  { field: 'total.days', title: 'days', kind: 'number' },
  { field: 'total.hours', title: 'hours', kind: 'hours', drop: 6 },
  { field: 'is_paid', title: 'paid', drop: 4 },
  { field: 'status', kind: 'state', drop: alike ? 9 : 0 },
  { field: 'created_on', title: 'asked', kind: 'age', drop: 3 },
  { field: 'note', drop: 5 },
  { field: 'reject_reason', title: 'reject reason', drop: 8 },
];

/** `10 days` as `10 d`: all policies of a person fit on a line. */
const brief = (balance: unknown): unknown =>
  typeof balance === 'string' ? balance.replace(/ (d|h)(ays?|ours?)$/, ' $1') : balance;

const balancesInWords = ({ leave_information: all }: Row): unknown =>
  Array.isArray(all)
    ? all.map((one) => `${one?.leave_type ?? '?'} ${brief(one?.balance) ?? '?'}`).join(', ')
    : all;

export const balanceColumns: readonly Column[] = [
  { field: 'user_name', title: 'member' },
  { field: 'leave_information', title: 'balances', show: balancesInWords },
  { field: 'total_balance', title: 'total', show: (row) => brief(row.total_balance) },
];

export const policyColumns: readonly Column[] = [
  { field: 'id', kind: 'number' },
  { field: 'name' },
  { field: 'is_paid', title: 'paid' },
  {
    field: 'duration',
    title: 'allowance',
    show: ({ duration, time_unit }) => (duration == null ? null : `${duration} ${time_unit ?? ''}`),
  },
  { field: 'hours_per_day', title: 'h/day', kind: 'number', drop: 1 },
  { field: 'reason_required', title: 'reason needed', drop: 2 },
  { field: 'allow_negative_balance', title: 'below zero', drop: 3 },
];
