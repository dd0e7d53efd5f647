import type { Expense, Leave, TimeRequest, Timesheet } from '../../records.ts';
import { find } from '../../state.ts';
import { html } from '../html.ts';
import { project, projectName, span, who, whose } from './cells.ts';
import { kindOf, stateColumn } from './kind.ts';
import { hours, moment, text } from './pieces.ts';

/** Tables of what people did and asked for. */

const DECISIONS = ['pending', 'approved', 'rejected'];

export const timesheets = kindOf<Timesheet>({
  slug: 'timesheets',
  title: 'Timesheets',
  of: (space) => space.timesheets,
  states: ['open', 'submitted', 'approved', 'rejected'],
  state: (row) => row.status,
  names: who,
  columns: [
    { title: 'Period', show: (row) => span(row.date_from, row.date_to) },
    whose(),
    { title: 'Hours', number: true, show: (row) => text(hours(row.total_minutes)) },
    stateColumn((row) => row.status),
    { title: 'Submitted', drop: 1, show: (row) => moment(row.submitted_on) },
    { title: 'Reason', drop: 2, show: (row) => text(row.reject_reason) },
    { title: 'Id', drop: 3, show: (row) => html`<code>${row.id}</code>` },
  ],
});

export const leaves = kindOf<Leave>({
  slug: 'leaves',
  title: 'Leaves',
  of: (space) => space.leaves,
  states: DECISIONS,
  state: (row) => row.status,
  names: who,
  columns: [
    { title: 'Days', show: (row) => span(row.start_date, row.end_date) },
    whose(),
    {
      title: 'Policy',
      drop: 1,
      show: (row, { space }) => text(find(space.leave_policies, row.policy_id)?.name ?? row.policy_id),
    },
    stateColumn((row) => row.status),
    { title: 'How many', drop: 2, number: true, show: (row) => text(row.total.days) },
    { title: 'Note', drop: 2, show: (row) => text(row.note) },
    { title: 'Id', drop: 3, show: (row) => html`<code>${row.id}</code>` },
  ],
});

export const timeRequests = kindOf<TimeRequest>({
  slug: 'time-requests',
  title: 'Time requests',
  of: (space) => space.time_requests,
  states: DECISIONS,
  state: (row) => row.status,
  names: (row, place) => `${who(row, place)} ${projectName(place.space, row.project_id)}`,
  columns: [
    { title: 'From', show: (row) => moment(row.start) },
    whose(),
    { title: 'Project', drop: 1, show: (row, place) => project(place, row.project_id) },
    {
      title: 'Hours',
      number: true,
      show: (row) => text(hours((Date.parse(row.end) - Date.parse(row.start)) / 60_000)),
    },
    stateColumn((row) => row.status),
    { title: 'Notes', drop: 2, show: (row) => text(row.notes) },
    { title: 'Id', drop: 3, show: (row) => html`<code>${row.id}</code>` },
  ],
});

export const expenses = kindOf<Expense>({
  slug: 'expenses',
  title: 'Expenses',
  of: (space) => space.expenses,
  states: [],
  state: () => '',
  names: (row, place) => `${who(row, place)} ${projectName(place.space, row.project_id)}`,
  columns: [
    { title: 'What', show: (row) => text(row.expense_name) },
    { title: 'Day', show: (row) => text(row.date) },
    whose(),
    { title: 'Amount', number: true, show: (row) => text(row.amount.toFixed(2)) },
    {
      title: 'Category',
      drop: 1,
      show: (row, { space }) => text(row.category_id && find(space.categories, row.category_id)?.name),
    },
    { title: 'Project', drop: 2, show: (row, place) => project(place, row.project_id) },
    { title: 'Id', drop: 3, show: (row) => html`<code>${row.id}</code>` },
  ],
});
