import { ARCHIVED, isArchived, toWord } from '../api/fields.ts';
import { operations } from '../api/operations.ts';
import { project } from '../api/records.ts';
import { flag, flagsOf } from '../commands/flags.ts';
import type { Column } from '../output/list-view.ts';
import { createColumns, createNameColumn } from './columns.ts';
import { defineResource } from './define.ts';
import type { Names } from './names.ts';

const { create, list, update } = operations.projects;
const BODY = ['start_date', 'deadline', 'estimation', 'budget', 'notes', 'icon'] as const;
const column = createColumns(project.fields);

export const projects = defineResource('projects', {
  record: project,
  label: [column('name'), column('id')],
  filters: [flag(list, 'name')],
  verbs: {
    list: {
      does: 'list',
      examples: ['ttctl projects list', 'ttctl projects list --name website --sort deadline'],
      columns: listColumns,
    },
    get: {
      does: 'get',
      examples: ['ttctl projects get "Harbour website"'],
      columns: listColumns,
    },
    create: {
      does: 'create',
      examples: ['ttctl projects create --name "Harbour website" --deadline 2026-12-18 --estimation 320'],
      alike: ['name'],
      likeness: 'this name',
      flags: flagsOf(create, ['name', ...BODY]),
      target: 'name',
      columns: listColumns,
    },
    update: {
      does: 'update',
      examples: [
        'ttctl projects update "Harbour website" --deadline 2026-12-18',
        'ttctl projects update "Harbour website" --name "Harbour site" --estimation 400 --budget 31000',
      ],
      flags: [flag(update, 'name', { about: 'new name' }), ...flagsOf(update, BODY)],
    },
    archive: {
      does: 'archive',
      examples: [
        'ttctl projects archive "Harbour website"',
        'ttctl projects archive --all --name kiosk --dry-run',
      ],
    },
  },
});

function listColumns(names: Names): readonly Column[] {
  return [
    column('name', { least: 16 }),
    column('status', {
      show: (row) => (isArchived(row) ? ARCHIVED : toWord({ active: 1 }, row.status)),
      drop: 3,
    }),
    column('start_date', { drop: 6 }),
    column('deadline', { drop: 1 }),
    column('estimation', { drop: 2 }),
    column('budget_estimation', { sparse: true, drop: 4 }),
    column('rate', { sparse: true, drop: 8 }),
    column('is_billable', { drop: 7 }),
    column('contracts_count', { drop: 5 }),
    createNameColumn(names, 'owner_id', { title: 'owner', onRequest: true }),
    column('id', { kind: 'number' }),
  ];
}
