import {
  arrayOf,
  datetime,
  defineResource,
  integer,
  isArchived,
  object,
  person,
  state,
  text,
  toState,
  withDisplay,
} from './resource.ts';

/** The document gives a viewer no `deleted_at`; an archived one is said to have left. */
export const hasLeft = (row: Readonly<Record<string, unknown>>): boolean =>
  isArchived(row) || toState(row.status) === 'left';

export const viewer = defineResource({
  noun: 'viewers',
  words: ['viewer', 'viewers'],
  fields: {
    id: integer,
    ...person,
    status: state,
    member_since: withDisplay(datetime, { title: 'since', kind: 'date' }),
    projects: arrayOf(object({ project_id: integer, project_name: text })),
  },
});
