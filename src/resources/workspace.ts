import { datetime, integer, text } from './fields.ts';

export const workspaceFields = {
  id: integer,
  owner_id: integer,
  user_id: integer,
  workspace_name: text,
  role: text,
  status: text,
  created_at: datetime,
  activated_at: datetime,
} as const;
