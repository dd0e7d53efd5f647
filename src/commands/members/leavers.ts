import { createInvitedColumn, personColumn } from '../../resources/display/columns.ts';

/** What whoever archives members reads about them. */

/** Who has been invited and has not come is inactive too: both is said. */
export const createLeaverColumns = (now: number) => [
  personColumn,
  { field: 'email' },
  { field: 'status', kind: 'state' as const },
  createInvitedColumn(now),
  { field: 'id' },
];
