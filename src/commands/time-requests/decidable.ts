import { operations } from '../../api/operations.ts';
import { timeRequestWords } from '../../resources/time-request/columns.ts';
import { timeRequest as resource } from '../../resources/time-request.ts';
import type { DecidableResource } from '../decision-targets.ts';
import { flag, memberFilter } from '../flags.ts';

const list = operations.timeRequests.list;

/** Time requests as something that is decided on. */
export const decidableTimeRequest = {
  kind: 'time-request',
  resource,
  list,
  filters: [
    flag(list, 'status'),
    memberFilter(list),
    flag(list, 'id'),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
  ],
  find: (api, filters) => api.timeRequests.list(filters),
  columns: timeRequestWords,
} satisfies DecidableResource;
