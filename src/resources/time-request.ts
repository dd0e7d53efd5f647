import { decisionStates, decisions } from './decision.ts';
import { datetime, integer, text } from './fields.ts';
import { resource } from './resource.ts';

export const timeRequest = resource({
  noun: 'time-requests',
  words: ['time request', 'time requests'],
  states: decisionStates,
  transitions: decisions,
  fields: {
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
  },
});
