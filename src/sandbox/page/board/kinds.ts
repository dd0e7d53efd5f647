import type { Contract, Project, Task, Webhook } from '../../records.ts';
import type { Membership } from '../../world.ts';
import { html } from '../html.ts';
import {
  createOwnerColumn,
  formatOwner,
  formatProjectName,
  formatUserName,
  getUserEmail,
  renderProject,
} from './cells.ts';
import { type BoardKind, createStateColumn, defineBoardKind, getArchiveState } from './kind.ts';
import { renderText } from './markup.ts';
import { expenseKind, leaveKind, timeRequestKind, timesheetKind } from './time-kinds.ts';

/** The kinds of records that the page has tables of. */

const people = defineBoardKind<Membership>({
  slug: 'people',
  title: 'People',
  getRecords: (workspace) => workspace.members,
  states: ['active', 'inactive', 'left', 'archived'],
  getState: (row) => getArchiveState(row, row.status),
  getNames: formatOwner,
  columns: [
    { title: 'Name', show: (row, context) => renderText(formatUserName(context, row.user_id)) },
    { title: 'Address', drop: 1, show: (row, context) => renderText(getUserEmail(context, row.user_id)) },
    { title: 'Role', show: (row) => renderText(row.role) },
    createStateColumn((row) => getArchiveState(row, row.status)),
    { title: 'Team', drop: 2, show: (row) => renderText(row.team_name) },
    { title: 'Hours a week', drop: 3, number: true, show: (row) => renderText(row.weekly_hours_limit) },
    { title: 'Id', drop: 2, number: true, show: (row) => renderText(row.user_id) },
  ],
});

const projects = defineBoardKind<Project>({
  slug: 'projects',
  title: 'Projects',
  getRecords: (workspace) => workspace.projects,
  states: ['active', 'archived'],
  getState: (row) => getArchiveState(row, 'active'),
  getNames: () => '',
  columns: [
    { title: 'Name', show: (row) => renderText(row.name) },
    createStateColumn((row) => getArchiveState(row, 'active')),
    { title: 'Deadline', drop: 1, show: (row) => renderText(row.deadline) },
    { title: 'Billable', drop: 2, show: (row) => renderText(row.is_billable) },
    { title: 'Rate', drop: 2, number: true, show: (row) => renderText(row.rate) },
    { title: 'Id', drop: 1, number: true, show: (row) => renderText(row.id) },
  ],
});

const contracts = defineBoardKind<Contract>({
  slug: 'contracts',
  title: 'Contracts',
  getRecords: (workspace) => workspace.contracts,
  states: ['active', 'paused', 'archived'],
  getState: (row) => getArchiveState(row, row.status),
  getNames: (row, context) =>
    `${formatOwner(row, context)} ${formatProjectName(context.workspace, row.project_id)}`,
  columns: [
    { title: 'Contract', show: (row) => renderText(row.id) },
    createOwnerColumn(),
    { title: 'Project', show: (row, context) => renderProject(context, row.project_id) },
    createStateColumn((row) => getArchiveState(row, row.status)),
    { title: 'Hours a week', drop: 2, number: true, show: (row) => renderText(row.weekly_hours_limit) },
    { title: 'Screenshots', drop: 3, show: (row) => renderText(row.screenshots) },
  ],
});

const TASK_STATES: Readonly<Record<number, string>> = {
  0: 'open',
  10: 'in progress',
  20: 'done',
  30: 'closed',
};
const PRIORITIES: Readonly<Record<number, string>> = { 10: 'urgent', 20: 'high', 30: 'normal', 40: 'low' };
const getTaskState = (row: Task): string =>
  getArchiveState(row, TASK_STATES[row.status] ?? String(row.status));

const tasks = defineBoardKind<Task>({
  slug: 'tasks',
  title: 'Tasks',
  getRecords: (workspace) => workspace.tasks,
  states: ['open', 'in progress', 'done', 'closed', 'archived'],
  getState: getTaskState,
  getNames: (row, { workspace }) => formatProjectName(workspace, row.project_id),
  columns: [
    { title: 'Title', show: (row) => renderText(row.title) },
    { title: 'Project', drop: 1, show: (row, context) => renderProject(context, row.project_id) },
    createStateColumn(getTaskState),
    {
      title: 'Priority',
      drop: 2,
      show: (row) => renderText(row.priority === null ? null : (PRIORITIES[row.priority] ?? row.priority)),
    },
    { title: 'Due', drop: 2, show: (row) => renderText(row.end_date) },
    { title: 'Id', drop: 1, number: true, show: (row) => renderText(row.id) },
  ],
});

const webhooks = defineBoardKind<Webhook>({
  slug: 'webhooks',
  title: 'Webhooks',
  getRecords: (workspace) => workspace.webhooks,
  states: [],
  getState: () => '',
  getNames: () => '',
  secrets: ['token'],
  columns: [
    { title: 'Address', show: (row) => html`<code>${row.url}</code>` },
    { title: 'Events', show: (row) => renderText(row.events.join(', ')) },
    { title: 'Id', drop: 2, show: (row) => html`<code>${row.id}</code>` },
  ],
});

export const BOARD_KINDS: readonly BoardKind[] = [
  people,
  projects,
  contracts,
  tasks,
  timesheetKind,
  leaveKind,
  timeRequestKind,
  expenseKind,
  webhooks,
];
