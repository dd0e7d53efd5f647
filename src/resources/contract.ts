import { email, integer, number, text } from './fields.ts';

export const contractFields = {
  id: integer,
  project_id: integer,
  project_name: text,
  project_icon: text,
  user_id: integer,
  user_firstname: text,
  user_lastname: text,
  user_email: email,
  user_role: text,
  weekly_hours_limit: integer,
  screenshots: text,
  screenshots_label: text,
  rate: number,
  rate_type: integer,
  status: text,
} as const;
