import type { Row } from '../../api/page.ts';
import type { Column, Names } from '../../context.ts';
import { textOf } from '../../json/text.ts';
import { nameColumn } from '../display/columns.ts';

const HOUR_MS = 3_600_000;

/** Length of a request in hours; `null` where its times cannot be read. */
const hoursOf = ({ start, end }: Row): number | null => {
  const hours = (Date.parse(textOf(end)) - Date.parse(textOf(start))) / HOUR_MS;
  return Number.isFinite(hours) ? hours : null;
};

export const hoursColumn: Column = { field: 'hours', kind: 'hours', derived: true, show: hoursOf };

/** @param alike whether all rows have the same status, because the list was asked for one */
export const timeRequestColumns = ({ member, project }: Names, alike: boolean): readonly Column[] => [
  { field: 'id' },
  nameColumn(member, 'user_id', 'member'),
  nameColumn(project, 'project_id', 'project', { drop: 3 }),
  { field: 'start', kind: 'time' },
  { field: 'end', kind: 'time', drop: 6 },
  { ...hoursColumn, drop: 1 },
  { field: 'status', kind: 'state', drop: alike ? 9 : 2 },
  { field: 'created_at', title: 'asked', kind: 'age', drop: 5 },
  { field: 'notes', sparse: true, drop: 4, least: 16 },
  { field: 'comment', sparse: true, drop: 8, least: 16 },
  nameColumn(member, 'updated_by', 'updated by', { named: true }),
];

/** All that is known of one request. */
export const timeRequestDetails = ({ member, project }: Names): readonly Column[] => [
  { field: 'id' },
  nameColumn(member, 'user_id', 'member'),
  nameColumn(project, 'project_id', 'project'),
  { field: 'contract_id', title: 'contract' },
  { field: 'task_id', title: 'task' },
  { field: 'start', kind: 'time' },
  { field: 'end', kind: 'time' },
  hoursColumn,
  { field: 'status', kind: 'state' },
  { field: 'notes' },
  { field: 'comment' },
  nameColumn(member, 'updated_by', 'updated by'),
  { field: 'created_at', title: 'created', kind: 'time' },
  { field: 'updated_at', title: 'updated', kind: 'time' },
];

/** A time request in a few words, for questions. */
export const timeRequestWords = ({ member, project }: Names): readonly Column[] => [
  nameColumn(member, 'user_id', 'member'),
  { field: 'start', kind: 'time' },
  hoursColumn,
  nameColumn(project, 'project_id', 'project'),
  { field: 'id' },
];
