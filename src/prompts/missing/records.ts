import type { ListPage } from '../../api/page.ts';
import { listJobRows } from '../../changes/job/job-rows.ts';
import type { Column, Context } from '../../context.ts';
import { toNumber } from '../../json/number.ts';
import { createColumns, createInvitedColumn } from '../../resources/display/columns.ts';
import { expense } from '../../resources/expense.ts';
import { formatPersonName } from '../../resources/kinds.ts';
import { isOfferedToArchive } from '../../resources/member.ts';
import { project } from '../../resources/project.ts';
import { isArchived } from '../../resources/resource.ts';
import { task } from '../../resources/task.ts';
import { hasLeft } from '../../resources/viewer.ts';
import type { PickableKind } from './kinds.ts';
import { pendingSources } from './pending.ts';
import {
  type CreatePickSource,
  createPeopleSource,
  createPickPersonColumn,
  createSinglePage,
  distinctBy,
  fieldText,
  filterByArchived,
  filterPages,
  numberColumn,
  orderBy,
  orderByLatest,
  type PickFilter,
  type PickSource,
  stateColumn,
} from './pick-source.ts';

/** The records of each kind that a person picks from, the likeliest first. */

const projectColumn = createColumns(project.fields);
const taskColumn = createColumns(task.fields);
const expenseColumn = createColumns(expense.fields);

const listContractPages = async (
  { api, lists }: Context,
  filter: PickFilter,
): Promise<AsyncIterable<ListPage>> => {
  const [member, project] = [await filter.value('user_id', false), await filter.value('project_id', false)];
  const pages = api.contracts.list({
    ...(member === undefined ? {} : { user_id: toNumber(member) }),
    ...(project === undefined ? {} : { project_id: toNumber(project) }),
  });
  return filterPages(lists.pages(pages), filterByArchived(filter.verb, isArchived));
};

const deliveryColumn: Column = { field: 'id', drop: 2 };

const workSources: Readonly<
  Record<'project' | 'contract' | 'task' | 'colleague' | 'assignee', CreatePickSource>
> = {
  project: ({ api, lists }, { verb }) => ({
    pages: filterPages(lists.pages(api.projects.list({})), filterByArchived(verb, isArchived)),
    columns: [projectColumn('name'), numberColumn, projectColumn('deadline', { drop: 2 })],
    order: orderBy('name'),
  }),
  contract: async (context, filter) => ({
    pages: await listContractPages(context, filter),
    columns: [
      { field: 'project_name', show: (row) => row.project_name ?? row.project_id },
      { field: 'user_firstname', show: (row) => formatPersonName(row, 'user_') ?? row.user_id },
      numberColumn,
      stateColumn,
    ],
    order: orderBy('project_name', 'user_firstname', 'user_lastname'),
  }),
  task: async ({ api, lists }, filter) => ({
    pages: filterPages(
      lists.pages(api.tasks.list({ project_id: toNumber(await filter.value('project_id', true)) })),
      filterByArchived(filter.verb, isArchived),
    ),
    columns: [
      { field: 'title' },
      taskColumn('status'),
      taskColumn('priority', { drop: 2 }),
      taskColumn('end_date', { drop: 1 }),
      { ...numberColumn, drop: 3 },
    ],
    order: (one, other) => toNumber(one.status) - toNumber(other.status) || orderBy('title')(one, other),
  }),
  // Only who works on the project can be put on its tasks (docs/service.md, Tasks).
  colleague: async (context, filter) => ({
    pages: filterPages(await listContractPages(context, filter), distinctBy('user_id')),
    columns: [
      createPickPersonColumn('user_'),
      { field: 'user_email', drop: 1 },
      { field: 'user_role', drop: 2 },
    ],
    order: orderBy('user_firstname', 'user_lastname'),
    idOf: ({ user_id }) => user_id,
  }),
  assignee: async ({ api }, filter) => ({
    pages: api.tasks
      .assignees({
        taskId: fieldText(await filter.value('task', true)),
        project_id: toNumber(await filter.value('project_id', true)),
      })
      .pages(),
    columns: [createPickPersonColumn(), { field: 'email', drop: 1 }],
    order: orderBy('firstname', 'lastname'),
    idOf: ({ user_id }) => user_id,
  }),
};

const otherSources: Readonly<
  Record<Exclude<PickableKind, keyof typeof pendingSources | keyof typeof workSources>, CreatePickSource>
> = {
  member: ({ api, lists, clock }, { verb }) => {
    const keep = verb === 'archive' ? isOfferedToArchive : filterByArchived(verb, isArchived);
    const pages = filterPages(lists.pages(api.members.list({})), keep);
    const source = createPeopleSource(pages, { field: 'current_role', drop: 1 });
    const invited = { ...createInvitedColumn(clock.now()), drop: 4 };
    return verb === 'archive' ? { ...source, columns: [...source.columns, invited] } : source;
  },
  viewer: ({ api, lists }, { verb }) =>
    createPeopleSource(filterPages(lists.pages(api.viewers.list({})), filterByArchived(verb, hasLeft)), {
      field: 'projects',
      kind: 'list',
      drop: 1,
    }),
  expense: ({ api, lists }) => ({
    pages: lists.pages(api.expenses.list({})),
    columns: [
      expenseColumn('expense_name'),
      expenseColumn('expense_date'),
      expenseColumn('amount'),
      expenseColumn('member', { drop: 1 }),
      expenseColumn('project', { drop: 2 }),
    ],
  }),
  category: ({ api, lists }) => ({
    pages: lists.pages(api.expenses.categories({})),
    columns: [{ field: 'name' }],
    order: orderBy('name'),
  }),
  policy: ({ api, lists }) => ({
    pages: lists.pages(api.leaves.policies({})),
    columns: [{ field: 'name' }],
    order: orderBy('name'),
  }),
  webhook: ({ api, lists }) => ({
    pages: lists.pages(api.webhooks.list({})),
    columns: [{ field: 'url' }, { field: 'events', kind: 'list', drop: 1 }],
    order: orderBy('url'),
  }),
  workspace: ({ api, lists }) => ({
    pages: lists.pages(api.workspaces.list({})),
    columns: [{ field: 'workspace_name' }, { field: 'role', drop: 1 }, numberColumn],
    order: orderBy('workspace_name'),
  }),
  profile: ({ settingsStore }, { verb }) => {
    const { profiles } = settingsStore.read();
    const names = [...Object.keys(profiles), ...(verb === 'use' ? ['sandbox'] : [])];
    const rows = [...new Set(names)].map((id) => ({ id, base_url: profiles[id]?.base_url ?? null }));
    return {
      pages: createSinglePage(rows),
      columns: [{ field: 'id' }, { field: 'base_url', drop: 1 }],
      order: orderBy('id'),
    };
  },
  received: async (context, { flags: { store } }) => {
    const { listReceived } = await import('../../webhooks/rows.ts');
    return {
      pages: createSinglePage(listReceived(context, store === undefined ? undefined : String(store))),
      columns: [
        { field: 'event' },
        { field: 'received_at', kind: 'age' },
        { field: 'summary', drop: 1 },
        deliveryColumn,
      ],
    };
  },
  sent: async ({ sandbox }, { flags: { url } }) => {
    const control = (await sandbox()).control(url === undefined ? undefined : String(url));
    const rows = (await control.deliveries()).map((row) => ({ ...row }));
    return {
      pages: createSinglePage(rows),
      columns: [{ field: 'event' }, stateColumn, { field: 'created_at', kind: 'age' }, deliveryColumn],
    };
  },
  job: async ({ jobs }, { verb }) => {
    const rows = listJobRows(await jobs()).filter((row) => verb !== 'resume' || row.state !== 'done');
    const columns: readonly Column[] = [
      { field: 'id' },
      { field: 'state', kind: 'state' },
      { field: 'started_at', kind: 'age', drop: 1 },
      { field: 'command', drop: 2 },
    ];
    return { pages: createSinglePage(rows), columns, order: orderByLatest('started_at') };
  },
};

const SOURCES: Readonly<Record<PickableKind, CreatePickSource>> = {
  ...pendingSources,
  ...workSources,
  ...otherSources,
};

/** The records of a kind that match the filter. */
export const createPickSource = async (
  kind: PickableKind,
  context: Context,
  filter: PickFilter,
): Promise<PickSource> => SOURCES[kind](context, filter);
