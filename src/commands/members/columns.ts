import type { Column } from '../../context.ts';

export const memberColumns: readonly Column[] = [
  { field: 'id', kind: 'number' },
  { field: 'firstname', title: 'first name' },
  { field: 'lastname', title: 'last name' },
  { field: 'email' },
  { field: 'current_role', title: 'role' },
  { field: 'status', kind: 'state' },
  { field: 'team_name', title: 'team', drop: 1 },
  { field: 'weekly_hours_limit', title: 'h/week', kind: 'number', drop: 2 },
  { field: 'timezone', title: 'time zone', drop: 3 },
];
