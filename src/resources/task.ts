import { datetime, integer, listOf, object, person, shown, text, timestamps } from './fields.ts';
import { resource } from './resource.ts';

export const TASK_STATUS = { open: 0, 'in-progress': 10, done: 20, closed: 30 } as const;
export const TASK_PRIORITY = { urgent: 10, high: 20, normal: 30, low: 40 } as const;

export const task = resource({
  noun: 'tasks',
  words: ['task', 'tasks'],
  fields: {
    id: integer,
    title: text,
    description: text,
    project_id: integer,
    owner_id: integer,
    creator_id: integer,
    status: shown(integer, { kind: 'state', words: TASK_STATUS }),
    priority: shown(integer, { kind: 'state', words: TASK_PRIORITY }),
    start_date: shown(text, { title: 'start', kind: 'date' }),
    end_date: shown(text, { title: 'due', kind: 'date' }),
    completed_at: shown(datetime, { title: 'completed' }),
    assignees: listOf(object({})),
    ...timestamps,
  },
});
export const assigneeFields = {
  id: integer,
  ...person,
  user_id: integer,
  task_id: integer,
  assigner_id: integer,
} as const;
