import type { WriteMany } from '../../changes/change.ts';
import type { Flag } from '../../cli/flag.ts';
import type { Context } from '../../context.ts';
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

export const openItemsFlag = {
  name: 'with-open-items',
  about: 'first show what waits for a decision, and the contracts and tasks they have',
} as const satisfies Flag;

export const warnOfOpenItems = (
  context: Context,
  { withOpenItems }: { readonly withOpenItems?: boolean | undefined },
): Pick<WriteMany, 'findWarnings' | 'alwaysWarns'> =>
  withOpenItems !== true
    ? {}
    : {
        findWarnings: async (changes) => (await import('./open-items.ts')).findOpenItems(context, changes),
        alwaysWarns: true,
      };
