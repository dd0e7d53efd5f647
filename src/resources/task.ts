import {
  arrayOf,
  datetime,
  defineResource,
  integer,
  object,
  person,
  text,
  timestamps,
  withDisplay,
} from './resource.ts';

export const TASK_STATUS = { open: 0, 'in-progress': 10, done: 20, closed: 30 } as const;
export const TASK_PRIORITY = { urgent: 10, high: 20, normal: 30, low: 40 } as const;

export const task = defineResource({
  noun: 'tasks',
  words: ['task', 'tasks'],
  fields: {
    id: integer,
    title: text,
    description: text,
    project_id: integer,
    owner_id: integer,
    creator_id: integer,
    status: withDisplay(integer, { kind: 'state', words: TASK_STATUS }),
    priority: withDisplay(integer, { kind: 'state', words: TASK_PRIORITY }),
    start_date: withDisplay(text, { title: 'start', kind: 'date' }),
    end_date: withDisplay(text, { title: 'due', kind: 'date' }),
    completed_at: withDisplay(datetime, { title: 'completed' }),
    assignees: arrayOf(object({})),
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
