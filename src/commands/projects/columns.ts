import type { Row } from '../../api/page.ts';
import type { Column, Names } from '../../context.ts';
import { nameColumn } from '../columns.ts';

/** 1 is active (spec/notes.md, Records); other numbers have no known word. */
const stateOf = (row: Row): unknown => {
  if (row.deleted_at != null) return 'archived';
  return row.status === 1 ? 'active' : row.status;
};

export const projectColumns: readonly Column[] = [
  { field: 'id', kind: 'number' },
  { field: 'name' },
  { field: 'status', kind: 'state', show: stateOf, drop: 4 },
  { field: 'start_date', title: 'start', kind: 'date', drop: 2 },
  { field: 'deadline', kind: 'date' },
  { field: 'estimation', title: 'estimate', kind: 'hours' },
  { field: 'budget_estimation', title: 'budget', kind: 'money', sparse: true, drop: 1 },
  { field: 'rate', kind: 'money', sparse: true, drop: 3 },
  { field: 'is_billable', title: 'billable', drop: 3 },
  { field: 'contracts_count', title: 'contracts', kind: 'number' },
];

/** Beside the columns of the list, what one project is shown with. */
export const projectDetails = ({ member }: Names): readonly Column[] => [
  ...projectColumns,
  nameColumn(member, 'owner_id', 'owner'),
];

/** A project in a few words, for questions. */
export const projectWords = (row: Row): string => `${row.id}  ${row.name}`;
