import type { Contract, Project, Task, Webhook } from '../../records.ts';
import type { Membership } from '../../world.ts';
import { html } from '../html.ts';
import { emailOf, nameOf, project, projectName, who, whose } from './cells.ts';
import { archivedOr, type Kind, kindOf, stateColumn } from './kind.ts';
import { text } from './pieces.ts';
import { expenses, leaves, timeRequests, timesheets } from './time-kinds.ts';

/** The kinds of records that the page has tables of. */

const people = kindOf<Membership>({
  slug: 'people',
  title: 'People',
  of: (space) => space.members,
  states: ['active', 'inactive', 'left', 'archived'],
  state: (row) => archivedOr(row, row.status),
  names: who,
  columns: [
    { title: 'Name', show: (row, place) => text(nameOf(place, row.user_id)) },
    { title: 'Address', drop: 1, show: (row, place) => text(emailOf(place, row.user_id)) },
    { title: 'Role', show: (row) => text(row.role) },
    stateColumn((row) => archivedOr(row, row.status)),
    { title: 'Team', drop: 2, show: (row) => text(row.team_name) },
    { title: 'Hours a week', drop: 3, number: true, show: (row) => text(row.weekly_hours_limit) },
    { title: 'Id', drop: 2, number: true, show: (row) => text(row.user_id) },
  ],
});

const projects = kindOf<Project>({
  slug: 'projects',
  title: 'Projects',
  of: (space) => space.projects,
  states: ['active', 'archived'],
  state: (row) => archivedOr(row, 'active'),
  names: () => '',
  columns: [
    { title: 'Name', show: (row) => text(row.name) },
    stateColumn((row) => archivedOr(row, 'active')),
    { title: 'Deadline', drop: 1, show: (row) => text(row.deadline) },
    { title: 'Billable', drop: 2, show: (row) => text(row.is_billable) },
    { title: 'Rate', drop: 2, number: true, show: (row) => text(row.rate) },
    { title: 'Id', drop: 1, number: true, show: (row) => text(row.id) },
  ],
});

const contracts = kindOf<Contract>({
  slug: 'contracts',
  title: 'Contracts',
  of: (space) => space.contracts,
  states: ['active', 'paused', 'archived'],
  state: (row) => archivedOr(row, row.status),
  names: (row, place) => `${who(row, place)} ${projectName(place.space, row.project_id)}`,
  columns: [
    { title: 'Contract', show: (row) => text(row.id) },
    whose(),
    { title: 'Project', show: (row, place) => project(place, row.project_id) },
    stateColumn((row) => archivedOr(row, row.status)),
    { title: 'Hours a week', drop: 2, number: true, show: (row) => text(row.weekly_hours_limit) },
    { title: 'Screenshots', drop: 3, show: (row) => text(row.screenshots) },
  ],
});

const TASK_STATES: Readonly<Record<number, string>> = {
  0: 'open',
  10: 'in progress',
  20: 'done',
  30: 'closed',
};
const PRIORITIES: Readonly<Record<number, string>> = { 10: 'urgent', 20: 'high', 30: 'normal', 40: 'low' };
const taskState = (row: Task): string => archivedOr(row, TASK_STATES[row.status] ?? String(row.status));

const tasks = kindOf<Task>({
  slug: 'tasks',
  title: 'Tasks',
  of: (space) => space.tasks,
  states: ['open', 'in progress', 'done', 'closed', 'archived'],
  state: taskState,
  names: (row, { space }) => projectName(space, row.project_id),
  columns: [
    { title: 'Title', show: (row) => text(row.title) },
    { title: 'Project', drop: 1, show: (row, place) => project(place, row.project_id) },
    stateColumn(taskState),
    {
      title: 'Priority',
      drop: 2,
      show: (row) => text(row.priority === null ? null : (PRIORITIES[row.priority] ?? row.priority)),
    },
    { title: 'Due', drop: 2, show: (row) => text(row.end_date) },
    { title: 'Id', drop: 1, number: true, show: (row) => text(row.id) },
  ],
});

const webhooks = kindOf<Webhook>({
  slug: 'webhooks',
  title: 'Webhooks',
  of: (space) => space.webhooks,
  states: [],
  state: () => '',
  names: () => '',
  secrets: ['token'],
  columns: [
    { title: 'Address', show: (row) => html`<code>${row.url}</code>` },
    { title: 'Events', show: (row) => text(row.events.join(', ')) },
    { title: 'Id', drop: 2, show: (row) => html`<code>${row.id}</code>` },
  ],
});

export const KINDS: readonly Kind[] = [
  people,
  projects,
  contracts,
  tasks,
  timesheets,
  leaves,
  timeRequests,
  expenses,
  webhooks,
];
