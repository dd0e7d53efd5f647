import { decisionStates, decisions } from './decision.ts';
import { datetime, integer, shown, state, text } from './fields.ts';
import { resource } from './resource.ts';

export const timeRequest = resource({
  noun: 'time-requests',
  words: ['time request', 'time requests'],
  states: decisionStates,
  transitions: decisions,
  fields: {
    id: text,
    user_id: integer,
    contract_id: shown(integer, { title: 'contract' }),
    project_id: integer,
    task_id: shown(integer, { title: 'task' }),
    start: datetime,
    end: datetime,
    status: state,
    notes: text,
    comment: text,
    updated_by: integer,
    created_at: shown(datetime, { title: 'created' }),
    updated_at: shown(datetime, { title: 'updated' }),
  },
});
