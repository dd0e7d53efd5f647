import { date, datetime, integer, number, text } from './fields.ts';

export const timesheetFields = {
  id: text,
  user_id: integer,
  date_from: date,
  date_to: date,
  total_hours: number,
  submitted_on: datetime,
  reject_reason: text,
  status: text,
} as const;
