import { boolean, date, datetime, integer, number, person, text, timestamps, uri } from './fields.ts';

export const memberFields = {
  id: integer,
  ...person,
  avatar: text,
  current_role: text,
  timezone: text,
  status: text,
  team_name: text,
  title: text,
  birth_date: date,
  hired_at: datetime,
  preferred_timezone: text,
  settings_max_inactive_minutes: integer,
  currency: text,
  rate: number,
  rate_type: text,
  rate_status: integer,
  tax_country: text,
  tax_state: text,
  is_blocked: boolean,
  weekly_hours_limit: integer,
  screenshots: text,
  ...timestamps,
} as const;
export const invitationFields = { user_id: integer, invitation_link: uri } as const;
