import type { Row } from '../../api/page.ts';
import type { Column, Names } from '../../context.ts';
import { nameColumn } from '../columns.ts';

export const timesheetColumns = ({ member }: Names): readonly Column[] => [
  { field: 'id' },
  nameColumn(member, 'user_id', 'member'),
  { field: 'date_from', title: 'from', kind: 'date' },
  { field: 'date_to', title: 'to', kind: 'date' },
  { field: 'total_hours', title: 'hours', kind: 'hours' },
  { field: 'status', kind: 'state' },
  { field: 'submitted_on', title: 'submitted', kind: 'time', drop: 1 },
  { field: 'reject_reason', title: 'reject reason', drop: 2 },
];

/** A timesheet in a few words, for questions. */
export const timesheetWords =
  ({ member }: Names) =>
  (row: Row): string =>
    `${row.id}  ${member.of(row.user_id)}  ${row.date_from} to ${row.date_to}  ${row.total_hours ?? '?'} h`;

/** `pending` is what newer generations of the service call `open` (spec/notes.md). */
export const isInState = (row: Row, state: 'open' | 'submitted'): boolean =>
  row.status === state || (state === 'open' && row.status === 'pending');
