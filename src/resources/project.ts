import { boolean, integer, listOf, number, object, text, timestamps } from './fields.ts';
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
    start_date: text,
    deadline: text,
    estimation: number,
    budget_estimation: number,
    notes: text,
    icon: text,
    is_billable: boolean,
    rate: number,
    weekly_hours_limit: integer,
    screenshots: text,
    tags: listOf(object({ id: integer, name: text, color: text })),
    contracts_count: integer,
    status: integer,
    ...timestamps,
  },
});
