import { nameColumn, periodColumn } from '../resources/display/columns.ts';
import { daysColumn } from '../resources/leave/columns.ts';
import { leave } from '../resources/leave.ts';
import { hoursColumn } from '../resources/time-request/columns.ts';
import { timeRequest } from '../resources/time-request.ts';
import { hoursColumn as sheetHours } from '../resources/timesheet/columns.ts';
import { timesheet } from '../resources/timesheet.ts';
import { by, isIn, type Make, only, state } from './source.ts';

/** What waits for a decision, or was decided: the oldest first. */
export const waiting: Readonly<Record<'timesheet' | 'leave' | 'time-request', Make>> = {
  timesheet: ({ api, names }, wish) => ({
    pages: only(
      api.timesheets.list({ status: timesheet.states.find((word) => word === wish.from) }).pages(),
      isIn(timesheet, wish),
    ),
    columns: [
      nameColumn(names.member, 'user_id', 'member'),
      periodColumn('date_from', 'date_to'),
      { ...sheetHours, drop: 1 },
      { field: 'submitted_on', kind: 'age', drop: 2 },
      ...(wish.from === undefined ? [state] : []),
    ],
    order: by('submitted_on', 'date_from'),
  }),
  leave: ({ api, names }, wish) => ({
    pages: only(
      api.leaves.list({ status: leave.states.find((word) => word === wish.from) }).pages(),
      isIn(leave, wish),
    ),
    columns: [
      nameColumn(names.member, 'user_id', 'member'),
      periodColumn('start_date', 'end_date'),
      { ...daysColumn, drop: 1 },
      nameColumn(names.policy, 'policy_id', 'policy', { drop: 2 }),
      { field: 'note', drop: 3 },
    ],
    order: by('created_on', 'start_date'),
  }),
  'time-request': ({ api, names }, wish) => ({
    pages: only(
      api.timeRequests.list({ status: timeRequest.states.find((word) => word === wish.from) }).pages(),
      isIn(timeRequest, wish),
    ),
    columns: [
      nameColumn(names.member, 'user_id', 'member'),
      { field: 'start', kind: 'time' },
      { ...hoursColumn, drop: 1 },
      nameColumn(names.project, 'project_id', 'project', { drop: 2 }),
      { field: 'notes', drop: 3 },
      ...(wish.from === undefined ? [state] : []),
    ],
    order: by('created_at', 'start'),
  }),
};
