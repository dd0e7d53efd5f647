import type { Column } from '../../context.ts';
import { personColumn, wordColumn } from '../display/columns.ts';
import { RATE_STATUS } from '../member.ts';

export const memberColumns: readonly Column[] = [
  { field: 'id', kind: 'number' },
  personColumn,
  { field: 'email', drop: 2 },
  { field: 'current_role', title: 'role', drop: 1 },
  { field: 'status', kind: 'state' },
  { field: 'team_name', title: 'team', drop: 3 },
  { field: 'title', drop: 6 },
  { field: 'weekly_hours_limit', title: 'h/week', kind: 'number', drop: 4 },
  { field: 'timezone', title: 'time zone', drop: 5 },
];

/** All that is known of one member. */
export const memberDetails: readonly Column[] = [
  { field: 'firstname', title: 'first name' },
  { field: 'lastname', title: 'last name' },
  { field: 'current_role', title: 'role' },
  { field: 'status', kind: 'state' },
  { field: 'team_name', title: 'team' },
  { field: 'timezone', title: 'time zone' },
  { field: 'hired_at', title: 'hired', kind: 'date' },
  { field: 'birth_date', title: 'birth date', kind: 'date' },
  { field: 'preferred_timezone', title: 'preferred time zone' },
  { field: 'settings_max_inactive_minutes', title: 'inactive minutes at most' },
  { field: 'weekly_hours_limit', title: 'hours a week' },
  { field: 'rate', kind: 'money' },
  wordColumn('rate_status', RATE_STATUS, { title: 'rate is' }),
  { field: 'is_blocked', title: 'blocked' },
  { field: 'created_at', title: 'created', kind: 'time' },
  { field: 'updated_at', title: 'updated', kind: 'time' },
  { field: 'deleted_at', title: 'archived', kind: 'time' },
];
