import { formatPersonName, userOf } from '../api/fields.ts';
import { operations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { assigneeFields, task } from '../api/records.ts';
import { flag, flagsOf } from '../commands/flags.ts';
import { isRecord, toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { createColumns, createNameColumn, personColumn } from './columns.ts';
import { defineResource, type VerbOf } from './define.ts';
import type { Names } from './names.ts';
import { readOne } from './proof.ts';

const { archive, assign, assignees, create, get, list, unassign, update } = operations.tasks;

const BODY = ['description', 'status', 'priority', 'start_date', 'end_date'] as const;
const column = createColumns(task.fields);
const assigneeColumn = createColumns(assigneeFields);

export const tasks = defineResource('tasks', {
  record: task,
  label: [column('title'), column('status'), column('id')],
  filters: flagsOf(list, ['project_id', 'status', 'priority']),
  // Assignees are shown as objects or as bare ids (docs/service.md, Tasks).
  view: (row) => ({
    ...row,
    assignees: Array.isArray(row.assignees) ? row.assignees.map(userOf) : undefined,
  }),
  verbs: {
    list: {
      does: 'list',
      examples: ['ttctl tasks list --project "Harbour website" --status in-progress'],
      columns: listColumns,
    },
    get: {
      does: 'get',
      examples: ['ttctl tasks get 17 --project "Harbour website"'],
      flags: [flag(get, 'project_id')],
      columns: listColumns,
    },
    create: {
      does: 'create',
      examples: [
        'ttctl tasks create --project "Harbour website" --title "Home page" --priority high',
        'ttctl tasks create --project "Harbour website" --title "Photos" --end-date 2026-12-04 --assignee ana@example.com',
        'ttctl tasks create --project "Harbour website" --from-file tasks.csv',
      ],
      alike: ['title'],
      place: ({ project_id: project }) => toText(project),
      likeness: 'this title in the project',
      flags: [
        ...flagsOf(create, ['project_id', 'title', ...BODY]),
        flag(create, 'assignees', { about: 'member to assign' }),
      ],
      target: 'title',
      columns: listColumns,
    },
    update: {
      does: 'update',
      examples: [
        'ttctl tasks update 17 --project "Harbour website" --status done',
        'ttctl tasks update 17 --project "Harbour website" --title "Home page, again" --priority urgent',
      ],
      flags: [
        flag(update, 'project_id'),
        flag(update, 'title', { about: 'new title' }),
        ...flagsOf(update, BODY),
        flag(update, 'assignees', {
          about: 'members to assign, replacing the current ones',
        }),
      ],
    },
    archive: {
      does: 'archive',
      examples: [
        'ttctl tasks archive 17 18 --project "Harbour website"',
        'ttctl tasks archive --all --project "Harbour website" --status closed --dry-run',
      ],
      flags: [flag(archive, 'project_id', { about: 'project of the tasks; required with --all' })],
      within: 'project_id',
    },
    assignees: {
      does: 'list',
      examples: ['ttctl tasks assignees 17 --project "Harbour website"'],
      flags: [flag(assignees, 'project_id')],
      words: 'assignees',
      id: 'user_id',
      columns: (names) => [
        personColumn,
        assigneeColumn('email'),
        createNameColumn(names, 'assigner_id', { title: 'assigned by', drop: 1 }),
        assigneeColumn('user_id', { title: 'id', kind: 'number' }),
      ],
    },
    assign: changeAssignees(assign, 'member', true),
    unassign: changeAssignees(unassign, 'assignee', false),
  },
});

function listColumns(names: Names): readonly Column[] {
  return [
    column('title', { least: 16 }),
    column('status'),
    column('priority', { drop: 2 }),
    {
      field: 'assignees',
      kind: 'list',
      // Names that come with the record are used; only the others are fetched.
      load: (rows) => {
        const items = rows.flatMap(listAssignees).filter((item) => nameOf(item) === undefined);
        return names.member.load(items.map(userOf));
      },
      show: (row) => listAssignees(row).map((item) => nameOf(item) ?? names.member.of(userOf(item)) ?? item),
      drop: 3,
      least: 12,
    },
    column('end_date', { drop: 1 }),
    column('start_date', { sparse: true, drop: 5 }),
    column('completed_at', { sparse: true, drop: 4 }),
    createNameColumn(names, 'project_id', { onRequest: true }),
    createNameColumn(names, 'owner_id', { title: 'owner', onRequest: true }),
    createNameColumn(names, 'creator_id', { title: 'creator', onRequest: true }),
    column('id', { kind: 'number' }),
  ];
}

function listAssignees({ assignees: all }: Row): readonly unknown[] {
  return Array.isArray(all) ? all : [];
}

function nameOf(item: unknown): string | undefined {
  return isRecord(item) ? formatPersonName(item) : undefined;
}

function changeAssignees(
  operation: typeof assign | typeof unassign,
  kind: 'member' | 'assignee',
  wanted: boolean,
): VerbOf<'assign-members'> {
  const name = wanted ? 'assign' : 'unassign';
  return {
    does: 'assign-members',
    examples: [
      `ttctl tasks ${name} 17 --project "Harbour website" --member ana@example.com`,
      `ttctl tasks ${name} --project "Harbour website" --from-file work.csv`,
    ],
    verb: [name, `${name}ed`],
    kind,
    flags: [flag(operation, 'project_id')],
    shown: {
      field: 'assignees',
      item: 'userId',
      wanted,
      read: async (api, { taskId, project_id: project }) => {
        const of = project === undefined ? {} : { project_id: toNumber(project) };
        const found: unknown = await readOne(api.tasks.assignees({ taskId: toText(taskId), ...of }));
        // No list is not an empty one.
        if (found === undefined) return undefined;
        return Array.isArray(found) ? { assignees: found } : null;
      },
      isWhole: ({ assignees: all }) => Array.isArray(all),
      subject: ({ userId }) => ({ user_id: userId }),
      ids: ({ assignees: all }) => (Array.isArray(all) ? all.map((item) => toText(userOf(item))) : undefined),
      contradicts: ({ user_id: user }, { userId }) =>
        wanted && user != null && toText(user) !== toText(userId) ? 'user_id' : undefined,
    },
  };
}
