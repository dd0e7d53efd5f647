import { operations } from '../../api/operations.ts';
import { leaveWords } from '../../resources/leave/columns.ts';
import { leave as resource } from '../../resources/leave.ts';
import type { DecidableResource } from '../decision-targets.ts';
import { flag, memberFilter } from '../flags.ts';

const list = operations.leaves.list;

/** Leave requests as something that is decided on. */
export const decidableLeave = {
  kind: 'leave',
  resource,
  list,
  filters: [
    flag(list, 'status'),
    memberFilter(list),
    flag(list, 'policy_id', { as: 'policy', lookup: 'policy' }),
    flag(list, 'is_paid', { as: 'paid' }),
    flag(list, 'id'),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
  ],
  find: (api, filters) => api.leaves.list(filters),
  columns: leaveWords,
} satisfies DecidableResource;
