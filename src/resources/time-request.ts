import { datetime, integer, text } from './fields.ts';

export const timeRequestFields = {
  id: text,
  user_id: integer,
  contract_id: integer,
  project_id: integer,
  task_id: integer,
  start: datetime,
  end: datetime,
  status: text,
  notes: text,
  comment: text,
  updated_by: integer,
  created_at: datetime,
  updated_at: datetime,
} as const;
