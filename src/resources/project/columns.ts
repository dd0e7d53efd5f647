import type { Row } from '../../api/page.ts';
import type { Column, Names } from '../../context.ts';
import { nameColumn } from '../display/columns.ts';
import { PROJECT_STATUS } from '../project.ts';
import { ARCHIVED, isArchived } from '../resource.ts';
import { wordOf } from '../words.ts';

const stateOf = (row: Row): unknown => (isArchived(row) ? ARCHIVED : wordOf(PROJECT_STATUS, row.status));

export const projectColumns = ({ member }: Names): readonly Column[] => [
  { field: 'id', kind: 'number' },
  { field: 'name', least: 16 },
  { field: 'status', kind: 'state', show: stateOf, drop: 3 },
  { field: 'start_date', title: 'start', kind: 'date', drop: 6 },
  { field: 'deadline', kind: 'date', drop: 1 },
  { field: 'estimation', title: 'estimate', kind: 'hours', drop: 2 },
  { field: 'budget_estimation', title: 'budget', kind: 'money', sparse: true, drop: 4 },
  { field: 'rate', kind: 'money', sparse: true, drop: 8 },
  { field: 'is_billable', title: 'billable', drop: 7 },
  { field: 'contracts_count', title: 'contracts', kind: 'number', drop: 5 },
  nameColumn(member, 'owner_id', 'owner', { named: true }),
];

/** A project in a few words, for questions. */
export const projectWords: readonly Column[] = [{ field: 'name' }, { field: 'id' }];
