import { operations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { timeRequest } from '../api/records.ts';
import { flag, flagsOf, memberFilter, periodFlag, statusFilter, zoneFlag } from '../commands/flags.ts';
import { toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { DAY_MS, toUtcDay } from '../parsing/calendar.ts';
import { createColumns, createNameColumn } from './columns.ts';
import { defineResource } from './define.ts';
import type { Names } from './names.ts';
import { listValuesOf } from './proof.ts';

const { create, list, reject } = operations.timeRequests;
const column = createColumns(timeRequest.fields);

export const requestedHoursColumn: Column = { field: 'hours', kind: 'hours', derived: true, show: hoursOf };

export const timeRequests = defineResource('timeRequests', {
  record: timeRequest,
  label: (names) => [
    createNameColumn(names, 'user_id'),
    column('start'),
    requestedHoursColumn,
    createNameColumn(names, 'project_id'),
    column('id'),
  ],
  filters: [statusFilter(list), memberFilter(list), ...flagsOf(list, ['id', 'date_from', 'date_to'])],
  verbs: {
    list: {
      does: 'list',
      examples: ['ttctl time-requests list --status pending', 'ttctl time-requests list --period last-week'],
      flags: [periodFlag],
      columns: listColumns,
    },
    get: {
      does: 'get',
      examples: ['ttctl time-requests get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
      flags: [zoneFlag],
      columns: detailColumns,
      only: true,
    },
    create: {
      does: 'create',
      examples: [
        'ttctl time-requests create --member ana@example.com --contract 21 --start 2026-11-20T09:00 --end 2026-11-20T12:30',
        'ttctl time-requests create --member ana@example.com --contract 21 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:30+01:00',
      ],
      alike: ({ contract_id: contract, start, end }) =>
        JSON.stringify([toText(contract), toInstant(start), toInstant(end)]),
      told: ['user_id'],
      filters: findFilters,
      byLikeness: true,
      flags: [
        ...flagsOf(create, ['user_id', 'contract_id']),
        flag(create, 'start', { about: 'start time: 2026-11-20T09:00 in --timezone, or with an offset' }),
        ...flagsOf(create, ['end', 'task_id', 'notes']),
      ],
      columns: detailColumns,
    },
    approve: {
      does: 'decide',
      examples: [
        'ttctl time-requests approve --all --clean --period last-week --dry-run',
        'ttctl time-requests approve ana@example.com --period last-week',
      ],
    },
    reject: {
      does: 'decide',
      examples: ['ttctl time-requests reject ana@example.com --period last-week --comment "Already booked"'],
      flags: [flag(reject, 'comment')],
    },
  },
});

function listColumns(names: Names): readonly Column[] {
  return [
    createNameColumn(names, 'user_id'),
    createNameColumn(names, 'project_id', { drop: 3 }),
    column('start'),
    column('end', { drop: 6 }),
    { ...requestedHoursColumn, drop: 1 },
    column('status', { drop: 2 }),
    column('created_at', { title: 'requested', kind: 'age', drop: 5 }),
    column('notes', { sparse: true, drop: 4, least: 16 }),
    column('comment', { sparse: true, drop: 8, least: 16 }),
    createNameColumn(names, 'updated_by', { title: 'updated by', onRequest: true }),
    column('id', { short: true }),
  ];
}

function detailColumns(names: Names): readonly Column[] {
  return [
    column('id'),
    createNameColumn(names, 'user_id'),
    createNameColumn(names, 'project_id'),
    ...[column('contract_id'), column('task_id'), column('start'), column('end'), requestedHoursColumn],
    ...[column('status'), column('notes'), column('comment')],
    createNameColumn(names, 'updated_by', { title: 'updated by' }),
    ...[column('created_at'), column('updated_at')],
  ];
}

const HOUR_MS = 3_600_000;

function hoursOf({ start, end }: Row): number | null {
  const hours = (toInstant(end) - toInstant(start)) / HOUR_MS;
  return Number.isFinite(hours) ? hours : null;
}

function toInstant(value: unknown): number {
  return Date.parse(toText(value));
}

/** A day more on either side: filters may mean another zone. */
function findFilters(all: readonly Values[]): Values | undefined {
  const times = all.flatMap(({ start, end }) => [toInstant(start), toInstant(end)]).sort((a, b) => a - b);
  const [first = Number.NaN] = times;
  if (times.some(Number.isNaN)) return undefined;
  const [user, ...others] = listValuesOf(all, 'user_id');
  return {
    ...(others.length > 0 ? {} : { user_id: toNumber(user) }),
    date_from: toUtcDay(first - DAY_MS),
    date_to: toUtcDay((times.at(-1) ?? first) + DAY_MS),
  };
}
