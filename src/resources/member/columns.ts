import { member } from '../../api/records.ts';
import type { Column } from '../../output/list-view.ts';
import { createColumns, personColumn } from '../display/columns.ts';

const column = createColumns(member.fields);

export const memberColumns: readonly Column[] = [
  personColumn,
  column('email', { drop: 2 }),
  column('current_role', { drop: 1 }),
  column('status'),
  column('team_name', { drop: 3 }),
  column('title', { drop: 6 }),
  column('weekly_hours_limit', { title: 'h/week', kind: 'number', drop: 4 }),
  column('timezone', { drop: 5 }),
  column('id', { kind: 'number' }),
];

/** All that is known of one member. */
export const memberDetails: readonly Column[] = [
  column('firstname'),
  column('lastname'),
  column('current_role'),
  column('status'),
  column('team_name'),
  column('timezone'),
  column('hired_at'),
  column('birth_date', { title: 'birth date' }),
  column('preferred_timezone'),
  column('settings_max_inactive_minutes'),
  column('weekly_hours_limit'),
  column('rate'),
  column('rate_status'),
  column('is_blocked'),
  column('created_at'),
  column('updated_at'),
  column('deleted_at'),
];
