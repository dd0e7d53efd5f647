import { operations } from '../../api/operations.ts';
import { timeRequestWords } from '../../resources/time-request/columns.ts';
import { timeRequest as resource } from '../../resources/time-request.ts';
import type { DecidableResource } from '../decide.ts';
import { flag } from '../flags.ts';

const list = operations.timeRequests.list;

/** Time requests as something that is decided on. */
export const decidableTimeRequest = {
  resource,
  list,
  filters: [
    flag(list, 'status'),
    flag(list, 'user_id', { as: 'member', lookup: 'member' }),
    flag(list, 'id'),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
  ],
  find: (api, filters) => api.timeRequests.list(filters).pages(),
  columns: timeRequestWords,
} satisfies DecidableResource;
