import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Matter } from '../decide.ts';
import { flag } from '../options.ts';

const list = operations.leaves.list;

const daysOf = ({ start_date, end_date, total }: Row): string => {
  const days = typeof total === 'object' && total !== null && 'days' in total ? total.days : undefined;
  return `${start_date} ${days === undefined ? `to ${end_date}` : `${days} d`}`;
};

/** Leave requests as something that is decided on. */
export const leave: Matter = {
  noun: ['leave request', 'leave requests'],
  list,
  filters: () => [
    flag(list, 'status'),
    flag(list, 'user_id', { as: 'member', lookup: 'member' }),
    flag(list, 'policy_id', { as: 'policy', lookup: 'policy' }),
    flag(list, 'is_paid', { as: 'paid' }),
    flag(list, 'id'),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
  ],
  find: (api, filters) => api.leaves.list(filters).pages(),
  words: (row, { member, policy }) => [
    member.of(row.user_id) ?? '',
    daysOf(row),
    policy.of(row.policy_id) ?? '',
    String(row.id),
  ],
  load: async (rows, { member, policy }) => {
    await member.load(rows.map((row) => row.user_id));
    await policy.load(rows.map((row) => row.policy_id));
  },
};
