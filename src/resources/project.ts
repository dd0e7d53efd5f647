import {
  arrayOf,
  boolean,
  defineResource,
  integer,
  number,
  object,
  text,
  timestamps,
  withDisplay,
} from './resource.ts';

/** Other numbers have no known word. */
export const PROJECT_STATUS = { active: 1 } as const;

export const project = defineResource({
  noun: 'projects',
  words: ['project', 'projects'],
  // docs/service.md, Projects
  shownAs: { budget: 'budget_estimation' },
  fields: {
    id: integer,
    name: text,
    owner_id: integer,
    start_date: withDisplay(text, { title: 'start', kind: 'date' }),
    deadline: withDisplay(text, { kind: 'date' }),
    estimation: withDisplay(number, { title: 'estimate', kind: 'hours' }),
    budget_estimation: withDisplay(number, { title: 'budget', kind: 'money' }),
    notes: text,
    icon: text,
    is_billable: withDisplay(boolean, { title: 'billable' }),
    rate: withDisplay(number, { kind: 'money' }),
    weekly_hours_limit: integer,
    screenshots: text,
    tags: arrayOf(object({ id: integer, name: text, color: text })),
    contracts_count: withDisplay(integer, { title: 'contracts', kind: 'number' }),
    status: withDisplay(integer, { kind: 'state' }),
    ...timestamps,
  },
});
