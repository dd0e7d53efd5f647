import { ARCHIVED, isArchived, toWord } from '../../api/fields.ts';
import type { Row } from '../../api/page.ts';
import { PROJECT_STATUS, project } from '../../api/records.ts';
import type { Names } from '../../context.ts';
import type { Column } from '../../output/list-view.ts';
import { createColumns, createNameColumn } from '../display/columns.ts';

const column = createColumns(project.fields);

const stateOf = (row: Row): unknown => (isArchived(row) ? ARCHIVED : toWord(PROJECT_STATUS, row.status));

export const projectColumns = ({ member }: Names): readonly Column[] => [
  column('name', { least: 16 }),
  column('status', { show: stateOf, drop: 3 }),
  column('start_date', { drop: 6 }),
  column('deadline', { drop: 1 }),
  column('estimation', { drop: 2 }),
  column('budget_estimation', { sparse: true, drop: 4 }),
  column('rate', { sparse: true, drop: 8 }),
  column('is_billable', { drop: 7 }),
  column('contracts_count', { drop: 5 }),
  createNameColumn(member, 'owner_id', 'owner', { onRequest: true }),
  column('id', { kind: 'number' }),
];

/** A project in a few words, for questions. */
export const projectWords: readonly Column[] = [column('name'), column('id')];
