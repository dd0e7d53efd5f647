import { boolean, integer, listOf, number, object, text, timestamps } from './fields.ts';

export const projectFields = {
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
} as const;
