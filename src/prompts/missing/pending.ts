import { createNameColumn, createPeriodColumn } from '../../resources/display/columns.ts';
import { daysColumn } from '../../resources/leave/columns.ts';
import { leave } from '../../resources/leave.ts';
import { requestedHoursColumn } from '../../resources/time-request/columns.ts';
import { timeRequest } from '../../resources/time-request.ts';
import { trackedHoursColumn as sheetHours } from '../../resources/timesheet/columns.ts';
import { timesheet } from '../../resources/timesheet.ts';
import { type CreatePickSource, filterByState, filterPages, orderBy, stateColumn } from './pick-source.ts';

/** What waits for a decision, or was decided: the oldest first. */
export const pendingSources: Readonly<Record<'timesheet' | 'leave' | 'time-request', CreatePickSource>> = {
  timesheet: ({ api, lists, names }, filter) => ({
    pages: filterPages(
      lists.pages(api.timesheets.list({ status: timesheet.states.find((word) => word === filter.from) })),
      filterByState(timesheet, filter),
    ),
    columns: [
      createNameColumn(names.member, 'user_id', 'member'),
      createPeriodColumn('date_from', 'date_to'),
      { ...sheetHours, drop: 1 },
      { field: 'submitted_on', kind: 'age', drop: 2 },
      ...(filter.from === undefined ? [stateColumn] : []),
    ],
    order: orderBy('submitted_on', 'date_from'),
  }),
  leave: ({ api, lists, names }, filter) => ({
    pages: filterPages(
      lists.pages(api.leaves.list({ status: leave.states.find((word) => word === filter.from) })),
      filterByState(leave, filter),
    ),
    columns: [
      createNameColumn(names.member, 'user_id', 'member'),
      createPeriodColumn('start_date', 'end_date'),
      { ...daysColumn, drop: 1 },
      createNameColumn(names.policy, 'policy_id', 'policy', { drop: 2 }),
      { field: 'note', drop: 3 },
    ],
    order: orderBy('created_on', 'start_date'),
  }),
  'time-request': ({ api, lists, names }, filter) => ({
    pages: filterPages(
      lists.pages(api.timeRequests.list({ status: timeRequest.states.find((word) => word === filter.from) })),
      filterByState(timeRequest, filter),
    ),
    columns: [
      createNameColumn(names.member, 'user_id', 'member'),
      { field: 'start', kind: 'time' },
      { ...requestedHoursColumn, drop: 1 },
      createNameColumn(names.project, 'project_id', 'project', { drop: 2 }),
      { field: 'notes', drop: 3 },
      ...(filter.from === undefined ? [stateColumn] : []),
    ],
    order: orderBy('created_at', 'start'),
  }),
};
