import type { Expense, Leave, TimeRequest, Timesheet } from '../../records.ts';
import { findRecord } from '../../state.ts';
import { html } from '../html.ts';
import { createOwnerColumn, formatOwner, formatProjectName, renderProject, renderSpan } from './cells.ts';
import { createStateColumn, defineBoardKind } from './kind.ts';
import { renderHours, renderText, renderTime } from './markup.ts';

/** Tables of what people did and asked for. */

const DECISIONS = ['pending', 'approved', 'rejected'];

export const timesheetKind = defineBoardKind<Timesheet>({
  slug: 'timesheets',
  title: 'Timesheets',
  getRecords: (workspace) => workspace.timesheets,
  states: ['open', 'submitted', 'approved', 'rejected'],
  getState: (row) => row.status,
  getNames: formatOwner,
  columns: [
    { title: 'Period', show: (row) => renderSpan(row.date_from, row.date_to) },
    createOwnerColumn(),
    { title: 'Hours', number: true, show: (row) => renderText(renderHours(row.total_minutes)) },
    createStateColumn((row) => row.status),
    { title: 'Submitted', drop: 1, show: (row) => renderTime(row.submitted_on) },
    { title: 'Reason', drop: 2, show: (row) => renderText(row.reject_reason) },
    { title: 'Id', drop: 3, show: (row) => html`<code>${row.id}</code>` },
  ],
});

export const leaveKind = defineBoardKind<Leave>({
  slug: 'leaves',
  title: 'Leaves',
  getRecords: (workspace) => workspace.leaves,
  states: DECISIONS,
  getState: (row) => row.status,
  getNames: formatOwner,
  columns: [
    { title: 'Days', show: (row) => renderSpan(row.start_date, row.end_date) },
    createOwnerColumn(),
    {
      title: 'Policy',
      drop: 1,
      show: (row, { workspace }) =>
        renderText(findRecord(workspace.leave_policies, row.policy_id)?.name ?? row.policy_id),
    },
    createStateColumn((row) => row.status),
    { title: 'How many', drop: 2, number: true, show: (row) => renderText(row.total.days) },
    { title: 'Note', drop: 2, show: (row) => renderText(row.note) },
    { title: 'Id', drop: 3, show: (row) => html`<code>${row.id}</code>` },
  ],
});

export const timeRequestKind = defineBoardKind<TimeRequest>({
  slug: 'time-requests',
  title: 'Time requests',
  getRecords: (workspace) => workspace.time_requests,
  states: DECISIONS,
  getState: (row) => row.status,
  getNames: (row, context) =>
    `${formatOwner(row, context)} ${formatProjectName(context.workspace, row.project_id)}`,
  columns: [
    { title: 'From', show: (row) => renderTime(row.start) },
    createOwnerColumn(),
    { title: 'Project', drop: 1, show: (row, context) => renderProject(context, row.project_id) },
    {
      title: 'Hours',
      number: true,
      show: (row) => renderText(renderHours((Date.parse(row.end) - Date.parse(row.start)) / 60_000)),
    },
    createStateColumn((row) => row.status),
    { title: 'Notes', drop: 2, show: (row) => renderText(row.notes) },
    { title: 'Id', drop: 3, show: (row) => html`<code>${row.id}</code>` },
  ],
});

export const expenseKind = defineBoardKind<Expense>({
  slug: 'expenses',
  title: 'Expenses',
  getRecords: (workspace) => workspace.expenses,
  states: [],
  getState: () => '',
  getNames: (row, context) =>
    `${formatOwner(row, context)} ${formatProjectName(context.workspace, row.project_id)}`,
  columns: [
    { title: 'What', show: (row) => renderText(row.expense_name) },
    { title: 'Day', show: (row) => renderText(row.date) },
    createOwnerColumn(),
    { title: 'Amount', number: true, show: (row) => renderText(row.amount.toFixed(2)) },
    {
      title: 'Category',
      drop: 1,
      show: (row, { workspace }) =>
        renderText(row.category_id && findRecord(workspace.categories, row.category_id)?.name),
    },
    { title: 'Project', drop: 2, show: (row, context) => renderProject(context, row.project_id) },
    { title: 'Id', drop: 3, show: (row) => html`<code>${row.id}</code>` },
  ],
});
