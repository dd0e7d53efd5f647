import type { Row } from '../api/page.ts';
import { nameColumn, periodColumns } from '../commands/columns.ts';
import { by, isIn, type Make, only, state, text } from './source.ts';

const daysOf = ({ total }: Row): unknown =>
  typeof total === 'object' && total !== null && 'days' in total ? `${total.days} d` : undefined;

const hoursOf = ({ start, end }: Row): unknown => {
  const hours = (Date.parse(text(end)) - Date.parse(text(start))) / 3_600_000;
  return Number.isFinite(hours) ? hours : undefined;
};

/** What waits for a decision, or was decided: the oldest first. */
export const waiting: Readonly<Record<'timesheet' | 'leave' | 'time-request', Make>> = {
  timesheet: ({ api, names }, wish) => ({
    pages: only(
      api.timesheets.list(wish.from === undefined ? {} : { status: wish.from as 'open' }).pages(),
      isIn(wish),
    ),
    columns: [
      nameColumn(names.member, 'user_id', 'member'),
      ...periodColumns('date_from', 'date_to').slice(0, 1),
      { field: 'total_hours', kind: 'hours', drop: 1 },
      { field: 'submitted_on', kind: 'age', drop: 2 },
      ...(wish.from === undefined ? [state] : []),
    ],
    order: by('submitted_on', 'date_from'),
  }),
  leave: ({ api, names }, wish) => ({
    pages: only(
      api.leaves.list(wish.from === undefined ? {} : { status: wish.from as 'pending' }).pages(),
      isIn(wish),
    ),
    columns: [
      nameColumn(names.member, 'user_id', 'member'),
      ...periodColumns('start_date', 'end_date').slice(0, 1),
      { field: 'total', show: daysOf, drop: 1 },
      nameColumn(names.policy, 'policy_id', 'policy', { drop: 2 }),
      { field: 'note', drop: 3 },
    ],
    order: by('created_on', 'start_date'),
  }),
  'time-request': ({ api, names }, wish) => ({
    pages: only(
      api.timeRequests.list(wish.from === undefined ? {} : { status: wish.from as 'pending' }).pages(),
      isIn(wish),
    ),
    columns: [
      nameColumn(names.member, 'user_id', 'member'),
      { field: 'start', kind: 'time' },
      { field: 'end', kind: 'hours', show: hoursOf, drop: 1 },
      nameColumn(names.project, 'project_id', 'project', { drop: 2 }),
      { field: 'notes', drop: 3 },
      ...(wish.from === undefined ? [state] : []),
    ],
    order: by('created_at', 'start'),
  }),
};
