import { operations } from '../../api/operations.ts';
import type { Matter } from '../decide.ts';
import { flag } from '../flags.ts';
import { timeRequestWords } from './columns.ts';

const list = operations.timeRequests.list;

/** Time requests as something that is decided on. */
export const timeRequest: Matter = {
  noun: ['time request', 'time requests'],
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
};
