import type { Row } from '../../api/page.ts';
import { timeRequest } from '../../api/records.ts';
import type { Names } from '../../context.ts';
import { toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { createColumns, createNameColumn } from '../display/columns.ts';

const column = createColumns(timeRequest.fields);

const HOUR_MS = 3_600_000;

/** Length of a request in hours; `null` where its times cannot be read. */
const hoursOf = ({ start, end }: Row): number | null => {
  const hours = (Date.parse(toText(end)) - Date.parse(toText(start))) / HOUR_MS;
  return Number.isFinite(hours) ? hours : null;
};

export const requestedHoursColumn: Column = { field: 'hours', kind: 'hours', derived: true, show: hoursOf };

/** @param alike whether all rows have the same status, because the list was asked for one */
export const timeRequestColumns = ({ member, project }: Names, alike: boolean): readonly Column[] => [
  createNameColumn(member, 'user_id', 'member'),
  createNameColumn(project, 'project_id', 'project', { drop: 3 }),
  column('start'),
  column('end', { drop: 6 }),
  { ...requestedHoursColumn, drop: 1 },
  column('status', { drop: alike ? 9 : 2 }),
  column('created_at', { title: 'requested', kind: 'age', drop: 5 }),
  column('notes', { sparse: true, drop: 4, least: 16 }),
  column('comment', { sparse: true, drop: 8, least: 16 }),
  createNameColumn(member, 'updated_by', 'updated by', { onRequest: true }),
  column('id', { short: true }),
];

/** All that is known of one request. */
export const timeRequestDetails = ({ member, project }: Names): readonly Column[] => [
  column('id'),
  createNameColumn(member, 'user_id', 'member'),
  createNameColumn(project, 'project_id', 'project'),
  column('contract_id'),
  column('task_id'),
  column('start'),
  column('end'),
  requestedHoursColumn,
  column('status'),
  column('notes'),
  column('comment'),
  createNameColumn(member, 'updated_by', 'updated by'),
  column('created_at'),
  column('updated_at'),
];

/** A time request in a few words, for questions. */
export const timeRequestWords = ({ member, project }: Names): readonly Column[] => [
  createNameColumn(member, 'user_id', 'member'),
  column('start'),
  requestedHoursColumn,
  createNameColumn(project, 'project_id', 'project'),
  column('id'),
];
