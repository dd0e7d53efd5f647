import { operations } from '../../api/operations.ts';
import { leaveWords } from '../../resources/leave/columns.ts';
import { leave as resource } from '../../resources/leave.ts';
import type { DecidableResource } from '../decide.ts';
import { flag } from '../flags.ts';

const list = operations.leaves.list;

/** Leave requests as something that is decided on. */
export const decidableLeave = {
  resource,
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
} satisfies DecidableResource;
