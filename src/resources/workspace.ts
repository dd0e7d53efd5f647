import { datetime, defineResource, integer, text } from './resource.ts';

export const workspace = defineResource({
  noun: 'workspaces',
  words: ['workspace', 'workspaces'],
  fields: {
    id: integer,
    owner_id: integer,
    user_id: integer,
    workspace_name: text,
    role: text,
    status: text,
    created_at: datetime,
    activated_at: datetime,
  },
});
