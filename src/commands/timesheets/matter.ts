import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Matter } from '../decide.ts';
import { flag } from '../flags.ts';
import { timesheetWords } from './columns.ts';

const list = operations.timesheets.list;

/** `pending` is what newer generations of the service call `open` (spec/notes.md). */
const isIn = (row: Row, state: string): boolean =>
  row.status === state || (state === 'open' && row.status === 'pending');

/** Timesheets as something that is decided on. */
export const timesheet: Matter = {
  noun: ['timesheet', 'timesheets'],
  list,
  filters: [flag(list, 'status'), flag(list, 'date_from'), flag(list, 'date_to'), flag(list, 'id')],
  find: (api, filters) => api.timesheets.list(filters).pages(),
  isIn,
  columns: timesheetWords,
};
