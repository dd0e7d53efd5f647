import { formatPersonName } from '../api/fields.ts';
import { operations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { contract, hasOwnRate, RATE_TYPE } from '../api/records.ts';
import { flag, flagsOf, memberFilter } from '../commands/flags.ts';
import { toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { createColumns, createNameColumn } from './columns.ts';
import { defineResource } from './define.ts';
import type { Names } from './names.ts';
import { readOne, type SavedRate } from './proof.ts';

const { create, list, update } = operations.contracts;
const column = createColumns(contract.fields);

const rate: SavedRate = {
  own: (record) => withOwnRate(record).rate,
  id: ({ contractId }, answer) => {
    const id = contractId ?? answer?.id;
    return id == null ? undefined : toText(id);
  },
  get: (api, contractId) => readOne(api.contracts.get({ contractId })),
  list: (api) => api.contracts.list({}),
};

export const contracts = defineResource('contracts', {
  record: contract,
  label: (names) => {
    const project = createProjectColumn(names, { title: '' });
    const show = (row: Row) => `on ${toText(project.show?.(row))}`;
    return [createMemberColumn(names), { ...project, show }, column('id')];
  },
  filters: [flag(list, 'project_id'), memberFilter(list), flag(list, 'status')],
  view: withOwnRate,
  // Whose rate it was stands beside it: the own one that takes its place stays.
  brings: (record, { rate }) =>
    rate === undefined || hasOwnRate(record) ? {} : { rate_type: RATE_TYPE.custom },
  verbs: {
    list: {
      does: 'list',
      examples: [
        'ttctl contracts list --project "Harbour website"',
        'ttctl contracts list --member ana@example.com --status active',
      ],
      columns: listColumns,
    },
    get: {
      does: 'get',
      examples: ['ttctl contracts get 17', 'ttctl contracts get 17 --output json'],
      // The names have fields of their own, so that the ids may stay.
      columns: [column('rate'), column('rate_type')],
    },
    create: {
      does: 'create',
      examples: [
        'ttctl contracts create --project "Harbour website" --member ana@example.com',
        'ttctl contracts create --project "Harbour website" --member ana@example.com --weekly-hours-limit 20 --rate 75.50',
      ],
      alike: ['project_id', 'user_id'],
      // A rate that was dropped makes it no other contract.
      ignored: ['rate'],
      rate,
      likeness: 'this member and project',
      flags: flagsOf(create, ['project_id', 'user_id', 'weekly_hours_limit', 'screenshots', 'rate']),
      columns: listColumns,
    },
    update: {
      does: 'update',
      examples: ['ttctl contracts update 17 --rate 80', 'ttctl contracts update 17 --status paused'],
      flags: flagsOf(update, ['weekly_hours_limit', 'screenshots', 'rate', 'status']),
      rate,
    },
    archive: {
      does: 'archive',
      examples: [
        'ttctl contracts archive 17 18',
        'ttctl contracts archive --all --project "Harbour website" --status paused --dry-run',
      ],
    },
  },
});

function listColumns(names: Names): readonly Column[] {
  return [
    createProjectColumn(names, { least: 12 }),
    createMemberColumn(names),
    column('status', { drop: 1 }),
    column('weekly_hours_limit', { drop: 2 }),
    column('rate', { sparse: true, drop: 3 }),
    column('rate_type', { sparse: true, drop: 4 }),
    { field: 'screenshots', show: (row) => row.screenshots_label ?? row.screenshots, drop: 5 },
    column('id', { kind: 'number' }),
  ];
}

function createMemberColumn(names: Names): Column {
  return createNameColumn(names, 'user_id', { kind: 'text' }, (row) => formatPersonName(row, 'user_'));
}

function createProjectColumn(names: Names, more: Partial<Column>): Column {
  return createNameColumn(names, 'project_id', { kind: 'text', ...more }, (row) => row.project_name);
}

/** The rate that a contract shows may be the member's, or the project's: it has none of its own then. */
function withOwnRate(record: Row): Row {
  return hasOwnRate(record) ? record : { ...record, rate: null };
}
