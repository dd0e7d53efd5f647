import { datetime, integer, listOf, object, person, text } from './fields.ts';

export const viewerFields = {
  id: integer,
  ...person,
  status: text,
  member_since: datetime,
  projects: listOf(object({ project_id: integer, project_name: text })),
} as const;
