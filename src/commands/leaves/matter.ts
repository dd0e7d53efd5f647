import { operations } from '../../api/operations.ts';
import type { Matter } from '../decide.ts';
import { flag } from '../flags.ts';
import { leaveWords } from './columns.ts';

const list = operations.leaves.list;

/** Leave requests as something that is decided on. */
export const leave: Matter = {
  noun: ['leave request', 'leave requests'],
  list,
  filters: [
    flag(list, 'status'),
    flag(list, 'user_id', { as: 'member', lookup: 'member' }),
    flag(list, 'policy_id', { as: 'policy', lookup: 'policy' }),
    flag(list, 'is_paid', { as: 'paid' }),
    flag(list, 'id'),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
  ],
  find: (api, filters) => api.leaves.list(filters).pages(),
  columns: leaveWords,
};
