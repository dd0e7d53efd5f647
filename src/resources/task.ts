import { datetime, integer, listOf, object, person, text, timestamps } from './fields.ts';

export const taskFields = {
  id: integer,
  title: text,
  description: text,
  project_id: integer,
  owner_id: integer,
  creator_id: integer,
  status: integer,
  priority: integer,
  start_date: text,
  end_date: text,
  completed_at: datetime,
  assignees: listOf(object({})),
  ...timestamps,
} as const;
export const assigneeFields = {
  id: integer,
  ...person,
  user_id: integer,
  task_id: integer,
  assigner_id: integer,
} as const;
