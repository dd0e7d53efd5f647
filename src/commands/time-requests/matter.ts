import { operations } from '../../api/operations.ts';
import type { Matter } from '../decide.ts';
import { flag } from '../options.ts';
import { hoursOf } from './columns.ts';

const list = operations.timeRequests.list;

/** Time requests as something that is decided on. */
export const timeRequest: Matter = {
  noun: ['time request', 'time requests'],
  list,
  filters: () => [
    flag(list, 'status'),
    flag(list, 'user_id', { as: 'member', lookup: 'member' }),
    flag(list, 'id'),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
  ],
  find: (api, filters) => api.timeRequests.list(filters).pages(),
  words: (row, { member, project }) => [
    member.of(row.user_id) ?? '',
    String(row.start).slice(0, 10),
    `${hoursOf(row) ?? '?'} h`,
    project.of(row.project_id) ?? '',
    String(row.id),
  ],
  load: async (rows, { member, project }) => {
    await member.load(rows.map((row) => row.user_id));
    await project.load(rows.map((row) => row.project_id));
  },
};
