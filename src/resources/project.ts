import { boolean, integer, listOf, number, object, shown, text, timestamps } from './fields.ts';
import { resource } from './resource.ts';

/** Other numbers have no known word. */
export const PROJECT_STATUS = { active: 1 } as const;

export const project = resource({
  noun: 'projects',
  words: ['project', 'projects'],
  fields: {
    id: integer,
    name: text,
    owner_id: integer,
    start_date: shown(text, { title: 'start', kind: 'date' }),
    deadline: shown(text, { kind: 'date' }),
    estimation: shown(number, { title: 'estimate', kind: 'hours' }),
    budget_estimation: shown(number, { title: 'budget', kind: 'money' }),
    notes: text,
    icon: text,
    is_billable: shown(boolean, { title: 'billable' }),
    rate: shown(number, { kind: 'money' }),
    weekly_hours_limit: integer,
    screenshots: text,
    tags: listOf(object({ id: integer, name: text, color: text })),
    contracts_count: shown(integer, { title: 'contracts', kind: 'number' }),
    status: shown(integer, { kind: 'state' }),
    ...timestamps,
  },
});
