import { datetime, integer, listOf, object, person, shown, state, text } from './fields.ts';
import { isArchived, resource } from './resource.ts';

/** The document gives a viewer no `deleted_at`; an archived one is said to have left. */
export const hasLeft = (row: Readonly<Record<string, unknown>>): boolean =>
  isArchived(row) || row.status === 'left';

export const viewer = resource({
  noun: 'viewers',
  words: ['viewer', 'viewers'],
  fields: {
    id: integer,
    ...person,
    status: state,
    member_since: shown(datetime, { title: 'since', kind: 'date' }),
    projects: listOf(object({ project_id: integer, project_name: text })),
  },
});
