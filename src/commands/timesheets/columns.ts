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
