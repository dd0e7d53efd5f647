import type { Page } from '../api/page.ts';
import { jobRows } from '../changes/job/listing.ts';
import type { Column, Context } from '../context.ts';
import { compareNumbers, toNumber } from '../json/number.ts';
import { columnsOf } from '../resources/display/columns.ts';
import { expense } from '../resources/expense.ts';
import { personOf } from '../resources/person.ts';
import { project } from '../resources/project.ts';
import { isArchived } from '../resources/resource.ts';
import { task } from '../resources/task.ts';
import { hasLeft } from '../resources/viewer.ts';
import type { Kind } from './kinds.ts';
import {
  by,
  firstOf,
  fitting,
  latest,
  type Make,
  number,
  once,
  only,
  people,
  person,
  type Source,
  state,
  text,
  type Wish,
} from './source.ts';
import { waiting } from './waiting.ts';

/** The records of each kind that a person picks from, the likeliest first. */

const projectColumn = columnsOf(project.fields);
const taskColumn = columnsOf(task.fields);
const expenseColumn = columnsOf(expense.fields);

const contractPages = async ({ api }: Context, wish: Wish): Promise<AsyncIterable<Page>> => {
  const [member, project] = [await wish.value('user_id', false), await wish.value('project_id', false)];
  const pages = api.contracts.list({
    ...(member === undefined ? {} : { user_id: toNumber(member) }),
    ...(project === undefined ? {} : { project_id: toNumber(project) }),
  });
  return only(pages.pages(), fitting(wish.verb, isArchived));
};

const delivery: Column = { field: 'id', drop: 2 };

const work: Readonly<Record<'project' | 'contract' | 'task' | 'colleague' | 'assignee', Make>> = {
  project: ({ api }, { verb }) => ({
    pages: only(api.projects.list({}).pages(), fitting(verb, isArchived)),
    columns: [projectColumn('name'), number, projectColumn('deadline', { drop: 2 })],
    order: by('name'),
  }),
  contract: async (context, wish) => ({
    pages: await contractPages(context, wish),
    columns: [
      { field: 'project_name', show: (row) => row.project_name ?? row.project_id },
      { field: 'user_firstname', show: (row) => personOf(row, 'user_') ?? row.user_id },
      number,
      state,
    ],
    order: by('project_name', 'user_firstname', 'user_lastname'),
  }),
  task: async ({ api }, wish) => ({
    pages: only(
      api.tasks.list({ project_id: toNumber(await wish.value('project_id', true)) }).pages(),
      fitting(wish.verb, isArchived),
    ),
    columns: [
      { field: 'title' },
      taskColumn('status'),
      taskColumn('priority', { drop: 2 }),
      taskColumn('end_date', { drop: 1 }),
      { ...number, drop: 3 },
    ],
    order: (one, other) =>
      compareNumbers(toNumber(one.status), toNumber(other.status)) || by('title')(one, other),
  }),
  // Only who works on the project can be put on its tasks (docs/service.md, Tasks).
  colleague: async (context, wish) => ({
    pages: only(await contractPages(context, wish), firstOf('user_id')),
    columns: [person('user_'), { field: 'user_email', drop: 1 }, { field: 'user_role', drop: 2 }],
    order: by('user_firstname', 'user_lastname'),
    idOf: ({ user_id }) => user_id,
  }),
  assignee: async ({ api }, wish) => ({
    pages: api.tasks
      .assignees({
        taskId: text(await wish.value('task', true)),
        project_id: toNumber(await wish.value('project_id', true)),
      })
      .pages(),
    columns: [person(), { field: 'email', drop: 1 }],
    order: by('firstname', 'lastname'),
    idOf: ({ user_id }) => user_id,
  }),
};

const things: Readonly<Record<Exclude<Kind, keyof typeof waiting | keyof typeof work>, Make>> = {
  member: ({ api }, { verb }) =>
    people(only(api.members.list({}).pages(), fitting(verb, isArchived)), { field: 'current_role', drop: 1 }),
  viewer: ({ api }, { verb }) =>
    people(only(api.viewers.list({}).pages(), fitting(verb, hasLeft)), {
      field: 'projects',
      kind: 'list',
      drop: 1,
    }),
  expense: ({ api }) => ({
    pages: api.expenses.list({}).pages(),
    columns: [
      expenseColumn('expense_name'),
      expenseColumn('expense_date'),
      expenseColumn('amount'),
      expenseColumn('member', { drop: 1 }),
      expenseColumn('project', { drop: 2 }),
    ],
  }),
  category: ({ api }) => ({
    pages: api.expenses.categories({}).pages(),
    columns: [{ field: 'name' }],
    order: by('name'),
  }),
  policy: ({ api }) => ({
    pages: api.leaves.policies({}).pages(),
    columns: [{ field: 'name' }],
    order: by('name'),
  }),
  webhook: ({ api }) => ({
    pages: api.webhooks.list({}).pages(),
    columns: [{ field: 'url' }, { field: 'events', kind: 'list', drop: 1 }],
    order: by('url'),
  }),
  workspace: ({ api }) => ({
    pages: api.workspaces.list({}).pages(),
    columns: [{ field: 'workspace_name' }, { field: 'role', drop: 1 }, number],
    order: by('workspace_name'),
  }),
  profile: ({ settingsStore }, { verb }) => {
    const { profiles } = settingsStore.read();
    const names = [...Object.keys(profiles), ...(verb === 'use' ? ['sandbox'] : [])];
    const rows = [...new Set(names)].map((id) => ({ id, base_url: profiles[id]?.base_url ?? null }));
    return { pages: once(rows), columns: [{ field: 'id' }, { field: 'base_url', drop: 1 }], order: by('id') };
  },
  received: async ({ webhooks }, { flags: { store } }) => ({
    pages: once((await webhooks()).list(store === undefined ? undefined : String(store))),
    columns: [
      { field: 'event' },
      { field: 'received_at', kind: 'age' },
      { field: 'summary', drop: 1 },
      delivery,
    ],
  }),
  sent: async ({ sandbox }, { flags: { url } }) => {
    const control = (await sandbox()).control(url === undefined ? undefined : String(url));
    const rows = (await control.deliveries()).map((row) => ({ ...row }));
    return {
      pages: once(rows),
      columns: [{ field: 'event' }, state, { field: 'created_at', kind: 'age' }, delivery],
    };
  },
  job: async ({ jobs }, { verb }) => {
    const rows = jobRows(await jobs()).filter((row) => verb !== 'resume' || row.state !== 'done');
    const columns: readonly Column[] = [
      { field: 'id' },
      { field: 'state', kind: 'state' },
      { field: 'started_at', kind: 'age', drop: 1 },
      { field: 'command', drop: 2 },
    ];
    return { pages: once(rows), columns, order: latest('started_at') };
  },
};

const MAKERS: Readonly<Record<Kind, Make>> = { ...waiting, ...work, ...things };

/** The records of a kind that fit the wish. */
export const sourceOf = async (kind: Kind, context: Context, wish: Wish): Promise<Source> =>
  MAKERS[kind](context, wish);
