import { operations } from '../../api/operations.ts';
import { timesheetWords } from '../../resources/timesheet/columns.ts';
import { timesheet as resource } from '../../resources/timesheet.ts';
import type { DecidableResource } from '../decision-targets.ts';
import { flag, memberFilter } from '../flags.ts';

const list = operations.timesheets.list;

/** Timesheets as something that is decided on. */
export const decidableTimesheet = {
  kind: 'timesheet',
  resource,
  list,
  filters: [
    flag(list, 'status'),
    memberFilter(list),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
    flag(list, 'id'),
  ],
  find: (api, filters) => api.timesheets.list(filters),
  columns: timesheetWords,
} satisfies DecidableResource;
